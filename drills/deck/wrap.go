package deck

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// look is how a run of text is meant to stand out. The levels of emphasis are
// Markdown's: one star, two stars.
type look int

const (
	plain look = iota
	emphasis
	strong
	code
	heading
)

// span is a run of text of one look.
type span struct {
	text string
	look look
}

func itoa(n int) string { return strconv.Itoa(n) }

// cells is the width of s on a terminal, by grapheme cluster.
func cells(s string) int { return ansi.StringWidth(s) }

// wrap breaks spans into lines of at most width cells: at newlines, else at
// spaces, and inside a word only if the word alone is too wide.
func wrap(spans []span, width int) [][]span {
	var lines [][]span
	for _, row := range rows(spans) {
		lines = append(lines, wrapRow(row, max(width, 1))...)
	}
	return lines
}

// rows cuts spans at newlines.
func rows(spans []span) [][]span {
	out := [][]span{nil}
	for _, s := range spans {
		for i, part := range strings.Split(s.text, "\n") {
			if i > 0 {
				out = append(out, nil)
			}
			if part != "" {
				out[len(out)-1] = append(out[len(out)-1], span{part, s.look})
			}
		}
	}
	return out
}

func wrapRow(row []span, width int) [][]span {
	var lines [][]span
	var cur []span
	used := 0
	for _, word := range words(row) {
		w := measure(word)
		gap := 1
		if used == 0 {
			gap = 0
		}
		if used > 0 && used+gap+w > width {
			lines, cur, used, gap = append(lines, cur), nil, 0, 0
		}
		if w > width {
			pieces := chop(word, width)
			lines = append(lines, pieces[:len(pieces)-1]...)
			word = pieces[len(pieces)-1]
			w = measure(word)
		}
		if gap > 0 {
			cur = extend(cur, span{" ", spaceLook(cur, word)})
		}
		for _, s := range word {
			cur = extend(cur, s)
		}
		used += gap + w
	}
	return append(lines, cur)
}

// spaceLook is the look of the space between two words: theirs, if they agree.
func spaceLook(cur, word []span) look {
	if a, b := cur[len(cur)-1].look, word[0].look; a == b {
		return a
	}
	return plain
}

// words cuts a row at white space; a word may have parts of different looks.
func words(row []span) [][]span {
	var out [][]span
	open := false // the last word goes on in the next span
	for _, s := range row {
		if strings.TrimLeft(s.text, " \t") != s.text {
			open = false
		}
		for i, f := range strings.FieldsFunc(s.text, func(r rune) bool { return r == ' ' || r == '\t' }) {
			if i == 0 && open {
				out[len(out)-1] = append(out[len(out)-1], span{f, s.look})
			} else {
				out = append(out, []span{{f, s.look}})
			}
			open = true
		}
		if strings.TrimRight(s.text, " \t") != s.text {
			open = false
		}
	}
	return out
}

// measure is the width of spans side by side. The spans are measured together:
// a combining mark that starts a span belongs to the letter before it.
func measure(spans []span) int {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return cells(b.String())
}

// chop breaks spans into lines of width cells, between graphemes and at no
// other point. A grapheme that is wider than the line is shown as "?".
func chop(spans []span, width int) [][]span {
	width = max(width, 1)
	lines, used := [][]span{nil}, 0
	for _, s := range spans {
		for rest := s.text; rest != ""; {
			g, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if g == "" {
				break
			}
			rest = rest[len(g):]
			if w > width {
				g, w = "?", 1
			}
			if used+w > width {
				lines, used = append(lines, nil), 0
			}
			last := len(lines) - 1
			lines[last], used = extend(lines[last], span{g, s.look}), used+w
		}
	}
	return lines
}

// extend adds s to a line, in one span with what has the same look.
func extend(l []span, s span) []span {
	if n := len(l); n > 0 && l[n-1].look == s.look {
		l[n-1].text += s.text
		return l
	}
	return append(l, s)
}
