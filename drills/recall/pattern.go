package recall

import (
	"fmt"
	"strconv"
	"strings"
)

// A pattern says how an idea may be worded. It is written as a line:
//
//	STORE REFUSE LOWER         concepts in this order, at most four other words between two
//	STORE .. REFUSE            at most twelve between them
//	STORE ... REFUSE           anywhere later in the sentence
//	STORE .2 REFUSE            at most two between them
//	STORE = REFUSE             at most twelve between them, in one clause
//	STORE + REFUSE             next to each other
//	STORE|row REFUSE           either; lower case is a word, upper case a concept
//	STORE ~ACCEPT              negated: "does not accept"
//	STORE ?ACCEPT              negated or not, asked or reported: the topic only
//	STORE -SERVICE REFUSE      no lock service between the two; -A|B = C: neither, and in one clause
//	STORE REFUSE & LOWER       both in one sentence, in either order
//	PAUSE // RESUME            the second at most two sentences later
//	PAUSE && RESUME            both, at most two sentences apart, in either order
//
// Each alternative of an element has its own mark: SOLVE|~HARM. $NAME stands for
// the alternatives listed under shorthands. In words, ^ asks for the written form instead of the stem: ^stores is not
// "stored". An element that is not marked ~ or ? must not be negated.
type pattern struct {
	groups []group
	source string
}

// group is a run of elements in order; join says how it relates to the group
// before it.
type group struct {
	join     joint
	elements []element
}

type joint int

const (
	sameSentence joint = iota
	laterSentence
	nearSentence
)

type polarity int

const (
	affirmed polarity = iota
	negated
	either
)

// terms lists everything a pattern looks at.
func (p pattern) terms() []term {
	var out []term
	for _, g := range p.groups {
		for _, e := range g.elements {
			out = append(out, e.forbidden...)
			for _, alt := range e.alternatives {
				out = append(out, alt.term)
			}
		}
	}
	return out
}

// element is one place of a pattern.
type element struct {
	alternatives []alternative
	gap          int    // most words between the element before and this one
	oneClause    bool   // the element before is in the same clause
	forbidden    []term // must not stand in that gap
}

// alternative is one thing that may stand at an element's place.
type alternative struct {
	term
	polarity polarity
}

// term is a concept or a lemma.
type term struct {
	concept int // index of the concept, or -1
	lemma   string
}

const (
	defaultGap  = 4
	longGap     = 12
	sentenceGap = 1 << 20
)

// compiler turns pattern text into patterns, against the concepts known so far.
type compiler struct {
	lexicon    *lexicon
	concepts   map[string]int
	shorthands map[string]string
}

func (c *compiler) pattern(line string) (pattern, error) {
	p := pattern{source: line}
	g := group{}
	for _, field := range strings.Fields(line) {
		join, isJoin := joints[field]
		if !isJoin {
			if err := c.extend(&g, field); err != nil {
				return pattern{}, fmt.Errorf("pattern %q: %w", line, err)
			}
			continue
		}
		p.groups = append(p.groups, g)
		g = group{join: join}
	}
	p.groups = append(p.groups, g)
	for _, g := range p.groups {
		if len(g.elements) == 0 || g.elements[len(g.elements)-1].alternatives == nil {
			return pattern{}, fmt.Errorf("pattern %q: a part is empty; put an element on both sides of every join", line)
		}
	}
	return p, nil
}

var joints = map[string]joint{"&": sameSentence, "//": laterSentence, "&&": nearSentence}

// extend adds one field of a pattern's text to a group. Gaps and forbidden terms
// come before the element they belong to, so an element without alternatives
// waits at the end of the group for them.
func (c *compiler) extend(g *group, field string) error {
	n := len(g.elements)
	if n == 0 || g.elements[n-1].alternatives != nil {
		g.elements = append(g.elements, element{gap: defaultGap})
		n++
	}
	e := &g.elements[n-1]
	switch {
	case field == "+":
		e.gap = 0
	case field == "=":
		e.gap, e.oneClause = longGap, true
	case field == "..":
		e.gap = longGap
	case field == "...":
		e.gap = sentenceGap
	case field[0] == '.' && len(field) == 2 && field[1] >= '0' && field[1] <= '9':
		e.gap = int(field[1] - '0')
	case field[0] == '-' && len(field) > 1 && field != "->":
		terms, err := c.terms(c.shorthand(field[1:]))
		e.forbidden = append(e.forbidden, terms...)
		return err
	default:
		return c.fill(e, field)
	}
	return nil
}

func (c *compiler) fill(e *element, field string) error {
	for name := range strings.SplitSeq(c.shorthand(field), "|") {
		a := alternative{}
		switch {
		case len(name) > 1 && name[0] == '~':
			a.polarity, name = negated, name[1:]
		case len(name) > 1 && name[0] == '?':
			a.polarity, name = either, name[1:]
		}
		if c.lexicon.fillers[name] {
			return fmt.Errorf("%q is a filler, which answers are read without; leave it out", name)
		}
		t, err := c.term(name)
		if err != nil {
			return err
		}
		a.term = t
		e.alternatives = append(e.alternatives, a)
	}
	return nil
}

// shorthand replaces $NAME by the alternatives it stands for.
func (c *compiler) shorthand(field string) string {
	for name, alternatives := range c.shorthands {
		field = strings.ReplaceAll(field, "$"+name, alternatives)
	}
	return field
}

func (c *compiler) terms(text string) ([]term, error) {
	var out []term
	for name := range strings.SplitSeq(text, "|") {
		t, err := c.term(name)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (c *compiler) term(name string) (term, error) {
	if name == "" {
		return term{}, fmt.Errorf("an alternative is empty; remove the stray bar")
	}
	if name[0] < 'A' || name[0] > 'Z' {
		return term{concept: -1, lemma: c.word(name)}, nil
	}
	id, ok := c.concepts[name]
	if !ok {
		return term{}, fmt.Errorf("concept %s is not defined; define it above its first use", name)
	}
	return term{concept: id}, nil
}

// word gives the lemma of a pattern's word and makes it known to the typo repair.
func (c *compiler) word(w string) string {
	if exact, ok := strings.CutPrefix(w, "^"); ok { // the written form, not its stem
		c.lexicon.learn(exact, c.lexicon.lemma(exact))
		return w
	}
	lemma := c.lexicon.lemma(w)
	if _, err := strconv.Atoi(w); err != nil {
		c.lexicon.learn(w, lemma)
		c.lexicon.learn(lemma, lemma)
	}
	return lemma
}

// concept is a named set of phrases that mean the same to the rubric.
type concept struct {
	name    string
	phrases [][]term // each a run of neighbouring words or concepts
}

// anyWords is the star of a phrase: up to mostAnyWords words.
var anyWords = term{concept: -1, lemma: "*"}

const mostAnyWords = 4

// concept compiles the phrases "a | b c | D e | turn * down" of a concept.
func (c *compiler) concept(name, phrases string) (concept, error) {
	out := concept{name: name}
	for text := range strings.SplitSeq(phrases, "|") {
		var phrase []term
		for word := range strings.FieldsSeq(text) {
			if c.lexicon.fillers[word] {
				continue
			}
			if word == "*" {
				phrase = append(phrase, anyWords)
				continue
			}
			t, err := c.term(word)
			if err != nil {
				return concept{}, fmt.Errorf("concept %s: %w", name, err)
			}
			phrase = append(phrase, t)
		}
		if len(phrase) == 1 && len(strings.Fields(text)) > 1 {
			return concept{}, fmt.Errorf("concept %s: %q is one word without its fillers; say it otherwise", name, strings.TrimSpace(text))
		}
		if len(phrase) > 0 {
			out.phrases = append(out.phrases, phrase)
		}
	}
	return out, nil
}
