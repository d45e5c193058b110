package labs

import (
	"context"
	"errors"
	"slices"
	"time"

	"lockdrill/labs/guard"
	"lockdrill/labs/lock"
)

// lookEvery is how often the lab asks the service whose lease it honours, while
// there is one. The end of a lease is stamped at most that much late.
const lookEvery = 5 * time.Millisecond

// lookWithin bounds one look.
const lookWithin = time.Second

// startObserver watches the lock service for leases that end. It uses a
// connection of the lab's own, which no action cuts.
func (s *Session) startObserver() error {
	o := &observer{s: s}
	if err := o.reach(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.watch = cancel
	s.watched.Go(guard.Func(func() { o.run(ctx) }))
	return nil
}

// observer compares what the service says with what it granted.
type observer struct {
	s    *Session
	svc  lock.Service
	at   []string // the endpoints in use
	read int      // events read so far
	live []Event  // granted acquires not yet seen to end
}

// reach (re)opens the connection: after a promotion the service is elsewhere.
func (o *observer) reach() error {
	cfg := o.s.site.direct()
	if o.svc != nil && slices.Equal(cfg.Endpoints, o.at) {
		return nil
	}
	svc, err := lock.Open(cfg)
	if err != nil {
		return err
	}
	if o.svc != nil {
		_ = o.svc.Close() // the old server is dead
	}
	o.svc, o.at = svc, cfg.Endpoints
	return nil
}

func (o *observer) run(ctx context.Context) {
	defer func() { _ = o.svc.Close() }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		o.catchUp()
		if len(o.live) == 0 {
			if _, err := o.s.history.Next(ctx, o.read); err != nil {
				return
			}
			continue
		}
		o.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// catchUp reads new events: grants begin to be watched, and one that its holder
// gives up is watched no longer.
func (o *observer) catchUp() {
	events := o.s.history.Events()
	for ; o.read < len(events); o.read++ {
		switch e := events[o.read]; {
		case e.Op == OpAcquire && e.Type == OK:
			o.live = append(o.live, e)
		case e.Op == OpRelease && e.Type == OK:
			o.forget(e.Grant)
		}
	}
}

func (o *observer) forget(grant int) {
	for i, e := range o.live {
		if e.Grant == grant {
			o.live = append(o.live[:i:i], o.live[i+1:]...)
			return
		}
	}
}

// look asks the service once, and logs the leases that it honours no more.
func (o *observer) look(ctx context.Context) {
	if o.reach() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	owner, err := o.svc.Holder(ctx, resource)
	if err != nil && !errors.Is(err, lock.ErrFree) {
		return // no answer says nothing about the lease
	}
	for _, e := range o.live {
		if o.s.leaseState(e.Grant).owner != owner {
			o.ended(e)
			o.forget(e.Grant)
		}
	}
}

// ended logs the end of a lease: in its time, or before.
func (o *observer) ended(e Event) {
	l := o.s.leaseState(e.Grant)
	if l.given {
		return
	}
	o.s.history.AppendFunc(func(now Event) Event {
		op := OpExpire
		if now.At < l.until {
			op = OpVanish
		}
		return Event{Process: o.s.site.name(), Type: OK, Op: op, Resource: e.Resource, Grant: e.Grant, Token: e.Token}
	})
}

// leaseState is what the lab knows of one grant.
type leaseState struct {
	owner string        // as the service spells it
	until time.Duration // the latest end promised
	given bool          // its holder has begun to give it up
}

func (s *Session) leaseState(grant int) leaseState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leases[grant]
}
