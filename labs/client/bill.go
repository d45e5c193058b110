package client

import (
	"context"
	"errors"

	"lockdrill/labs/lock"
	"lockdrill/labs/store"
	"lockdrill/labs/vendor"
)

// lockless is a holding of nothing, for work that no lease covers.
var lockless holding

// standing is what the client holds, or nothing.
func (c *child) standing() *holding {
	if h := c.holding(); h != nil {
		return h
	}
	return &lockless
}

// rowOps are the store's words for what is done to a row.
var rowOps = map[Op]struct {
	logged Op
	op     store.Op
}{Check: {Read, store.Read}, Mark: {Write, store.Write}, Intend: {Intend, store.Insert}}

// row reads or writes a row that is none of the lock's. The lease goes with the
// request, where there is one.
func (c *child) row(cmd Command) {
	h, as := c.standing(), rowOps[cmd.Op]
	ctx, _, cancel := c.request()
	defer cancel()
	reply, err := c.store.Do(ctx, as.op, store.Request{
		Resource: cmd.Resource, Process: c.cfg.Name, Grant: h.grant, Call: cmd.Call, Token: c.leaseOf(h).Token, Value: cmd.Value,
	})
	r := Report{Op: as.logged, Call: cmd.Call, Grant: h.grant, Lease: c.leaseOf(h), Resource: cmd.Resource,
		Version: reply.Version, Value: cmd.Value, Outcome: OK}
	switch {
	case err != nil:
		r = failed(r, err)
	case reply.Stale:
		r.Outcome, r.Err = Fail, "stale token"
	case reply.Taken:
		r.Outcome, r.Err = Fail, "the row is there already"
	case as.logged == Read:
		r.Value = reply.Value
	}
	c.report(r)
}

// charge asks the vendor. No answer leaves the outcome open.
func (c *child) charge(cmd Command) {
	h := c.standing()
	ctx, _, cancel := c.request()
	defer cancel()
	reply, err := c.vendor.Do(ctx, vendor.Charge{Row: cmd.Resource, Call: cmd.Call, Key: cmd.Key})
	r := Report{Op: Charge, Call: cmd.Call, Grant: h.grant, Lease: c.leaseOf(h), Resource: cmd.Resource, Effect: cmd.Resource, Outcome: OK}
	if err != nil {
		r.Outcome, r.Err = Info, err.Error()
	} else if reply.Repeated {
		r.Detail = "the vendor knew the key and took no money"
	}
	c.report(r)
}

// errNoDelete explains a service whose lock has no one key that anybody can
// delete.
var errNoDelete = errors.New("this service offers no way to delete a lock that is not one's own")

// delete removes the lock key, whoever holds it.
func (c *child) delete(call int) {
	h := c.standing()
	ctx, wire, cancel := c.request()
	defer cancel()
	r := Report{Op: Delete, Call: call, Grant: h.grant, Lease: c.leaseOf(h), Outcome: OK}
	n, err := c.blindly(ctx)
	r.Wire = *wire
	switch {
	case err != nil:
		r = failed(r, err)
	case n == 0:
		r.Outcome, r.Err = Fail, "there was no key"
	}
	c.report(r)
}

func (c *child) blindly(ctx context.Context) (int64, error) {
	if d, ok := c.svc.(lock.Deleter); ok {
		return d.Delete(ctx, c.cfg.Resource)
	}
	return 0, errNoDelete
}
