package recall

import (
	"flag"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lockdrill/content"
)

// labs are the labs that a wrong statement may point to.
var labs = strings.Fields("pause failover delete partition redlock waiters charge leader optimistic think-time retry hot-key forgotten-client cost placement")

func TestPointsAreWhole(t *testing.T) {
	points, err := Points()
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 6 {
		t.Fatalf("%d points, want 6", len(points))
	}
	ideas := []int{4, 4, 5, 5, 4, 4}
	for i, p := range points {
		if p.Number != i+1 || p.Title == "" || p.Say == "" || len(p.Ideas) != ideas[i] || len(p.Wrong) != 2 {
			t.Errorf("point %d is not whole: %+v", i+1, p)
		}
		for j, idea := range p.Ideas {
			if idea.ID != j+1 || idea.Name == "" || idea.Hint == "" {
				t.Errorf("point %d: idea %d is not whole: %+v", p.Number, j+1, idea)
			}
		}
		for j, w := range p.Wrong {
			if w.ID != j+1 || w.Statement == "" || w.Why == "" || !slices.Contains(labs, w.Lab) {
				t.Errorf("point %d: wrong statement %d is not whole: %+v", p.Number, j+1, w)
			}
		}
	}
}

func TestEveryPointHasPatterns(t *testing.T) {
	points, err := Points()
	if err != nil {
		t.Fatal(err)
	}
	r, err := loadRubric()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		rules := r.points[p.Number]
		if len(rules.ideas) != len(p.Ideas) || len(rules.wrong) != len(p.Wrong) {
			t.Errorf("point %d: patterns for %d ideas and %d wrong statements, want %d and %d",
				p.Number, len(rules.ideas), len(rules.wrong), len(p.Ideas), len(p.Wrong))
		}
		for id, rule := range rules.ideas {
			if len(rule.any) == 0 {
				t.Errorf("point %d: idea %d has no pattern", p.Number, id)
			}
		}
	}
	for _, name := range alwaysRead {
		if _, ok := r.ids[name]; !ok {
			t.Errorf("concepts.yaml lacks the concept %s", name)
		}
	}
}

// The model answers of points.yaml must earn every idea and no wrong statement.
func TestModelAnswersEarnEveryIdea(t *testing.T) {
	points, err := Points()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		m := p.Mark(p.Say)
		if m.Found() != len(p.Ideas) || len(m.Wrong) > 0 {
			t.Errorf("point %d: the model answer earns %+v", p.Number, m)
		}
		for _, w := range p.Wrong {
			if got := p.Mark(w.Statement).Wrong; len(got) != 1 || got[0].ID != w.ID {
				t.Errorf("point %d: %q marked %+v", p.Number, w.Statement, got)
			}
			if got := p.Mark(w.Why).Wrong; len(got) > 0 {
				t.Errorf("point %d: the reason against statement %d makes a wrong statement: %+v", p.Number, w.ID, got)
			}
		}
	}
}

func TestBadWordingIsRefused(t *testing.T) {
	for name, bad := range map[string]struct{ file, text string }{
		"unknown concept": {"point-1.yaml", "ideas: {1: {any: [NOPE lock]}}"},
		"concept twice":   {"concepts.yaml", "concepts: {A: lock, B: 'A A'}\nconcepts: {}"},
		"empty part":      {"point-1.yaml", "ideas: {1: {any: ['lock &']}}"},
		"stray bar":       {"point-1.yaml", "ideas: {1: {any: ['lock||key']}}"},
		"filler":          {"point-1.yaml", "ideas: {1: {any: [the]}}"},
		"lost phrase":     {"concepts.yaml", "concepts: {A: 'the lock'}"},
		"unknown field":   {"stances.yaml", "reported: []"},
		"not a mapping":   {"words.yaml", "- lock"},
		"no file":         {"words.yaml", ""},
	} {
		files := fstest.MapFS{
			"words.yaml":    {Data: []byte("fillers: the")},
			"concepts.yaml": {Data: []byte("concepts: {B: lock}")},
			"stances.yaml":  {Data: []byte("headings: wrong")},
		}
		files[bad.file] = &fstest.MapFile{Data: []byte(bad.text)}
		if bad.text == "" {
			delete(files, bad.file)
		}
		if _, err := compileRubric(files, ""); err == nil || !strings.Contains(err.Error(), bad.file) {
			t.Errorf("%s: error %v, want one that names %s", name, err, bad.file)
		}
	}
}

var dictionary = flag.String("dictionary", "", "rewrite content/everyday.txt from this word list, one word a line")

// Everyday words are needed only where the typo repair would take them for a
// word of the rubric; the list must hold no others.
func TestEverydayWords(t *testing.T) {
	wording, err := fs.Sub(content.Wording, "wording")
	if err != nil {
		t.Fatal(err)
	}
	r, err := compileRubric(wording, "")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(content.Everyday)
	if *dictionary != "" {
		words = everydayOf(t, r.lexicon, *dictionary)
		if err := os.WriteFile("../../content/everyday.txt", []byte(strings.Join(words, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.IsSorted(words) {
		t.Error("everyday.txt is not sorted")
	}
	for _, w := range words {
		if stem := r.lexicon.lemma(w); r.lexicon.repair(w, stem) == stem {
			t.Errorf("everyday.txt: %q is never taken for another word; regenerate the list with -dictionary", w)
		}
	}
}

// everydayOf returns the lower-case words of a list that would be taken for a
// misspelling, without those whose stem already stands there.
func everydayOf(t *testing.T, l *lexicon, file string) []string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for w := range strings.FieldsSeq(string(data)) {
		plain := w == strings.ToLower(w) && !strings.Contains(w, "'")
		if stem := l.lemma(w); plain && l.repair(w, stem) != stem {
			set[w] = true
		}
	}
	var words []string
	for w := range set {
		if stem := l.lemma(w); stem == w || !set[stem] {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return words
}
