package labs

import (
	"context"
	"errors"
	"fmt"

	"lockdrill/labs/lock"
)

// errLeaseLost means that a client lost its lease before the story came to the
// point of taking it away, as happens on a very busy machine.
var errLeaseLost = errors.New("lost its lease too early")

// until waits for a condition on the history. Conditions are about what was
// observed, never about how long something takes.
func (s *Session) until(ctx context.Context, a Action) error {
	switch a.Arg {
	case "renewed":
		return s.renewed(ctx, a.Actor)
	case "ready":
		return s.isReady(ctx, a.Actor)
	case "answered":
		return s.answered(ctx, a.Actor)
	case "free":
		return s.free(ctx)
	case "gone":
		return s.gone(ctx, a.Actor)
	case "expired":
		return s.expired(ctx, a.Actor)
	case "wrote":
		return s.wrote(ctx, a.Actor, s.stood(a.Actor))
	case "granted":
		return s.isGranted(ctx, a.Actor)
	case "renumbered":
		return s.renumbered(ctx, a.Actor)
	case "swept":
		return s.swept(ctx)
	case "elected":
		return s.elected(ctx)
	}
	return fmt.Errorf("nothing can be waited for that is called %q", a.Arg)
}

// renewed waits until the client has renewed its lease since the last action.
func (s *Session) renewed(ctx context.Context, name string) error {
	g := s.lease(name)
	if g.Grant == 0 {
		return fmt.Errorf("%s %w: it has none", name, errLeaseLost)
	}
	s.mu.Lock()
	since := s.lastAction
	s.mu.Unlock()
	e, err := s.await(ctx, g.Seq, func(e Event) bool {
		return e.Process == name && e.Op == OpRenew && e.Grant == g.Grant &&
			(e.Type == Fail || (e.Type == OK && e.Seq > since))
	}, name, name+" to renew its lease")
	if err == nil && e.Type == Fail {
		return fmt.Errorf("%s %w: %s", name, errLeaseLost, e.Err)
	}
	return err
}

// lease is the newest grant of a client, or the zero event.
func (s *Session) lease(name string) Event {
	return s.last(func(e Event) bool { return e.Process == name && e.Op == OpAcquire && e.Type == OK })
}

// last is the last event that matches, or the zero event.
func (s *Session) last(match func(Event) bool) Event {
	events := s.history.Events()
	for i := len(events) - 1; i >= 0; i-- {
		if match(events[i]) {
			return events[i]
		}
	}
	return Event{}
}

func (s *Session) isReady(ctx context.Context, name string) error {
	began := s.last(func(e Event) bool { return e.Process == name && e.Op == OpReady && e.Type == Invoke })
	e, err := s.await(ctx, began.Seq, func(e Event) bool {
		return e.Process == name && e.Op == OpReady && e.Type != Invoke
	}, name, name+" to stand before its write")
	if err == nil && e.Type != OK {
		return fmt.Errorf("%s did not get to its write: %s", name, e.Err)
	}
	return err
}

// expired waits until the service was seen to hold the client's newest lease no
// more.
func (s *Session) expired(ctx context.Context, name string) error {
	g := s.lease(name)
	if g.Grant == 0 {
		return fmt.Errorf("%s has no lease that could end", name)
	}
	_, err := s.await(ctx, g.Seq, func(e Event) bool {
		return e.Grant == g.Grant && (e.Op == OpExpire || e.Op == OpVanish)
	}, "", "the end of "+name+"'s lease")
	return err
}

// gone waits until the service was seen to have forgotten the client's lease
// before its promised end. One that ended by itself is a lease lost too early.
func (s *Session) gone(ctx context.Context, name string) error {
	g := s.lease(name)
	if g.Grant == 0 {
		return fmt.Errorf("%s has no lease that could go", name)
	}
	e, err := s.await(ctx, g.Seq, func(e Event) bool {
		return e.Grant == g.Grant && (e.Op == OpExpire || e.Op == OpVanish)
	}, "", name+"'s lease to go")
	if err == nil && e.Op == OpExpire {
		return fmt.Errorf("%s %w: it ran out", name, errLeaseLost)
	}
	return err
}

// answered waits for the outcome of a client's last attempt, whatever it is.
func (s *Session) answered(ctx context.Context, name string) error {
	asked := s.last(func(e Event) bool { return e.Process == name && e.Op == OpAcquire && e.Type == Invoke })
	_, err := s.await(ctx, asked.Seq, func(e Event) bool { return e.Call == asked.Seq && e.Process == name && e.Op == OpAcquire },
		name, "the outcome of "+name+"'s attempt")
	return err
}

// free waits until the service says that nobody holds the lock.
func (s *Session) free(ctx context.Context) error {
	svc, err := lock.Open(s.site.direct())
	if err != nil {
		return err
	}
	defer svc.Close()
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	err = until(ctx, func(ctx context.Context) (bool, error) {
		_, err := svc.Holder(ctx, resource)
		if errors.Is(err, lock.ErrFree) {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("waited for the lock to be free: %w", err)
	}
	s.note("%s says that nobody holds %s", s.site.name(), resource)
	return nil
}

// stood is the Seq from which a client's next write outcome counts.
func (s *Session) stood(name string) int {
	return s.last(func(e Event) bool {
		return e.Process == name && (e.Op == OpReady && e.Type == OK || e.Op == OpWrite && e.Type == Invoke)
	}).Seq
}

// wrote waits for the outcome of a client's write.
func (s *Session) wrote(ctx context.Context, name string, after int) error {
	_, err := s.await(ctx, after, func(e Event) bool {
		return e.Process == name && e.Op == OpWrite && e.Type != Invoke
	}, name, "the outcome of "+name+"'s write")
	return err
}

func (s *Session) elected(ctx context.Context) error {
	cluster, ok := s.site.(*etcdSite)
	if !ok {
		return fmt.Errorf("%s elects no leader", s.site.name())
	}
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	node, err := cluster.elected(ctx)
	if err != nil {
		return fmt.Errorf("waited %s for the members to agree on a leader: %w", s.bound, err)
	}
	s.history.Append(Event{Process: node, Type: OK, Op: OpElect})
	return nil
}
