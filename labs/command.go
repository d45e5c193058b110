package labs

import (
	"context"

	"lockdrill/labs/client"
)

// order is an action as a client is told it, and as it is logged.
type order struct {
	op       Op
	resource string
	value    string
	effect   string
	key      string // idempotency key; "" = none
}

// enter is an acquire that stops before its client makes up its mind.
const enter client.Op = "enter"

// invoiceOf is the row that a charge is for, which is also its effect: what may
// happen once.
func invoiceOf(n string) string { return "invoice:" + n }

func (s *Session) orderOf(a Action) order {
	o := order{op: Op(a.Verb), resource: resource, value: a.Arg}
	switch client.Op(a.Verb) {
	case client.Wait, enter:
		o.op = OpAcquire
	case client.Work:
		o.op = OpReady
	case client.Save:
		o.op = OpWrite
	case client.Check:
		o.op, o.resource, o.value = OpRead, invoiceOf(a.Arg), ""
	case client.Mark:
		o.op, o.resource, o.value = OpWrite, invoiceOf(a.Arg), "paid"
	case client.Intend:
		o.resource, o.value = "intent:"+invoiceOf(a.Arg), a.Actor
	case client.Charge:
		o.resource, o.value, o.effect = invoiceOf(a.Arg), "", invoiceOf(a.Arg)
		if s.plan.keys {
			o.key = "key-of-" + o.effect // of the business operation, the same at every try
		}
	}
	return o
}

// command sends a client something to do and waits for the outcome: of a charge
// whose vendor holds back its answers, until the vendor has decided.
func (s *Session) command(ctx context.Context, p *client.Process, a Action) error {
	o := s.orderOf(a)
	e := s.begin(a, o)
	cmd := client.Command{Op: client.Op(a.Verb), Call: e.Seq, Resource: o.resource, Value: o.value, Key: o.key,
		CheckClock: s.Options.has(flagCheckClock)}
	if cmd.Op == enter {
		cmd.Op, cmd.Stand = client.Acquire, true
	}
	if err := p.Send(cmd); err != nil {
		return err
	}
	if s.isAsleep(a.Actor) {
		return nil
	}
	by := a.Actor
	if o.op == OpCharge && s.vendor.Stalled() {
		by = VendorName
	}
	_, err := s.await(ctx, e.Seq, func(got Event) bool {
		stands := cmd.Stand && got.Process == by && got.Op == OpReady
		return stands || (got.Call == e.Seq && got.Process == by)
	},
		a.Actor, "the outcome of "+a.String())
	return err
}

// whileStopped is the detail of an order that its client cannot have read yet.
const whileStopped = "told while it was stopped"

// begin logs the start of an operation, with what the client stands on as far
// as the lab can tell.
func (s *Session) begin(a Action, o order) Event {
	e := Event{Process: a.Actor, Op: o.op, Resource: o.resource, Value: o.value, Effect: o.effect}
	if s.isAsleep(a.Actor) {
		e.Detail = whileStopped
	}
	if o.op != OpAcquire {
		g := s.lease(a.Actor)
		e.Grant, e.Token = g.Grant, g.Token
	}
	if o.op == OpWrite && o.resource == resource {
		e.Base = s.last(func(p Event) bool {
			return p.Process == a.Actor && p.Type == OK && (p.Op == OpRead || p.Op == OpWrite)
		}).Version
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.leases[e.Grant]; ok && o.op == OpRelease {
		l.given = true
		s.leases[e.Grant] = l
	}
	return s.invoke(e)
}
