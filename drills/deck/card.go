package deck

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// Kind says how a card is asked.
type Kind string

// The kinds of card.
const (
	QA     Kind = "qa"     // a question and its answer
	Cloze  Kind = "cloze"  // a sentence with gaps
	Choice Kind = "choice" // one right option, every other a real misconception
	Order  Kind = "order"  // lines to put in order
	Row    Kind = "row"    // a tool: what you get, what you still owe, a fit
)

// Card is one thing to recall. Its ID is what its reviews are filed under: it
// survives any edit of the text.
type Card struct {
	ID     string // stable; unique in its deck, and starts with the deck's name
	Deck   string // the name of the deck it came from
	Topic  string
	Kind   Kind
	Front  string   // Markdown: the question alone; Prompt adds what goes with it
	Back   string   // Markdown; what is revealed
	Option []Option // Choice only, in file order
	Lines  []string // Order: in the right order; Row: get, owe, fit
	Source string   // where the fact is written
	Lab    string   // the lab that proves it, or ""
	NoLab  string   // why no lab proves it; set when Lab is ""
}

// Option is one answer of a Choice card.
type Option struct {
	Text  string
	Right bool
	Why   string // why it is wrong (or right)
}

// Deck is one file of cards.
type Deck struct {
	Name  string
	Cards []Card
}

// Prompt is the front as it is put to the learner, in Markdown: the question
// and, under letters, the options of a Choice or the lines of an Order, in the
// order that Shuffled gives for the same seed.
func (c Card) Prompt(seed uint64) string {
	parts := c.parts()
	if len(parts) == 0 {
		return c.Front
	}
	var b strings.Builder
	b.WriteString(c.Front)
	b.WriteString("\n\n")
	for shown, i := range c.Shuffled(seed) {
		fmt.Fprintf(&b, "%s) %s  \n", Letter(shown), parts[i]) // two spaces: the break stays
	}
	return strings.TrimRight(b.String(), " \n")
}

// Letter names the i-th thing shown, from 0: a, b, c and, after z, 27, 28.
func Letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprint(i + 1)
}

// Shuffled gives the order in which the options or lines of c are shown: the
// n-th shown is number Shuffled(seed)[n] in the file. The same card and seed
// give the same order; the lines of an Order card never come out sorted. Cards
// of other kinds have nothing to shuffle.
func (c Card) Shuffled(seed uint64) []int {
	h := fnv.New64a()
	h.Write([]byte(c.ID))
	perm := rand.New(rand.NewPCG(seed, h.Sum64())).Perm(len(c.parts()))
	if c.Kind == Order && sorted(perm) {
		perm = append(perm[1:], perm[0])
	}
	return perm
}

// parts are what a card shows in shuffled order.
func (c Card) parts() []string {
	switch c.Kind {
	case Order:
		return c.Lines
	case Choice:
		texts := make([]string, len(c.Option))
		for i, o := range c.Option {
			texts[i] = o.Text
		}
		return texts
	}
	return nil
}

func sorted(perm []int) bool {
	for i, p := range perm {
		if i != p {
			return false
		}
	}
	return true
}
