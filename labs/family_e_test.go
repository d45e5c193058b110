package labs

import (
	"context"
	"errors"
	"testing"
	"time"
)

// E5: the worker of A is gone for good, its process and renewal are not. The
// lease is renewed for nobody, and everybody else is refused. Only the end of
// the process, which ends the renewal, lets B in.
func TestE5TheLeaseOutlivesTheWorker(t *testing.T) {
	for _, service := range []string{"redis", "etcd"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			for range againAtMost {
				if deadWorker(t, service) {
					return
				}
			}
			t.Error("A lost its lease too early every time")
		})
	}
}

// deadWorker plays E5. It is false if a busy machine took A's lease before the
// story did, which says nothing.
func deadWorker(t *testing.T, service string) (played bool) {
	t.Helper()
	s := start(t, "pause", Options{Service: service, TTL: 400 * time.Millisecond})
	// Acquiring and standing before a write that never comes: all that is left
	// of the worker is its lease.
	do(t, s, "acquire A", "work A 100", "until ready A")
	for range 2 {
		err := s.Do(context.Background(), Action{Verb: verbUntil, Arg: "renewed", Actor: "A"})
		if errors.Is(err, errLeaseLost) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		do(t, s, "acquire B")
		if s.lease("B").Grant != 0 {
			return false
		}
	}
	do(t, s, "kill A", "until expired A", "wait B")
	a, b := s.lease("A"), s.lease("B")
	v := s.Result().Verdict
	if b.Grant == 0 || v.Check("one-grant").Verdict != Held || v.LateWrite != "none" {
		t.Errorf("B's grant is %d, one-grant %s, late write %s", b.Grant, v.Check("one-grant").Verdict, v.LateWrite)
		logEvents(t, s.History().Events())
	}
	if first := a.Until; b.At < first {
		t.Errorf("B came in at %s, before the first end of A's lease at %s", b.At, first)
	}
	return true
}
