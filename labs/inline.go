package labs

import (
	"context"
	"errors"
	"fmt"

	"lockdrill/labs/client"
	"lockdrill/labs/lock"
)

// queuer is a lock service whose clients stand in line.
type queuer interface {
	// InLine is how many hold or wait for the resource.
	InLine(ctx context.Context, resource string) (int, error)
}

// queue lets a client begin to wait for the lock, and returns when it was seen to
// stand in line. Its outcome is what until granted waits for.
func (s *Session) queue(ctx context.Context, p *client.Process, a Action) error {
	svc, err := lock.Open(s.site.direct())
	if err != nil {
		return err
	}
	defer svc.Close()
	line, ok := svc.(queuer)
	if !ok {
		return fmt.Errorf("nobody stands in line for a lock of %s: its clients ask again and again", s.Options.Service)
	}
	before, err := line.InLine(ctx, resource)
	if err != nil {
		return err
	}
	e := s.begin(Action{Verb: string(client.Wait), Actor: a.Actor}, order{op: OpAcquire, resource: resource})
	if err := p.Send(client.Command{Op: client.Wait, Call: e.Seq, Resource: resource}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	err = until(ctx, func(ctx context.Context) (bool, error) {
		n, err := line.InLine(ctx, resource)
		return n > before, err
	})
	if err != nil {
		return fmt.Errorf("while waiting for %s to stand in line: %w", a.Actor, err)
	}
	s.history.Append(Event{Process: a.Actor, Type: OK, Op: OpQueue, Resource: resource})
	return nil
}

// isGranted waits until the client has got what it waits for.
func (s *Session) isGranted(ctx context.Context, name string) error {
	asked := s.last(func(e Event) bool { return e.Process == name && e.Op == OpAcquire && e.Type == Invoke })
	e, err := s.await(ctx, asked.Seq, func(e Event) bool { return e.Call == asked.Seq && e.Process == name && e.Op == OpAcquire },
		name, name+" to be granted the lock")
	if err == nil && e.Type != OK {
		return fmt.Errorf("%s was not granted the lock: %s", name, e.Err)
	}
	return err
}

// renumbered waits until the client has renewed its lease, from here on, and
// holds another number than the one that it was granted.
func (s *Session) renumbered(ctx context.Context, name string) error {
	g, from := s.lease(name), len(s.history.Events())
	if g.Grant == 0 {
		return fmt.Errorf("%s %w: it has none", name, errLeaseLost)
	}
	e, err := s.await(ctx, from, func(e Event) bool {
		return e.Process == name && e.Op == OpRenew && e.Grant == g.Grant &&
			(e.Type == Fail || (e.Type == OK && e.Call > from && e.Token != g.Token))
	}, name, name+"'s number to change")
	if err == nil && e.Type == Fail {
		return fmt.Errorf("%s %w: %s", name, errLeaseLost, e.Err)
	}
	if err != nil {
		return err
	}
	_, err = s.await(ctx, g.Seq, func(shown Event) bool {
		return shown.Process == name && shown.Op == OpClaim && shown.Type != Invoke && shown.Token == e.Token
	}, name, name+" to show its new number to the store")
	return err
}

// swept waits until ZooKeeper has removed the emptied parent of the lock nodes.
func (s *Session) swept(ctx context.Context) error {
	z, ok := s.site.(*zkSite)
	if !ok {
		return errors.New("only ZooKeeper, started by the lab, removes emptied parents within a lab's time")
	}
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	err := until(ctx, func(ctx context.Context) (bool, error) { return lock.Swept(ctx, z.direct(), resource) })
	if err != nil {
		return fmt.Errorf("while waiting for ZooKeeper to remove the emptied parent: %w", err)
	}
	s.history.Append(Event{Process: z.name(), Type: OK, Op: OpSweep})
	return nil
}
