package recall

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"lockdrill/content"
)

// rubric is everything Mark needs, compiled once.
type rubric struct {
	lexicon  *lexicon
	concepts []concept
	ids      map[string]int
	points   map[int]pointRules

	reporting, rejecting []pattern       // cues of the stance of what follows them
	headings             map[string]bool // "Myth: ..."
}

// pointRules are the patterns of one point, by idea and by wrong statement.
type pointRules struct {
	ideas, wrong map[int]rule
	needs        []bool // by concept: the rules look at it
}

// rule says what words an idea or a wrong statement. A match does not count when
// it shares words with an except pattern, or with a claims pattern that the
// answer asserts, or when an unless pattern follows nearby.
type rule struct {
	any, except, claims, unless []pattern
}

// The files of content.Wording, as written.
type (
	wordsFile struct {
		Abbreviations map[string]string
		Irregular     map[string]string
		Fillers       string
	}
	conceptsFile struct {
		Concepts   yaml.MapSlice // in order: a concept may use those above it
		Shorthands map[string]string
	}
	stancesFile struct {
		Reporting, Rejecting []string
		Headings             string
	}
	pointFile struct {
		Ideas, Wrong map[int]ruleText
	}
	ruleText struct {
		Any, Except, Claims, Unless []string
	}
)

// loadRubric compiles the embedded wording on first use.
var loadRubric = sync.OnceValues(func() (*rubric, error) {
	wording, err := fs.Sub(content.Wording, "wording")
	if err != nil {
		return nil, err
	}
	return compileRubric(wording, content.Everyday)
})

// compileRubric reads the files of a wording folder. Of the points it reads those
// that are there.
func compileRubric(files fs.FS, everyday string) (*rubric, error) {
	var words wordsFile
	var concepts conceptsFile
	var stances stancesFile
	for name, into := range map[string]any{"words.yaml": &words, "concepts.yaml": &concepts, "stances.yaml": &stances} {
		if err := readYAML(files, name, into); err != nil {
			return nil, err
		}
	}
	r := &rubric{lexicon: newLexicon(words, everyday), ids: map[string]int{}, points: map[int]pointRules{}}
	c := &compiler{lexicon: r.lexicon, concepts: r.ids, shorthands: concepts.Shorthands}
	for _, item := range concepts.Concepts {
		if err := r.addConcept(c, fmt.Sprint(item.Key), fmt.Sprint(item.Value)); err != nil {
			return nil, fmt.Errorf("concepts.yaml: %w", err)
		}
	}
	if err := r.addStances(c, stances); err != nil {
		return nil, fmt.Errorf("stances.yaml: %w", err)
	}
	for number := 1; number <= mostPoints; number++ {
		if err := r.addPoint(c, files, number); err != nil {
			return nil, fmt.Errorf("point-%d.yaml: %w", number, err)
		}
	}
	r.lexicon.learnForms(words.Irregular)
	return r, nil
}

// mostPoints is the number of talking points.
const mostPoints = 6

func readYAML(files fs.FS, name string, into any) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalWithOptions(data, into, yaml.Strict()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (r *rubric) addStances(c *compiler, s stancesFile) (err error) {
	if r.reporting, err = c.patterns(s.Reporting); err != nil {
		return err
	}
	r.rejecting, err = c.patterns(s.Rejecting)
	r.headings = setOf(strings.Fields(s.Headings)...)
	return err
}

func (r *rubric) addPoint(c *compiler, files fs.FS, number int) error {
	var p pointFile
	err := readYAML(files, fmt.Sprintf("point-%d.yaml", number), &p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rules, err := c.pointRules(p.Ideas, p.Wrong)
	if err != nil {
		return err
	}
	rules.needs = r.needed(slices.Concat(r.reporting, r.rejecting, rules.patterns()))
	r.points[number] = rules
	return nil
}

func (r *rubric) addConcept(c *compiler, name, phrases string) error {
	if _, twice := r.ids[name]; twice {
		return fmt.Errorf("concept %s is defined twice; merge the two", name)
	}
	compiled, err := c.concept(name, phrases)
	if err != nil {
		return err
	}
	r.ids[name] = len(r.concepts)
	r.concepts = append(r.concepts, compiled)
	return nil
}

// needed marks the concepts that patterns look at, with those they are made of
// and those that every reading needs.
func (r *rubric) needed(patterns []pattern) []bool {
	needs := make([]bool, len(r.concepts))
	for _, name := range alwaysRead {
		needs[r.id(name)] = true
	}
	for _, p := range patterns {
		for _, t := range p.terms() {
			if t.concept >= 0 {
				needs[t.concept] = true
			}
		}
	}
	for i := len(needs) - 1; i >= 0; i-- { // concepts are made of earlier ones
		for _, phrase := range r.concepts[i].phrases {
			for _, t := range phrase {
				if needs[i] && t.concept >= 0 {
					needs[t.concept] = true
				}
			}
		}
	}
	return needs
}

// alwaysRead are the concepts that the code itself refers to.
var alwaysRead = []string{"STORE", "SERVICE", "STAMP", "GRANTED", "NEGATOR", "NOT_NEGATING", "LONE_DENIAL", "DENIAL", "TAG_QUESTION"}

func (p pointRules) patterns() []pattern {
	var out []pattern
	for _, rules := range []map[int]rule{p.ideas, p.wrong} {
		for _, r := range rules {
			out = append(out, slices.Concat(r.any, r.except, r.claims, r.unless)...)
		}
	}
	return out
}

// id returns the index of a concept that the code itself refers to.
func (r *rubric) id(name string) int { return r.ids[name] }

func newLexicon(w wordsFile, everyday string) *lexicon {
	l := &lexicon{
		abbreviations: map[string][]string{}, irregular: map[string]string{},
		fillers: setOf(strings.Fields(w.Fillers)...), everyday: setOf(strings.Fields(everyday)...),
		known: map[string]string{}, byInitial: map[byte][]target{},
	}
	for short, long := range w.Abbreviations {
		l.abbreviations[short] = strings.Fields(long)
	}
	for base, forms := range w.Irregular {
		for form := range strings.FieldsSeq(forms) {
			l.irregular[form] = base
		}
	}
	return l
}

func (c *compiler) pointRules(ideas, wrong map[int]ruleText) (pointRules, error) {
	out := pointRules{ideas: map[int]rule{}, wrong: map[int]rule{}}
	for id, text := range ideas {
		compiled, err := c.rule(text)
		if err != nil {
			return out, fmt.Errorf("idea %d: %w", id, err)
		}
		out.ideas[id] = compiled
	}
	for id, text := range wrong {
		compiled, err := c.rule(text)
		if err != nil {
			return out, fmt.Errorf("wrong statement %d: %w", id, err)
		}
		out.wrong[id] = compiled
	}
	return out, nil
}

func (c *compiler) rule(text ruleText) (rule, error) {
	var out rule
	for _, part := range []struct {
		lines []string
		to    *[]pattern
	}{{text.Any, &out.any}, {text.Except, &out.except}, {text.Claims, &out.claims}, {text.Unless, &out.unless}} {
		compiled, err := c.patterns(part.lines)
		if err != nil {
			return rule{}, err
		}
		*part.to = compiled
	}
	return out, nil
}

func (c *compiler) patterns(lines []string) ([]pattern, error) {
	var out []pattern
	for _, line := range lines {
		p, err := c.pattern(line)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
