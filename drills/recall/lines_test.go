package recall

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUnwrap(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"wrapped", "the lock is a lease and the store\nrefuses a lower token", "the lock is a lease and the store refuses a lower token"},
		{"terse lines", "lease with ttl\ntoken rises\nstore compares", ""},
		{"uneven lines", "a lease that ends by itself after a while\ntoken rises\nthe store compares it and refuses", ""},
		{"sentences", "The lock is a lease that ends\nThe store refuses a lower token", ""},
		{"bullets", "- the lock is a lease that ends by itself\n- the store refuses a lower token", ""},
		{"numbers", "1. the lock is a lease that ends by itself\n2. the store refuses a lower token", ""},
		{"wrapped bullet", "- the lock is a lease which ends after a\n  while\n- the store refuses", "- the lock is a lease which ends after a   while\n- the store refuses"},
		{"a dash", "the store compares the number with its own\n- and refuses a lower one", "the store compares the number with its own - and refuses a lower one"},
		{"empty line", "the lock is a lease that ends by itself\n\nthe store refuses", ""},
		{"dangling", "it expires and the\nstore refuses", "it expires and the store refuses"},
		{"carriage return", "the lock is a lease and the store\r\nrefuses a lower token", "the lock is a lease and the store  refuses a lower token"},
	} {
		if c.want == "" {
			c.want = c.text
		}
		if got := unwrap(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLineBreakInsideASentence(t *testing.T) {
	checkSaid(t, []said{
		{1, "the lock is a lease and the store\nrefuses a lower token\n", []int{1, 3}, []int{2, 4}, nil},
		{1, "lease with ttl\ntoken only goes up\nlock service issues it\nstore refuses lower ones", []int{1, 2, 3, 4}, nil, nil},
		{2, "gc pause\nlease expires, b acquires\na thinks it still holds the lock\nboth write", []int{1, 2, 3, 4}, nil, nil},
	})
}

// Where an answer is wrapped does not change what it earns.
func TestWrappingChangesNothing(t *testing.T) {
	for _, e := range readExamples(t, "shared.jsonl") {
		if strings.Contains(e.Answer, "\n") {
			continue // lines of its own
		}
		ideas, wrong := mark(t, e)
		want := fmt.Sprint(ideas, wrong)
		for _, width := range []int{40, 60, 72} {
			for _, end := range []string{"\n", " \n", "\r\n"} {
				folded := e
				folded.Answer = wrap(e.Answer, width, end)
				gotIdeas, gotWrong := mark(t, folded)
				if got := fmt.Sprint(gotIdeas, gotWrong); got != want {
					t.Errorf("%s at %d columns: %s, want %s in %q", e.ID, width, got, want, folded.Answer)
				}
			}
		}
	}
}

// wrap breaks a text before the word that would not fit a line of width columns.
func wrap(text string, width int, end string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteString(end)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
