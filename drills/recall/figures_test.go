package recall

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"
)

// example is an answer as an examiner marked it. Ids in Borderline count neither
// way.
type example struct {
	ID                       string
	Point                    int
	Answer                   string
	Ideas, Wrong, Borderline []int
	Note                     string
	Held                     bool
}

// tally counts what was found, rightly or not.
type tally struct{ hit, extra, missed int }

func (t tally) precision() float64 { return ratio(t.hit, t.hit+t.extra) }
func (t tally) recall() float64    { return ratio(t.hit, t.hit+t.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

func (t *tally) add(got, want, neither []int) (extra, missed []int) {
	for _, id := range got {
		switch {
		case slices.Contains(neither, id):
		case slices.Contains(want, id):
			t.hit++
		default:
			t.extra++
			extra = append(extra, id)
		}
	}
	for _, id := range want {
		if !slices.Contains(got, id) && !slices.Contains(neither, id) {
			t.missed++
			missed = append(missed, id)
		}
	}
	return extra, missed
}

var misses = flag.Bool("misses", false, "print the answers that were marked otherwise than by the examiner")

func readExamples(t testing.TB, name string) []example {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e example
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, e)
	}
	return out
}

func mark(t testing.TB, e example) (ideas, wrong []int) {
	t.Helper()
	points, err := Points()
	if err != nil {
		t.Fatal(err)
	}
	m := points[e.Point-1].Mark(e.Answer)
	for _, i := range m.Ideas {
		if i.Found {
			ideas = append(ideas, i.ID)
		}
	}
	for _, w := range m.Wrong {
		wrong = append(wrong, w.ID)
	}
	return ideas, wrong
}

// floor is what a set of testdata (see its README) must reach. It lies a little
// under what it reaches today.
type floor struct {
	name, file                  string
	keep                        func(example) bool
	ideaPrecision, ideaRecall   float64
	wrongPrecision, wrongRecall float64
}

func TestFigures(t *testing.T) {
	held := func(e example) bool { return e.Held }
	seen := func(e example) bool { return !e.Held }
	for _, f := range []floor{
		{"shared", "shared.jsonl", seen, 0.96, 0.97, 0.99, 0.90},
		{"own", "answers.jsonl", seen, 0.97, 0.97, 0.99, 0.90},
		{"held out", "answers.jsonl", held, 0.97, 0.94, 0.99, 0.88},
		{"fresh", "fresh.jsonl", seen, 0.95, 0.95, 0.98, 0.95},
		{"aside", "aside.jsonl", seen, 0.93, 0.88, 0.99, 0.90},
	} {
		t.Run(f.name, func(t *testing.T) { f.check(t) })
	}
}

func (f floor) check(t *testing.T) {
	var ideas, wrong tally
	for _, e := range readExamples(t, f.file) {
		if !f.keep(e) {
			continue
		}
		gotIdeas, gotWrong := mark(t, e)
		ix, im := ideas.add(gotIdeas, e.Ideas, e.Borderline)
		wx, wm := wrong.add(gotWrong, e.Wrong, nil)
		if *misses && len(ix)+len(im)+len(wx)+len(wm) > 0 {
			t.Logf("%s ideas +%v -%v wrong +%v -%v (%s)\n\t%s%s%s", e.ID, ix, im, wx, wm, e.Note, e.Answer, explain(e, ix, wx), blocked(e, im, wm))
		}
	}
	t.Logf("ideas: precision %.3f recall %.3f of %d; wrong: precision %.3f recall %.3f of %d",
		ideas.precision(), ideas.recall(), ideas.hit+ideas.missed, wrong.precision(), wrong.recall(), wrong.hit+wrong.missed)
	if ideas.precision() < f.ideaPrecision || ideas.recall() < f.ideaRecall {
		t.Errorf("ideas fell under precision %.2f or recall %.2f", f.ideaPrecision, f.ideaRecall)
	}
	if wrong.precision() < f.wrongPrecision || wrong.recall() < f.wrongRecall {
		t.Errorf("wrong statements fell under precision %.2f or recall %.2f", f.wrongPrecision, f.wrongRecall)
	}
}
