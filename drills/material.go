// Package drills puts the cards, the talking points and the record together:
// what is due, a drill session, a quiz, and the statistics.
package drills

import (
	"fmt"
	"slices"

	"lockdrill/drills/deck"
)

// Material is the cards that can be studied.
type Material struct {
	Decks []deck.Deck
	Cards []deck.Card // of all decks, in their order
	labs  []string
}

// Load reads the decks in these files, or the built-in ones where none are
// named. Labs are the names of the labs that exist: a card shows no other.
func Load(files, labs []string) (Material, error) {
	decks, err := readDecks(files)
	if err != nil {
		return Material{}, err
	}
	m := Material{Decks: decks, labs: labs}
	from := map[string]string{}
	for _, d := range decks {
		for _, c := range d.Cards {
			if other, twice := from[c.ID]; twice {
				return Material{}, fmt.Errorf("the card id %s is in the deck %s and again in %s: rename one of the decks",
					c.ID, deck.CleanLine(other), deck.CleanLine(d.Name))
			}
			from[c.ID] = d.Name
			c.Lab = m.ShownLab(c.Lab)
			m.Cards = append(m.Cards, c)
		}
	}
	return m, nil
}

func readDecks(files []string) ([]deck.Deck, error) {
	if len(files) == 0 {
		return deck.Builtin()
	}
	decks := make([]deck.Deck, 0, len(files))
	for _, file := range files {
		d, err := deck.Load(file)
		if err != nil {
			return nil, err
		}
		decks = append(decks, d)
	}
	return decks, nil
}

// ShownLab is name if that lab exists, and "" otherwise.
func (m Material) ShownLab(name string) string {
	if slices.Contains(m.labs, name) {
		return name
	}
	return ""
}

// Topics are the topics of the cards, in alphabetical order.
func (m Material) Topics() []string {
	topics := make([]string, len(m.Cards))
	for i, c := range m.Cards {
		topics[i] = c.Topic
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}
