package main

import (
	"strings"
	"testing"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// The letters in the answer are those under which the options were shown.
func TestRightLetters(t *testing.T) {
	for reps := range 8 {
		memory := progress.Memory{Reps: reps}
		choice := drills.Card{Memory: memory, Card: deck.Card{ID: "a", Kind: deck.Choice,
			Option: []deck.Option{{Text: "no"}, {Text: "yes", Right: true}, {Text: "never"}}}}
		if want := rightLetters(choice) + ") yes"; !strings.Contains(choice.Prompt(shuffleOf(choice)), want) {
			t.Errorf("reps %d: no %q in %q", reps, want, choice.Prompt(shuffleOf(choice)))
		}
		order := drills.Card{Memory: memory, Card: deck.Card{ID: "b", Kind: deck.Order, Lines: []string{"one", "two", "three"}}}
		for i, letter := range strings.Split(rightLetters(order), ", ") {
			if want := letter + ") " + order.Lines[i]; !strings.Contains(order.Prompt(shuffleOf(order)), want) {
				t.Errorf("reps %d: no %q in %q", reps, want, order.Prompt(shuffleOf(order)))
			}
		}
	}
	if got := rightLetters(drills.Card{Card: deck.Card{Kind: deck.QA}}); got != "" {
		t.Errorf("a card without options has %q", got)
	}
}
