package deck

import (
	"fmt"
	"regexp"
	"strings"
)

// heading makes the card of a heading and what stands below it.
func (b builder) heading(bl block) (Card, error) {
	c := b.plain(strings.TrimSpace(bl.head), "")
	c.Kind = "" // not known yet
	body := bl.body
	if bl.id != "" {
		c.ID = b.id(bl.id)
		var err error
		if body, err = attributes(&c, body); err != nil {
			return c, err
		}
	}
	if c.Front == "" {
		return c, whole(bl.n, c)
	}
	if err := answer(&c, bl, body); err != nil {
		return c, err
	}
	return c, whole(bl.n, c)
}

// attributes reads the list on the lines directly below the heading into c and
// returns the lines after it.
func attributes(c *Card, body []line) ([]line, error) {
	for len(body) > 0 {
		_, item, ok := cutBullet(body[0].text)
		if !ok || body[0].code {
			break
		}
		key, value, _ := strings.Cut(item, ":")
		if err := c.set(body[0].n, strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return nil, err
		}
		body = body[1:]
	}
	return body, nil
}

func (c *Card) set(n int, key, value string) error {
	if value == "" {
		return fault(n, "attribute %q is not written \"- key: value\"; put an empty line between the heading and a list that is part of the answer", short(key))
	}
	switch key {
	case "kind":
		c.Kind = Kind(value)
		if _, ok := kinds[c.Kind]; !ok {
			return fault(n, "kind %q does not exist; there are qa, cloze, choice, order and row", short(value))
		}
	case "topic":
		c.Topic = value
	case "source":
		c.Source = value
	case "lab":
		return c.setLab(n, value)
	default:
		return fault(n, "attribute %q does not exist; there are kind, topic, lab and source (an empty line ends the attributes)", short(key))
	}
	return nil
}

// setLab reads the name of a lab, or "none, why".
func (c *Card) setLab(n int, value string) error {
	why, none := strings.CutPrefix(value, "none")
	if !none {
		c.Lab = value
		return nil
	}
	c.NoLab = strings.TrimSpace(strings.TrimLeft(why, " ,:;"))
	if c.NoLab == "" {
		return fault(n, "lab none does not say why; write \"- lab: none, and the reason\"")
	}
	return nil
}

// answer reads the body by the card's kind. A task list makes a card a choice
// without being told; in a plain deck, where it may be anything, only if
// exactly one item is ticked.
func answer(c *Card, bl block, body []line) error {
	if c.Kind == "" {
		c.Kind = QA
		_, tasks, _ := items(body, taskItem)
		if len(tasks) > 1 && (bl.id != "" || ticked(tasks) == 1) {
			c.Kind = Choice
		}
	}
	return kinds[c.Kind](c, bl.n, body)
}

// kinds says how the body of each kind of card is read.
var kinds = map[Kind]func(c *Card, n int, body []line) error{
	QA:     readQA,
	Cloze:  readCloze,
	Choice: readChoice,
	Order:  readOrder,
	Row:    readRow,
}

func readQA(c *Card, _ int, body []line) error {
	c.Back = join(body)
	return nil
}

func readCloze(c *Card, n int, body []line) error {
	parts, gaps := split(join(body))
	if gaps == 0 {
		return fault(n, "cloze %q has no [gap]", short(c.Front))
	}
	c.Front += "\n\n" + fill(parts, allGaps)
	c.Back = fill(parts, -1)
	return nil
}

func readChoice(c *Card, n int, body []line) error {
	lead, tasks, tail := items(body, taskItem)
	if len(tasks) < 2 || ticked(tasks) != 1 {
		return fault(n, "choice %q has %d options of which %d are ticked; it needs two or more and exactly one [x]",
			short(c.Front), len(tasks), ticked(tasks))
	}
	c.lead(lead)
	var right, wrong strings.Builder
	for _, t := range tasks {
		o := Option{Text: t.text, Right: t.ticked, Why: strings.Join(t.sub, " ")}
		if o.Text == "" {
			return fault(t.n, "option without text")
		}
		c.Option = append(c.Option, o)
		if o.Right {
			fmt.Fprintf(&right, "**%s**  \n%s", o.Text, o.Why)
		} else if o.Why != "" {
			fmt.Fprintf(&wrong, "- %s  \n  %s\n", o.Text, o.Why)
		}
	}
	c.Back = paragraphs(right.String(), join(tail), wrong.String())
	return nil
}

func readOrder(c *Card, n int, body []line) error {
	lead, steps, tail := items(body, numberedItem)
	if len(steps) < 2 {
		return fault(n, "order %q has no numbered list of two or more lines", short(c.Front))
	}
	c.lead(lead)
	var b strings.Builder
	for i, s := range steps {
		if s.text == "" {
			return fault(s.n, "line without text")
		}
		c.Lines = append(c.Lines, s.text)
		fmt.Fprintf(&b, "%d. %s\n", i+1, s.text)
	}
	c.Back = paragraphs(b.String(), join(tail))
	return nil
}

// rowLabels are the three things to say about a tool, as written and as shown.
var rowLabels = [3][2]string{{"get", "You get"}, {"owe", "You still owe"}, {"fit", "Fits"}}

func readRow(c *Card, n int, body []line) error {
	_, parts, tail := items(body, bulletItem)
	if len(parts) != len(rowLabels) {
		return fault(n, "row %q needs three items: - get: …, - owe: …, - fit: …", short(c.Front))
	}
	var b strings.Builder
	for i, p := range parts {
		value, ok := strings.CutPrefix(p.text, rowLabels[i][0]+":")
		if value = strings.TrimSpace(value); !ok || value == "" {
			return fault(p.n, "item %d of a row starts with %q and says something", i+1, rowLabels[i][0]+":")
		}
		c.Lines = append(c.Lines, value)
		fmt.Fprintf(&b, "- %s: %s\n", rowLabels[i][1], value)
	}
	c.Front += "\n\nWhat do you get, what do you still owe, and what does it fit?"
	c.Back = paragraphs(b.String(), join(tail))
	return nil
}

// lead adds the text before a list to the question.
func (c *Card) lead(ls []line) {
	if text := join(ls); text != "" {
		c.Front += "\n\n" + text
	}
}

func paragraphs(parts ...string) string {
	var full []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			full = append(full, p)
		}
	}
	return strings.Join(full, "\n\n")
}

// item is one item of a list: its text in one line, and the items below it.
type item struct {
	n      int
	text   string
	ticked bool
	sub    []string
}

func ticked(list []item) int {
	n := 0
	for _, it := range list {
		if it.ticked {
			n++
		}
	}
	return n
}

// items finds the first list of a kind in a text: what is before it, its items,
// and what is after it.
func items(body []line, is func(string) (item, bool)) (lead []line, list []item, tail []line) {
	i := 0
	for ; i < len(body); i++ {
		if _, ok := is(body[i].text); ok && !body[i].code {
			break
		}
	}
	lead = body[:i]
	for ; i < len(body); i++ {
		l := body[i]
		if it, ok := is(l.text); ok && !l.code {
			it.n = l.n
			list = append(list, it)
		} else if l.blank() {
			continue
		} else if !continues(body, i) {
			break
		} else {
			list[len(list)-1].add(l.text)
		}
	}
	return lead, list, body[i:]
}

// continues reports whether line i belongs to the item above it: it is indented,
// or no empty line comes between.
func continues(body []line, i int) bool {
	return strings.HasPrefix(body[i].text, "  ") || strings.HasPrefix(body[i].text, "\t") || !body[i-1].blank()
}

// add takes in a line below an item: the next line of its text, a new item under
// it, or the next line of that.
func (it *item) add(text string) {
	if _, sub, ok := cutBullet(text); ok {
		it.sub = append(it.sub, strings.TrimSpace(sub))
	} else if n := len(it.sub); n > 0 {
		it.sub[n-1] += " " + strings.TrimSpace(text)
	} else {
		it.text += " " + strings.TrimSpace(text)
	}
}

var (
	bulletLine   = regexp.MustCompile(`^([ \t]*)[-*+][ \t]+(.*)$`)
	numberedLine = regexp.MustCompile(`^ {0,3}\d{1,9}[.)][ \t]+(.*)$`)
	taskText     = regexp.MustCompile(`^\[([ xX])\](?:[ \t]+(.*))?$`)
)

// cutBullet splits a line "  - text" into indent and text.
func cutBullet(text string) (indent, rest string, ok bool) {
	m := bulletLine.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

func bulletItem(text string) (item, bool) {
	indent, rest, ok := cutBullet(text)
	return item{text: strings.TrimSpace(rest)}, ok && indent == ""
}

func numberedItem(text string) (item, bool) {
	m := numberedLine.FindStringSubmatch(text)
	if m == nil {
		return item{}, false
	}
	return item{text: strings.TrimSpace(m[1])}, true
}

func taskItem(text string) (item, bool) {
	it, ok := bulletItem(text)
	m := taskText.FindStringSubmatch(it.text)
	if !ok || m == nil {
		return item{}, false
	}
	return item{text: strings.TrimSpace(m[2]), ticked: m[1] != " "}, true
}
