package labs

import (
	"fmt"

	"lockdrill/labs/client"
	"lockdrill/labs/lock"
	"lockdrill/labs/store"
	"lockdrill/labs/vendor"
)

// reported puts what a client says into the history, and lets it go on.
func (s *Session) reported(name string, r client.Report) client.Answer {
	if r.Op == client.Hello {
		close(s.up[name])
		return client.Answer{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := client.Answer{Call: r.Call, Grant: r.Grant}
	if r.Op == client.Acquire && r.Outcome == client.OK {
		s.grants++
		answer.Grant, s.granted = s.grants, r.Lease.TTL
	}
	e := s.event(name, r)
	e.Grant = answer.Grant
	if r.Outcome == client.OK && promises(e.Op) {
		l := s.leases[e.Grant]
		l.owner, l.until = r.Lease.Owner, max(l.until, e.Until)
		s.leases[e.Grant] = l
	}
	if r.Outcome == client.Invoke {
		answer.Call = s.invoke(e).Seq
	} else {
		s.history.Append(e)
	}
	if r.Op == client.Ready && r.Outcome == client.OK {
		s.ready[name] = r
		answer.Hold = true
	}
	return answer
}

func (s *Session) event(name string, r client.Report) Event {
	e := Event{
		Process: name, Type: Type(r.Outcome), Op: Op(r.Op), Call: r.Call, Resource: r.Resource, Effect: r.Effect,
		Grant: r.Grant, Token: r.Lease.Token, Version: r.Version, Base: r.Base, Value: r.Value,
		Err: r.Err, Detail: r.Detail, Wire: r.Wire,
	}
	if r.Outcome == client.OK && promises(e.Op) {
		// Counted from the invoke, by the lab's clock: the service cannot have
		// started the lease before that.
		e.Until = s.history.at(r.Call).At + r.Waited + r.Lease.TTL
	}
	return e
}

// invoke appends the start of an operation. One that asks for a lease carries
// the end that the lease would have.
func (s *Session) invoke(e Event) Event {
	e.Type = Invoke
	return s.history.AppendFunc(func(now Event) Event {
		if promises(e.Op) {
			e.Until = now.At + max(s.granted, s.Options.TTL)
		}
		return e
	})
}

func promises(op Op) bool { return op == OpAcquire || op == OpRenew }

// decided puts the store's decision into the history, at the moment it is taken.
func (s *Session) decided(op store.Op, r store.Request, reply store.Reply) {
	e := Event{
		Process: StoreName, Type: OK, Op: Op(op), Call: r.Call, Resource: r.Resource,
		Grant: r.Grant, Token: r.Token, Version: reply.Version, Base: r.Base, Value: r.Value,
		Wire: []lock.Exchange{{Request: reply.SQL, Reply: rows(reply.Rows)}},
	}
	switch op {
	case store.Read:
		e.Value = reply.Value
	case store.Save:
		e.Op = OpWrite
	}
	switch {
	case reply.Stale:
		e.Type, e.Err = Fail, "stale token"
	case reply.Moved:
		e.Type, e.Err = Fail, versionMoved
	case reply.Taken:
		e.Type, e.Err = Fail, "there already"
	}
	s.history.Append(e)
}

// versionMoved is why a store refuses a write whose base is not its version.
const versionMoved = "the version has moved on"

// charged puts a charge into the history, at the moment the vendor decides it.
func (s *Session) charged(c vendor.Charge, reply vendor.Reply) {
	e := Event{Process: VendorName, Type: OK, Op: OpCharge, Call: c.Call, Resource: c.Row, Effect: c.Row, Detail: "money taken, no key"}
	if c.Key != "" {
		e.Detail = "money taken, under " + c.Key
	}
	if reply.Repeated {
		e.Type, e.Detail, e.Err = Fail, "", c.Key+" is known: the first answer again, no money"
	}
	s.history.Append(e)
}

func rows(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
