package drills

import (
	"strings"
	"testing"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// The letters in the answer are those under which the options were shown.
func TestAnswerNamesTheLettersShown(t *testing.T) {
	for reps := range 8 {
		memory := progress.Memory{Reps: reps}
		choice := Card{Memory: memory, Card: deck.Card{ID: "a", Kind: deck.Choice, Back: "yes",
			Option: []deck.Option{{Text: "no"}, {Text: "yes", Right: true}, {Text: "never"}}}}
		if !strings.Contains(choice.Question(), choice.Answer()) {
			t.Errorf("reps %d: no %q in %q", reps, choice.Answer(), choice.Question())
		}
		order := Card{Memory: memory, Card: deck.Card{ID: "b", Kind: deck.Order, Lines: []string{"one", "two", "three"}}}
		letters, _, _ := strings.Cut(strings.TrimPrefix(order.Answer(), "In order: "), "\n")
		for i, letter := range strings.Split(letters, ", ") {
			if want := letter + ") " + order.Lines[i]; !strings.Contains(order.Question(), want) {
				t.Errorf("reps %d: no %q in %q", reps, want, order.Question())
			}
		}
	}
	if got := (Card{Card: deck.Card{Kind: deck.QA, Back: "so"}}).Answer(); got != "so" {
		t.Errorf("a card without options is answered %q", got)
	}
}
