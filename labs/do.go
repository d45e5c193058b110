package labs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockdrill/labs/client"
	"lockdrill/labs/server"
)

// Do carries out one action. A client's own operation is done when its outcome
// is in the history, or at once if the client is stopped: it will act when it
// wakes. That an operation failed is no error of Do; the history tells.
func (s *Session) Do(ctx context.Context, a Action) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch a.Verb {
	case verbUntil:
		return s.until(ctx, a)
	case verbRun:
		return s.runStory(ctx)
	}
	if why := s.impossible(a); why != nil {
		return why
	}
	s.mu.Lock()
	s.lastAction = len(s.history.Events())
	s.mu.Unlock()
	if p, ok := s.clients[a.Actor]; ok {
		return s.doClient(ctx, p, a)
	}
	return s.doService(ctx, a)
}

// impossible says why an action makes no sense now, or nil.
func (s *Session) impossible(a Action) error {
	if a.Verb == verbRun {
		return s.canRun()
	}
	if s.plan.bare {
		return fmt.Errorf("lab %s is run as a whole: there is no client and no server to act on", s.Lab.Name)
	}
	_, isClient := s.clients[a.Actor]
	switch f := verbs[a.Verb]; {
	case (a.Verb == "stall" || a.Verb == "answer" || a.Verb == "charge") && s.vendor == nil:
		return fmt.Errorf("lab %s has no vendor", s.Lab.Name)
	case (f == formClient || f == formClientValue) && !isClient:
		return fmt.Errorf("no client is called %q; there is %v", a.Actor, s.plan.clientNames())
	case isClient && s.isDead(a.Actor):
		return fmt.Errorf("%s is dead", a.Actor)
	case a.Verb == "pause" && s.isAsleep(a.Actor):
		return fmt.Errorf("%s is stopped already", a.Actor)
	case a.Verb == "resume" && !s.isAsleep(a.Actor):
		return fmt.Errorf("%s is not stopped", a.Actor)
	}
	return nil
}

func (s *Session) isAsleep(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asleep[name]
}

// isDead says whether the lab killed a client. One that died by itself says so
// when it is spoken to.
func (s *Session) isDead(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.killed[name]
}

// kill ends a client, stopped or not.
func (s *Session) kill(p *client.Process, name string) {
	s.mu.Lock()
	s.killed[name], s.asleep[name] = true, false
	s.mu.Unlock()
	s.history.Append(Event{Process: name, Type: OK, Op: OpKill})
	p.Kill()
}

func (s *Session) doClient(ctx context.Context, p *client.Process, a Action) error {
	switch a.Verb {
	case "pause":
		return s.pause(p, a.Actor)
	case "resume":
		return s.resume(p, a.Actor)
	case "kill":
		s.kill(p, a.Actor)
		return nil
	case "cut", "mend":
		return s.cut(a)
	case "queue":
		return s.queue(ctx, p, a)
	case "peek":
		return s.peek(ctx, a)
	case "write":
		after := len(s.history.Events())
		if s.goOn(p, a.Actor) { // it stood before its write
			return s.wrote(ctx, a.Actor, after)
		}
	}
	return s.command(ctx, p, a)
}

// pause stops the process first and lets it go on after that: whatever it waits
// to be told lies in its pipe until it wakes.
func (s *Session) pause(p *client.Process, name string) error {
	if err := p.Stop(); err != nil {
		return err
	}
	s.mu.Lock()
	s.asleep[name] = true
	s.mu.Unlock()
	s.history.Append(Event{Process: name, Type: OK, Op: OpPause, Detail: "SIGSTOP, seen stopped"})
	s.goOn(p, name)
	return nil
}

func (s *Session) resume(p *client.Process, name string) error {
	s.mu.Lock()
	s.asleep[name] = false
	s.mu.Unlock()
	s.history.Append(Event{Process: name, Type: OK, Op: OpResume, Detail: "SIGCONT"})
	return p.Continue()
}

// goOn acknowledges a client that stands before its write.
func (s *Session) goOn(p *client.Process, name string) bool {
	s.mu.Lock()
	r, ok := s.ready[name]
	delete(s.ready, name)
	s.mu.Unlock()
	return ok && p.Acknowledge(r, client.Answer{}) == nil
}

func (s *Session) cut(a Action) error {
	op, f := OpCut, (*server.Link).Cut
	if a.Verb == "mend" {
		op, f = OpMend, (*server.Link).Mend
	}
	for _, k := range s.site.of(a.Actor) {
		f(k)
	}
	s.history.Append(Event{Process: a.Actor, Type: OK, Op: op, Detail: "between it and the lock service; the store stays in reach"})
	return nil
}

func (s *Session) doService(ctx context.Context, a Action) error {
	switch a.Verb {
	case "fence", "unfence":
		s.store.SetFenced(a.Verb == "fence")
		s.history.Append(Event{Process: StoreName, Type: OK, Op: Op(a.Verb)})
		return nil
	case "stall":
		s.vendor.Stall()
		s.history.Append(Event{Process: VendorName, Type: OK, Op: OpStall})
		return nil
	case "answer":
		s.vendor.Answer()
		s.history.Append(Event{Process: VendorName, Type: OK, Op: OpAnswer})
		return nil
	case "hang":
		s.store.Hang()
		s.history.Append(Event{Process: StoreName, Type: OK, Op: OpHang})
		return nil
	}
	node, err := s.site.operate(ctx, a)
	if err != nil {
		return err
	}
	s.history.Append(Event{Process: node, Type: OK, Op: Op(a.Verb), Detail: a.Arg})
	return nil
}

// await returns the first event after the given Seq that matches, or says what
// was awaited in vain. The end of the client named ends the wait.
func (s *Session) await(ctx context.Context, after int, match func(Event) bool, of, what string) (Event, error) {
	ctx, cancel := context.WithTimeout(ctx, s.bound)
	defer cancel()
	for i := after; ; i++ {
		e, err := s.history.Next(ctx, i)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return Event{}, fmt.Errorf("waited %s for %s", s.bound.Round(time.Millisecond), what)
		case err != nil:
			return Event{}, fmt.Errorf("while waiting for %s: %w", what, err)
		case match(e):
			return e, nil
		case e.Process == of && (e.Op == OpExit || e.Op == OpKill):
			return Event{}, fmt.Errorf("%s ended while the lab waited for %s: %s", of, what, e.Err)
		}
	}
}
