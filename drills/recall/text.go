package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word, number or sign of an answer. Several tokens can stand for
// one written word ("can't" is can + not); they share its place.
type token struct {
	start, end int    // bytes of the answer
	raw        string // lower case, spelt out
	exact      string // raw with a ^, as patterns ask for it
	lemma      string // what patterns compare
	sentence   int
	clause     int   // counts through the whole answer
	cut        bool  // a comma or the like follows
	negBy      []int // token indices of the negators whose scope this token is in
	stance     stance
}

// rawWord is a piece of the answer before contractions and abbreviations are
// spelt out. A sign is a raw word of its own.
type rawWord struct {
	start, end int
	text       string // lower case
	sign       bool
	breaks     boundary // what ends after this piece
}

// boundary says how strongly the text is cut after a piece.
type boundary int

const (
	joined   boundary = iota
	clauseBr          // comma, colon, dash, bracket, arrow
	sentenceBr
)

// signs that mean something to a pattern; all others only cut.
const signRunes = "<>=+≤≥→⇒!"

// split cuts an answer into words and signs. It never fails: bytes that are not
// UTF-8 are taken as separators.
func split(s string) []rawWord {
	var out []rawWord
	s = unwrap(s)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isWordRune(r):
			w := slashForm(s, rawWord{start: i, end: wordEnd(s, i)})
			out = append(out, w)
			i = w.end
		case strings.ContainsRune(signRunes, r):
			i = appendSign(&out, s, i)
		case r == ':' && i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\n'):
			cutAfter(out, clauseBr)
			out = append(out, rawWord{start: i, end: i + 1, text: ":", sign: true})
			i++
		default:
			cutAfter(out, boundaryAt(s, i, out))
			i += n
		}
	}
	return out
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
}

// wordEnd finds the end of the word that starts at i. An apostrophe inside a
// word belongs to it, as does a point inside a number.
func wordEnd(s string, i int) int {
	numeric := s[i] >= '0' && s[i] <= '9'
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isWordRune(r) {
			next, _ := utf8.DecodeRuneInString(s[i+n:])
			inside := isApostrophe(r) && unicode.IsLetter(next) || numeric && r == '.' && unicode.IsDigit(next)
			if !inside {
				return i
			}
		}
		i += n
	}
	return i
}

// slashForm reads "w/", "w/o" and "b/c", and leaves every other word as it is.
func slashForm(s string, w rawWord) rawWord {
	w.text = fold(s[w.start:w.end])
	rest := s[w.end:]
	switch {
	case w.text == "w" && strings.HasPrefix(rest, "/o "):
		w.text, w.end = "without", w.end+2
	case w.text == "w" && strings.HasPrefix(rest, "/"):
		w.text, w.end = "with", w.end+1
	case w.text == "b" && strings.HasPrefix(rest, "/c "):
		w.text, w.end = "because", w.end+2
	}
	return w
}

func isApostrophe(r rune) bool {
	return r == '\'' || r == '’' || r == '‘' || r == '`' || r == '´' || r == 'ʼ'
}

// fold makes one spelling of case, apostrophes and full-width forms.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case isApostrophe(r):
			return '\''
		case r >= 0xFF01 && r <= 0xFF5E: // full-width ASCII
			r -= 0xFEE0
		case unicode.Is(unicode.Mn, r):
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// appendSign reads a run of sign runes: "->", "<=", "=>", "++".
func appendSign(out *[]rawWord, s string, i int) int {
	end := i
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !strings.ContainsRune(signRunes, r) {
			if s[end] == '-' && end > i { // "<-"
				end++
			}
			break
		}
		end += n
	}
	text := s[i:end]
	if strings.HasPrefix(text, ">") && i > 0 && s[i-1] == '-' {
		text = "->"
	}
	switch {
	case strings.Trim(text, "!") == "":
		cutAfter(*out, sentenceBr)
		return end
	case text == "=>" || text == "->" || text == "→" || text == "⇒":
		cutAfter(*out, clauseBr)
		text = "->"
	}
	*out = append(*out, rawWord{start: i, end: end, text: text, sign: true})
	return end
}

func cutAfter(out []rawWord, b boundary) {
	if n := len(out); n > 0 && out[n-1].breaks < b {
		out[n-1].breaks = b
	}
}

// boundaryAt says what the separator at i cuts.
func boundaryAt(s string, i int, before []rawWord) boundary {
	switch s[i] {
	case '\n', '\r':
		return sentenceBr
	case ';':
		return sentenceBr
	case '?':
		return questionBoundary(s, i)
	case '.':
		return pointBoundary(s, i, before)
	case ',', ':', '(', ')', '[', ']':
		return spacedBoundary(s, i)
	case '-':
		if i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '-') && i > 0 && s[i-1] == ' ' {
			return clauseBr
		}
		return joined
	}
	switch r, _ := utf8.DecodeRuneInString(s[i:]); r {
	case '。', '？', '！', '•', '…':
		return sentenceBr
	case '—', '–', '，', '；', '：':
		return clauseBr
	}
	return joined
}

// spacedBoundary keeps "job:44", "lock:global" and "f(x)" in one clause.
func spacedBoundary(s string, i int) boundary {
	if i+1 < len(s) && s[i] == ':' && isWordRune(rune(s[i+1])) {
		return joined
	}
	return clauseBr
}

// pointBoundary tells the end of a sentence from "e.g.", "last.n" and "…".
func pointBoundary(s string, i int, before []rawWord) boundary {
	if i+1 < len(s) && !unicode.IsSpace(rune(s[i+1])) && s[i+1] != '"' && s[i+1] != ')' && s[i+1] < utf8.RuneSelf {
		if s[i+1] == '.' {
			return clauseBr
		}
		return joined
	}
	if n := len(before); n > 0 && before[n-1].end == i && shortForms[before[n-1].text] {
		return joined
	}
	if i > 0 && s[i-1] == '.' {
		return clauseBr
	}
	return sentenceBr
}

// questionBoundary keeps a quoted question inside the sentence that quotes it:
// asking "do I still have it?" before each write.
func questionBoundary(s string, i int) boundary {
	rest := strings.TrimLeft(s[i+1:], "\"'”’")
	if len(rest) < len(s[i+1:]) && strings.HasPrefix(rest, " ") && unicode.IsLower(firstRune(rest[1:])) {
		return clauseBr
	}
	return sentenceBr
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// shortForms may end in a point without ending the sentence.
var shortForms = map[string]bool{
	"e": true, "g": true, "i": true, "eg": true, "ie": true, "etc": true, "vs": true, "approx": true,
	"idemp": true, "incl": true, "resp": true, "max": true, "min": true, "cf": true, "dr": true, "mr": true,
}
