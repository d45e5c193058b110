package deck

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// builder makes cards of the blocks of one deck.
type builder struct {
	deck, topic string
}

// cards makes the cards of a block: one, or one for each gap of a C: line.
func (b builder) cards(bl block) ([]Card, error) {
	if n := size(bl); n > MaxCard {
		return nil, fault(bl.n, "card has %d bytes, more than %d; split it", n, MaxCard)
	}
	switch bl.mark {
	case 'Q':
		c := b.plain(join(append([]line{{text: bl.head}}, bl.body...)), join(bl.back))
		return []Card{c}, whole(bl.n, c)
	case 'C':
		return b.gaps(bl)
	}
	c, err := b.heading(bl)
	return []Card{c}, err
}

func size(bl block) int {
	n := len(bl.head)
	for _, ls := range [][]line{bl.body, bl.back} {
		for _, l := range ls {
			n += len(l.text) + 1
		}
	}
	return n
}

// plain is a card whose id is made from its question.
func (b builder) plain(front, back string) Card {
	return Card{ID: b.id(derived(front)), Deck: b.deck, Topic: b.topic, Kind: QA, Front: front, Back: back}
}

// id puts the name of the deck before an id that does not name one.
func (b builder) id(short string) string {
	if strings.Contains(short, "/") {
		return short
	}
	return slug(b.deck) + "/" + short
}

// derived is the id of a card that has none: it depends on the words of the
// question and not on how they are broken into lines.
func derived(front string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(front), " ")))
	return "q-" + hex.EncodeToString(sum[:8])
}

// slug is a name in the letters an id may have.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	if len(words) == 0 {
		return "deck"
	}
	return strings.Join(words, "-")
}

// whole refuses a card with a side missing.
func whole(n int, c Card) error {
	switch {
	case c.Front == "":
		return fault(n, "card has no question")
	case c.Back == "":
		return fault(n, "question %q has no answer below it", short(c.Front))
	}
	return nil
}

// gaps makes the cards of a C: block, one for each gap, as hashcards does: one
// gap is asked, the rest of the sentence stands.
func (b builder) gaps(bl block) ([]Card, error) {
	text := join(append([]line{{text: bl.head}}, bl.body...))
	parts, n := split(text)
	if n == 0 {
		return nil, fault(bl.n, "no [gap] in C: %s", short(text))
	}
	if n > MaxGaps {
		return nil, fault(bl.n, "%d [gaps] in one C:, more than %d, and each becomes a card; split it", n, MaxGaps)
	}
	cards := make([]Card, 0, n)
	for gap := range n {
		c := b.plain(fill(parts, gap), fill(parts, -1))
		c.Kind = Cloze
		c.ID = b.id(derived(fmt.Sprintf("%s [%s]", c.Front, gapText(parts, gap))))
		cards = append(cards, c)
	}
	return cards, nil
}

// join makes one text of lines, without the empty ones and the rules (---) at
// its ends.
func join(ls []line) string {
	for len(ls) > 0 && (ls[0].blank() || rule(ls[0])) {
		ls = ls[1:]
	}
	for len(ls) > 0 && (ls[len(ls)-1].blank() || rule(ls[len(ls)-1])) {
		ls = ls[:len(ls)-1]
	}
	rows := make([]string, len(ls))
	for i, l := range ls {
		rows[i] = strings.TrimRight(l.text, " \t")
	}
	return strings.Join(rows, "\n")
}

// rule reports whether a line is a thematic break, which people put between
// cards.
func rule(l line) bool {
	t := strings.ReplaceAll(strings.TrimSpace(l.text), " ", "")
	return !l.code && len(t) >= 3 && strings.Contains("-*_", t[:1]) && strings.Trim(t, t[:1]) == ""
}
