package deck

import (
	"regexp"
	"strings"
)

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
