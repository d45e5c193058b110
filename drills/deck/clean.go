package deck

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes text from outside safe to show on a terminal: control
// characters, and so every escape sequence, bidirectional overrides and
// isolates, line separators and bytes that are not UTF-8 become placeholders
// one can see. Tabs and newlines stay. Cleaning twice changes nothing more.
//
// It is the one place where this is done: whatever comes from a deck, a file
// name, a worker or an error goes through here before it is shown.
func Clean(s string) string {
	if !dirty(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(visible(r, s[i:i+n]))
		i += n
	}
	return b.String()
}

// CleanLine is Clean for what must stay on one line: a name, a topic, a file
// name in an error. Tabs and newlines become placeholders too.
func CleanLine(s string) string {
	return strings.NewReplacer("\n", "␊", "\t", "␉").Replace(Clean(s))
}

func dirty(s string) bool {
	for i, r := range s {
		if hidden(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return true
		}
	}
	return false
}

// hidden reports whether r can move the cursor, start an escape sequence,
// break a line or turn the direction of the text round.
func hidden(r rune) bool {
	switch {
	case r == '\t' || r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0xfeff
}

// visible returns raw, the bytes of r, or the placeholder that stands for
// them. The control pictures keep an escape recognisable: ␛[2J.
func visible(r rune, raw string) string {
	switch {
	case r == utf8.RuneError && raw != "\uFFFD":
		return fmt.Sprintf("<0x%02X>", raw[0])
	case !hidden(r):
		return raw
	case r < 0x20:
		return string(0x2400 + r)
	case r == 0x7f:
		return "␡"
	}
	return fmt.Sprintf("<U+%04X>", r)
}
