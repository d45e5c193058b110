// Package deck reads decks of cards from Markdown: the embedded ones and a
// user's own go through the same parser.
package deck

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
	ID     string // stable; unique over all decks loaded together
	Deck   string // the name of the deck it came from
	Topic  string
	Kind   Kind
	Front  string   // Markdown
	Back   string   // Markdown; what is revealed
	Option []Option // Choice only, in file order
	Lines  []string // Order only, in the right order
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
