package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unwrap writes a space for each line break that only wraps the text, and leaves
// those that end a thought: before an empty line or a list item, and between the
// lines of a list without marks. Every byte keeps its place.
func unwrap(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	out := []byte(strings.ReplaceAll(s, "\r\n", " \n"))
	for i, b := range out {
		if b == '\r' {
			out[i] = '\n'
		}
	}
	for _, p := range paragraphs(string(out)) {
		p.join(out)
	}
	return string(out)
}

// line is one line of an answer, without the spaces round it.
type line struct {
	text string
	end  int // byte of the answer at which it is broken
}

// paragraph is a run of lines that may be one wrapped text.
type paragraph []line

// paragraphs cuts a text at empty lines and before list items.
func paragraphs(s string) []paragraph {
	var out []paragraph
	at, fresh := 0, true
	items := listItems(s)
	for text := range strings.SplitSeq(s, "\n") {
		l := line{strings.TrimSpace(text), at + len(text)}
		at = l.end + 1
		if l.text == "" {
			fresh = true
			continue
		}
		if fresh || items && isItem(l.text) {
			out = append(out, nil)
		}
		fresh = false
		out[len(out)-1] = append(out[len(out)-1], l)
	}
	return out
}

// listItems reports whether a text holds a list. One line that starts with a dash
// may as well be a sentence that was wrapped there, unless it opens the text or
// what stands before it is closed.
func listItems(s string) bool {
	items, closed := 0, true
	for text := range strings.SplitSeq(s, "\n") {
		text = strings.TrimSpace(text)
		if isItem(text) {
			items++
			if closed {
				return true
			}
		}
		closed = text == "" || strings.ContainsRune(".?!;:", rune(text[len(text)-1]))
	}
	return items > 1
}

// isItem reports whether a line starts with the mark of a list item: a bullet, a
// quote, "2." or "2)".
func isItem(line string) bool {
	digits := strings.TrimLeft(line, "0123456789")
	if len(digits) < len(line) {
		return strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")
	}
	r, n := utf8.DecodeRuneInString(line)
	return n > 0 && strings.ContainsRune("-*•–>#", r) && !strings.HasPrefix(line, "->") && !strings.HasPrefix(line, ">=")
}

// join writes spaces for the breaks of a paragraph that is wrapped, and for those
// at which no thought can end.
func (p paragraph) join(out []byte) {
	wrapped := p.wrapped()
	for i := range len(p) - 1 {
		if wrapped || dangling[lastWord(p[i].text)] {
			out[p[i].end] = ' '
		}
	}
}

// narrowest is the width from which on text is wrapped; narrower lines are written
// as lines.
const narrowest = 28

// wrapped reports whether the lines of a paragraph were filled up to one width: at
// no break had the next word still fitted. Breaks at the end of a sentence do not
// tell.
func (p paragraph) wrapped() bool {
	width := 0
	for _, l := range p {
		width = max(width, utf8.RuneCountInString(l.text))
	}
	if width < narrowest {
		return false
	}
	for i := range len(p) - 1 {
		first, _, _ := strings.Cut(p[i+1].text, " ")
		filled := utf8.RuneCountInString(p[i].text) + 1 + utf8.RuneCountInString(first)
		if !endsSentence(p[i].text) && (filled < width || opensAnew(first)) {
			return false
		}
	}
	return true
}

func endsSentence(line string) bool {
	return strings.ContainsRune(".?!;…", lastRune(strings.TrimRight(line, "\"'”’)")))
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// opensAnew tells a capital that opens a sentence from that of a name.
func opensAnew(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) && openers[strings.ToLower(word)]
}

var openers = setOf("the", "it", "each", "every", "when", "if", "they", "this", "that", "then", "so", "but", "and", "an",
	"no", "you", "we", "use", "without", "with", "after", "once", "only")

func lastWord(line string) string {
	return strings.ToLower(line[strings.LastIndexAny(line, " \t")+1:])
}

// dangling words end no thought.
var dangling = setOf("the", "a", "an", "and", "or", "of", "to", "with", "its", "their", "than", "which", "because", "whose",
	"by", "from", "into", "every", "each")
