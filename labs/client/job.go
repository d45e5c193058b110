package client

import (
	"errors"
	"fmt"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/store"
)

// holding is what the client believes it has, and what it read under it.
type holding struct {
	lease lock.Lease // guarded by child.mu: a renewal may change its token
	grant int
	until time.Time // by this process's own clock; guarded, too
	base  uint64    // version last read or written; 0 = never read
	stop  chan struct{}
}

func (c *child) holding() *holding {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}

func (c *child) leaseOf(h *holding) lock.Lease {
	c.mu.Lock()
	defer c.mu.Unlock()
	return h.lease
}

func (c *child) setHolding(h *holding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		close(c.held.stop)
	}
	c.held = h
}

// lateGrants bounds how often a client asks again because the lease it was given
// had ended before the reply was read, as happens on a very busy machine.
const lateGrants = 50

// acquire takes the lock and starts to renew it.
func (c *child) acquire(op Op, call int, stand bool) bool {
	ctx, wire, cancel := c.request()
	defer cancel()
	if stand {
		ctx = c.stand(ctx)
	}
	how := c.svc.TryAcquire
	if op == Wait {
		how = c.svc.Acquire
	}
	began := time.Now()
	l, err := how(ctx, c.cfg.Resource, c.cfg.TTL)
	for n := 0; err == nil && time.Since(l.Asked) >= l.TTL && n < lateGrants; n++ {
		_ = c.svc.Release(ctx, l) // best effort: it has ended
		l, err = how(ctx, c.cfg.Resource, c.cfg.TTL)
	}
	r := Report{Op: Acquire, Call: call, Lease: l, Wire: *wire}
	if err != nil {
		c.report(failed(r, err))
		return false
	}
	r.Outcome, r.Waited = OK, l.Asked.Sub(began)
	h := &holding{lease: l, until: l.Asked.Add(l.TTL), stop: make(chan struct{})}
	h.grant = c.report(r).Grant
	c.setHolding(h)
	if !c.cfg.NoRenew {
		go c.renew(h)
	}
	return true
}

// renew extends the lease every third of the TTL that was asked for, until it is
// lost or given up.
// Losing it ends the renewal, not the worker: nobody tells the worker.
func (c *child) renew(h *holding) {
	tick := time.NewTicker(c.cfg.TTL / 3)
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
		if lost := c.renewOnce(h); lost {
			return
		}
	}
}

func (c *child) renewOnce(h *holding) (lost bool) {
	ctx, wire, cancel := c.request()
	defer cancel()
	before := c.leaseOf(h)
	r := Report{Op: Renew, Grant: h.grant, Lease: before}
	r.Call = c.start(r)
	began := time.Now()
	l, err := c.svc.Renew(ctx, before)
	r.Wire = *wire
	if err != nil {
		c.report(failed(r, err))
		return errors.Is(err, lock.ErrNotHeld)
	}
	r.Outcome, r.Lease = OK, l
	if l.Token != before.Token {
		r.Detail = fmt.Sprintf("its token is %d now, and was %d", l.Token, before.Token)
	}
	c.mu.Lock()
	h.until, h.lease = began.Add(l.TTL), l
	c.mu.Unlock()
	c.report(r)
	if l.Token != before.Token { // as after any grant, the store is shown the new one
		c.askUnder(h, l, Claim, c.start(Report{Op: Claim, Grant: h.grant, Lease: l}), "")
	}
	return false
}

func (c *child) release(call int) {
	h := c.holding()
	if h == nil {
		c.report(Report{Op: Release, Call: call, Outcome: Fail, Err: "holds nothing"})
		return
	}
	ctx, wire, cancel := c.request()
	defer cancel()
	c.setHolding(nil)
	l := c.leaseOf(h)
	err := c.svc.Release(ctx, l)
	r := Report{Op: Release, Call: call, Grant: h.grant, Lease: l, Wire: *wire, Outcome: OK}
	if err != nil {
		r = failed(r, err)
	}
	c.report(r)
}

// ask sends one request to the store under what the client believes it holds.
func (c *child) ask(op Op, call int, value string) {
	h := c.holding()
	if h == nil && c.cfg.Lockless {
		h = &holding{stop: make(chan struct{})} // nothing, and it does not care
		c.setHolding(h)
	}
	if h == nil {
		c.report(Report{Op: loggedAs(op), Call: call, Outcome: Fail, Err: "holds nothing"})
		return
	}
	c.askUnder(h, c.leaseOf(h), op, call, value)
}

// loggedAs is the operation that the history knows op as.
func loggedAs(op Op) Op {
	if op == Save {
		return Write
	}
	return op
}

// askUnder asks with a lease as it was at some time: a job carries the token that
// it began with.
func (c *child) askUnder(h *holding, l lock.Lease, op Op, call int, value string) {
	logged := loggedAs(op)
	ctx, _, cancel := c.request()
	defer cancel()
	reply, err := c.store.Do(ctx, store.Op(op), store.Request{
		Resource: c.cfg.Resource, Process: c.cfg.Name, Grant: h.grant, Call: call,
		Token: l.Token, Value: value, Base: h.base,
	})
	r := Report{Op: logged, Call: call, Grant: h.grant, Lease: l, Version: reply.Version, Base: h.base, Value: value, Outcome: OK}
	switch {
	case err != nil:
		r = failed(r, err)
	case reply.Stale:
		r.Outcome, r.Err = Fail, "stale token"
	case reply.Moved:
		r.Outcome, r.Err = Fail, fmt.Sprintf("the store is at version %d, with %q; it was read at %d", reply.Version, reply.Value, h.base)
	case op == Read:
		h.base, r.Value = reply.Version, reply.Value
	case logged == Write:
		h.base = reply.Version
	}
	c.report(r)
}

// job works up to its write and stands before it until the lab lets it go on.
func (c *child) job(cmd Command) {
	detail := ""
	for cmd.CheckClock {
		left, ok := c.look()
		if ok {
			detail = fmt.Sprintf("its own clock gives its lease %d ms more", left.Milliseconds())
			break
		}
		if !c.startAgain() {
			break
		}
	}
	h := c.holding()
	if h == nil {
		c.report(Report{Op: Ready, Call: cmd.Call, Outcome: Fail, Err: "holds nothing"})
		return
	}
	l := c.leaseOf(h)
	c.report(Report{Op: Ready, Call: cmd.Call, Outcome: OK, Grant: h.grant, Lease: l, Value: cmd.Value, Detail: detail})
	call := c.start(Report{Op: Write, Grant: h.grant, Lease: l, Value: cmd.Value, Base: h.base})
	c.askUnder(h, l, Write, call, cmd.Value)
}

// look compares the end of the client's lease with the client's own clock.
func (c *child) look() (left time.Duration, ok bool) {
	c.mu.Lock()
	h := c.held
	if h != nil {
		left = time.Until(h.until)
	}
	c.mu.Unlock()
	if h == nil {
		return 0, false
	}
	r := Report{Op: Look, Outcome: OK, Grant: h.grant, Lease: c.leaseOf(h),
		Detail: fmt.Sprintf("%d ms left by its own clock", left.Milliseconds())}
	if left <= 0 {
		r.Outcome, r.Err = Fail, "its lease has ended"
	}
	c.report(r)
	return left, left > 0
}

// startAgain does what an honest client does when it sees its lease ended: it
// acquires anew, claims and reads.
func (c *child) startAgain() bool {
	c.setHolding(nil)
	if !c.acquire(Wait, c.start(Report{Op: Acquire}), false) {
		return false
	}
	c.ask(Claim, c.start(Report{Op: Claim}), "")
	c.ask(Read, c.start(Report{Op: Read}), "")
	return true
}

// failed says whether err leaves the outcome open.
func failed(r Report, err error) Report {
	r.Err = err.Error()
	open := errors.Is(err, lock.ErrUnknown)
	switch r.Op {
	case Claim, Read, Write, Mark, Intend:
		open = !errors.Is(err, store.ErrNotSent)
	}
	r.Outcome = Fail
	if open {
		r.Outcome = Info
	}
	return r
}
