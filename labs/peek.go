package labs

import (
	"context"
	"fmt"
	"time"

	"lockdrill/labs/lock"
)

const flagIsolate = "isolate-leader"

// peekWithin is how long a member may take to answer. One that has lost its
// majority never does.
const peekWithin = 500 * time.Millisecond

// peeker is a service that can be asked what its members know by themselves.
type peeker interface {
	Peek(ctx context.Context, resource string, within time.Duration) (lock.Answers, error)
}

// peek asks the members that a client reaches what they know of the lock.
func (s *Session) peek(ctx context.Context, a Action) error {
	cfg := s.site.direct()
	cfg.Endpoints = nil
	for _, k := range s.site.of(a.Actor) {
		cfg.Endpoints = append(cfg.Endpoints, k.Addr())
	}
	svc, err := lock.Open(cfg)
	if err != nil {
		return err
	}
	defer svc.Close()
	p, ok := svc.(peeker)
	if !ok {
		return fmt.Errorf("%s has no members that could be asked one by one", s.Options.Service)
	}
	got, err := p.Peek(ctx, resource, peekWithin)
	if err != nil {
		return err
	}
	s.history.Append(Event{Process: a.Actor, Type: OK, Op: OpPeek, Resource: resource, Detail: fmt.Sprintf(
		"asks its member: a serializable read says that %s; a linearizable one %s; a grant %s",
		s.nameOf(got.Owner), answered(got.Linearizable), answered(got.Grant))})
	return nil
}

func answered(err error) string {
	if err != nil {
		return "gets no answer"
	}
	return "is answered"
}

// nameOf is who holds the lock, by the owner as the service spells it.
func (s *Session) nameOf(owner string) string {
	if owner == "" {
		return "nobody holds it"
	}
	s.mu.Lock()
	grant := 0
	for n, l := range s.leases {
		if l.owner == owner {
			grant = n
		}
	}
	s.mu.Unlock()
	holder := s.last(func(e Event) bool { return e.Op == OpAcquire && e.Type == OK && e.Grant == grant && grant > 0 })
	if holder.Process == "" {
		return "somebody else holds it"
	}
	return holder.Process + " holds it"
}

// sayIsolated explains a run in which the leader was cut off.
func sayIsolated(r Result) (Lesson, bool) {
	l := Lesson{
		Why:  "A grant, a renewal and a linearizable read need a majority, which the old leader had lost. A serializable read asks nobody: it showed A as the holder.",
		Room: "In a partition the minority stops granting. That keeps the lock safe, and tells the old holder nothing.",
	}
	switch {
	case !r.Options.has(flagIsolate):
		return Lesson{}, false
	case r.Verdict.LateWrite == "fenced":
		l.What = "The majority elected another leader and granted B. A, on the old leader's side, wrote all the same and was refused by the store."
	case r.Verdict.LateWrite == "landed":
		l.What = "The majority elected another leader and granted B. A, on the old leader's side, wrote all the same, and it landed."
	default:
		return Lesson{}, false
	}
	return l, true
}
