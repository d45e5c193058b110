package deck

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// Load reads the deck in a file. Errors about its content are an *Error.
func Load(file string) (Deck, error) {
	data, err := read(file)
	if err != nil {
		return Deck{}, &Error{File: file, What: cause(err) + "; give the path of a Markdown file"}
	}
	return Parse(file, data)
}

// read takes one byte more than a deck may have, so that an endless file is
// refused for its size and not read to its end.
func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// cause is the reason of a path error without the path, which Error names.
func cause(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Parse reads a deck in any of the forms that the package comment describes.
// The deck is named after file (without folder and extension) unless its front
// matter says otherwise. Every error is an *Error and prints as FILE:line: what.
func Parse(file string, data []byte) (Deck, error) {
	d, err := parse(file, data)
	if err != nil {
		return Deck{}, in(file, err)
	}
	return d, nil
}

func parse(file string, data []byte) (Deck, error) {
	lines, err := decode(data)
	if err != nil {
		return Deck{}, err
	}
	m, lines, err := frontMatter(lines)
	if err != nil {
		return Deck{}, err
	}
	if lines, err = uncomment(lines); err != nil {
		return Deck{}, err
	}
	blocks, err := cut(lines)
	if err != nil {
		return Deck{}, err
	}
	if m, err = m.named(file); err != nil {
		return Deck{}, err
	}
	return build(m, blocks)
}

// build makes the cards of the blocks and holds the deck to its bounds.
func build(m meta, blocks []block) (Deck, error) {
	d := Deck{Name: m.Name}
	b := builder{deck: m.Name, topic: m.Topic}
	seen := map[string]int{}
	for _, bl := range blocks {
		cards, err := b.cards(bl)
		if err != nil {
			return Deck{}, err
		}
		for _, c := range cards {
			if first, ok := seen[c.ID]; ok {
				return Deck{}, fault(bl.n, "%s is on line %d already; %s", twice(bl), first, twiceHelp(bl))
			}
			seen[c.ID] = bl.n
			d.Cards = append(d.Cards, c)
		}
		if len(d.Cards) > MaxCards {
			return Deck{}, fault(bl.n, "more than %d cards; split the deck", MaxCards)
		}
	}
	if len(d.Cards) == 0 {
		return Deck{}, fault(0, "holds no cards; a card is a heading (# question) with its answer below, or Q: and A: lines")
	}
	return d, nil
}

func twice(b block) string {
	if b.id != "" {
		return fmt.Sprintf("id %q", b.id)
	}
	return "the same question"
}

func twiceHelp(b block) string {
	if b.id != "" {
		return "ids are unique in a deck"
	}
	return "give one of them an id {#like-this}"
}

// block is a card as it stands in the file: what opens it and what follows up
// to the next opening.
type block struct {
	n     int    // line of the heading or mark
	mark  byte   // '#' for a heading, 'Q' or 'C' for hashcards
	level int    // of a heading
	id    string // as written in {#id}
	head  string // the heading, or what follows the mark on its line
	body  []line // below it
	back  []line // for Q: what follows A:
}

// cut divides the lines into blocks and drops what is title, introduction or
// section.
func cut(lines []line) ([]block, error) {
	colons := hashcards(lines)
	var all []block
	var open []line // where text before the first block goes: nowhere
	for i, l := range lines {
		b, ok, err := opening(l, colons)
		if err != nil {
			return nil, err
		}
		if ok {
			if len(all) > 0 {
				all[len(all)-1].body = open
			}
			all, open = append(all, b), nil
		} else if err := underlined(lines, i); err != nil {
			return nil, err
		} else {
			open = append(open, l)
		}
	}
	if len(all) > 0 {
		all[len(all)-1].body = open
	}
	return onlyCards(all)
}

var (
	idForm    = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]*(/[\pL\pN][\pL\pN._-]*)?$`)
	underline = regexp.MustCompile(`^ {0,3}={2,}[ \t]*$`)
)

const maxID = 120 // bytes

// opening reports whether a line opens a block, and which.
func opening(l line, colons bool) (block, bool, error) {
	if l.code {
		return block{}, false, nil
	}
	if colons && len(l.text) >= 2 && strings.Contains("QAC", l.text[:1]) && l.text[1] == ':' {
		return block{n: l.n, mark: l.text[0], head: strings.TrimSpace(l.text[2:])}, true, nil
	}
	level, head, ok := headingParts(l.text)
	if !ok {
		return block{}, false, nil
	}
	b := block{n: l.n, mark: '#', level: level, head: head}
	if head, id, ok := cutID(b.head); ok {
		b.head, b.id = head, id
		if !idForm.MatchString(b.id) || len(b.id) > maxID {
			return block{}, false, fault(l.n, "id %q is not usable; an id is up to %d letters, digits and . _ -", short(b.id), maxID)
		}
	}
	return b, true, nil
}

// headingParts takes a heading apart: its level, and its text without the marks
// that may close it.
func headingParts(text string) (level int, head string, ok bool) {
	rest := strings.TrimLeft(text, " ")
	if len(text)-len(rest) > 3 {
		return 0, "", false
	}
	head = strings.TrimLeft(rest, "#")
	level = len(rest) - len(head)
	if level < 1 || level > 6 || head != "" && !strings.ContainsAny(head[:1], blank) {
		return 0, "", false
	}
	head = strings.Trim(head, blank)
	if open := strings.TrimRight(head, "#"); open != "" && open != head && strings.ContainsAny(open[len(open)-1:], blank) {
		head = strings.TrimRight(open, blank)
	}
	return level, head, true
}

// blank is the white space within a line.
const blank = " \t"

// cutID cuts the {#id} off the end of a heading.
func cutID(head string) (before, id string, ok bool) {
	body, ok := strings.CutSuffix(head, "}")
	if !ok {
		return head, "", false
	}
	i := strings.LastIndex(body, "{#")
	if i < 0 || strings.ContainsAny(body[i+2:], "{}") {
		return head, "", false
	}
	return strings.TrimRight(body[:i], blank), body[i+2:], true
}

// hashcards reports whether a file is written in the syntax of hashcards. A
// plain deck may hold a line "Q: …" in an answer, one with ids certainly is ours.
func hashcards(lines []line) bool {
	marked := false
	for _, l := range lines {
		if l.code {
			continue
		}
		if _, head, ok := headingParts(l.text); ok {
			if _, _, named := cutID(head); named {
				return false
			}
		}
		marked = marked || strings.HasPrefix(l.text, "Q:") ||
			strings.HasPrefix(l.text, "C:") && strings.Contains(l.text, "[")
	}
	return marked
}

// underlined refuses a heading that is written with a line of === below it: it
// would end up inside the answer of the card before.
func underlined(lines []line, i int) error {
	if i == 0 || lines[i].code || lines[i-1].blank() || !underline.MatchString(lines[i].text) {
		return nil
	}
	return fault(lines[i-1].n, "underlined headings are not read; write # %s", short(lines[i-1].text))
}

// onlyCards leaves out the title and the sections and joins questions with
// their answers.
func onlyCards(all []block) ([]block, error) {
	var cards []block
	for i := 0; i < len(all); i++ {
		b := all[i]
		switch {
		case b.mark == 'A':
			return nil, fault(b.n, "an answer (A:) without a question (Q:) before it")
		case b.mark == 'Q':
			if i+1 >= len(all) || all[i+1].mark != 'A' {
				return nil, fault(b.n, "question %q has no answer (A:)", short(b.head))
			}
			a := all[i+1]
			b.back = append([]line{{n: a.n, text: a.head}}, a.body...)
			i++
		case b.mark == '#' && b.id == "" && (i == 0 && isTitle(all) || isSection(all, i)):
			continue
		}
		cards = append(cards, b)
	}
	return cards, nil
}

// isTitle reports whether the first block is the title of the deck.
func isTitle(all []block) bool {
	for _, b := range all[1:] {
		if b.mark == '#' && b.level == 1 {
			return false
		}
	}
	return all[0].level == 1 && len(all) > 1
}

// isSection reports whether a heading has nothing under it but cards.
func isSection(all []block, i int) bool {
	if join(all[i].body) != "" || i+1 >= len(all) {
		return false
	}
	next := all[i+1]
	return next.mark != '#' || next.level > all[i].level
}

// short cuts a text that an error quotes.
func short(s string) string {
	const most = 60
	r := []rune(strings.TrimSpace(s))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most]) + "…"
}
