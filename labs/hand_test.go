package labs

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestAStoppedClientIsToldForLater: what a stopped client is told to do is told
// apart from what it does, on its key and in the history.
func TestAStoppedClientIsToldForLater(t *testing.T) {
	t.Parallel()
	s := start(t, "pause", Options{TTL: time.Minute})
	do(t, s, "acquire A", "pause A", "write A 100")
	if got := labelOf(s, "w"); got != "A writes when it wakes" {
		t.Errorf("while A is stopped, w is called %q", got)
	}
	e := s.last(func(e Event) bool { return e.Process == "A" && e.Op == OpWrite })
	if got := Explain(e); got != "is told to write 100; it is stopped and will do it when it wakes" {
		t.Errorf("explained as %q", got)
	}
	do(t, s, "resume A")
	if got := labelOf(s, "w"); got != "A writes" {
		t.Errorf("once A runs, w is called %q", got)
	}
}

func labelOf(s *Session, key string) string {
	for _, c := range s.Controls() {
		if c.Key == key {
			return c.Label
		}
	}
	return ""
}

// TestAClientThatKnowsDoesNotWrite: by hand, a running client that was told that
// its lease is gone is not made to write; a scenario still can.
func TestAClientThatKnowsDoesNotWrite(t *testing.T) {
	t.Parallel()
	s := start(t, "pause", Options{})
	do(t, s, "acquire A", "pause A", "until expired A", "acquire B", "resume A")
	_, err := s.await(context.Background(), 0, func(e Event) bool {
		return e.Process == "A" && e.Op == OpRenew && e.Type == Fail
	}, "A", "A to be told")
	if err != nil {
		t.Fatal(err)
	}
	write, err := ParseAction("write A 100")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Possible(write); err == nil || !strings.Contains(err.Error(), "A knows that its lease is gone: it was told at ") {
		t.Errorf("A may write: %v", err)
	}
	do(t, s, "pause A")
	if err := s.Possible(write); err != nil {
		t.Errorf("a stopped client may be told to write, but: %v", err)
	}
	do(t, s, "resume A", "write A 100")
	if got := s.Result().Verdict.LateWrite; got != "landed" {
		t.Errorf("the scenario's write is %s", got)
	}
}

func TestOtherWordsForVerbs(t *testing.T) {
	for word, verb := range synonyms {
		if _, ok := verbs[verb]; !ok {
			t.Errorf("%s leads to %s, which is no verb", word, verb)
		}
		if _, ok := verbs[word]; ok {
			t.Errorf("%s is a verb itself", word)
		}
		_, err := ParseAction(word + " A")
		if want := "did you mean \"" + verb + "\"?"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s A: %v, want %s", word, err, want)
		}
	}
}
