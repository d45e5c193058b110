package deck

import (
	"fmt"
	"strings"
)

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
