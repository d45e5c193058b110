package labs

import (
	"math"
	"slices"
	"sort"
)

// oneGrant: no grant was given before the end promised to an earlier one, unless
// that one had been given up. It is judged by promises, not by what the service
// held true, so that lazy expiry or a refreshed lease cannot flip it.
func (r *reading) oneGrant() Check {
	var broken, unknown, held []int
	var promised []*grant // earlier grants whose promises have not all ended
	for _, g := range r.grants {
		held = append(held, g.Seq)
		promised = slices.DeleteFunc(promised, func(e *grant) bool { return e.end() <= g.At })
		for _, earlier := range promised {
			sure, open := shared(earlier, g)
			broken, unknown = append(broken, sure...), append(unknown, open...)
		}
		promised = append(promised, g)
		for _, o := range r.open {
			unknown = append(unknown, o.conflict(g)...)
		}
	}
	for i, o := range r.open {
		for _, earlier := range r.open[:i] {
			unknown = append(unknown, earlier.conflict(o.asGrant())...)
		}
	}
	return verdict("one-grant", broken, unknown, held)
}

// shared finds the promises to an earlier grant that g was given within: those
// surely made, and those perhaps made.
func shared(earlier, g *grant) (sure, open []int) {
	if earlier.Resource != g.Resource || (earlier.given > 0 && earlier.given < g.Seq) {
		return nil, nil
	}
	if g.asked > 0 && g.asked < earlier.Seq && earlier.At >= g.Until {
		return nil, nil // asked for at the same time: g may have come, and ended, before
	}
	for _, p := range earlier.promises {
		switch {
		case p.asked >= g.Seq || g.At >= p.until:
		case p.open && earlier.ended > 0 && earlier.ended < g.Seq:
			// Had it been renewed before, it would not have been seen to end;
			// and a lease that has ended is not there to be renewed.
		case p.open:
			open = append(open, p.seq, g.Seq)
		default:
			sure = append(sure, p.seq, g.Seq)
		}
	}
	return sure, open
}

// conflict says whether the attempt, had it been granted, may have shared the
// resource with g: it came first and still ran, or came second and too early.
func (a attempt) conflict(g *grant) []int {
	if a.Resource != g.Resource {
		return nil
	}
	first := a.Seq < g.Seq && g.At < a.Until
	second := a.by > g.Seq && (g.given == 0 || a.Seq < g.given) && slices.ContainsFunc(g.promises, func(p promise) bool {
		return p.asked < a.by && max(a.At, g.At) < p.until
	})
	if first || second {
		return []int{a.Seq, g.Seq}
	}
	return nil
}

// noLateWrite: no write was applied under a grant that was not the newest when
// the store decided. A refused one leaves it held, and is its best witness.
func (r *reading) noLateWrite() Check {
	var broken, refused, served []int
	unknown := r.openLateWrites()
	for _, w := range r.writes {
		switch {
		case w.late && w.Type == OK:
			broken = append(broken, w.newer, w.Seq)
		case w.late:
			refused = append(refused, w.newer, w.Seq)
		default:
			served = append(served, w.Seq)
			if over := r.overtakers(w.Grant, w.Seq); w.Type == OK && len(over) > 0 {
				unknown = append(append(unknown, over...), w.Seq)
			}
		}
	}
	held := served
	if len(refused) > 0 {
		held = refused
	}
	return verdict("no-late-write", broken, unknown, held)
}

// openLateWrites finds writes that the store was asked for but never seen to
// decide on, and that a newer grant may have overtaken.
func (r *reading) openLateWrites() []int {
	var all []int
	for _, i := range r.openWrites() {
		over := r.overtakers(i.Grant, math.MaxInt)
		if n := r.newestOver(i); n != nil && i.Grant > 0 && n.Grant != i.Grant {
			over = append(over, n.Seq)
		}
		if len(over) > 0 {
			all = append(append(all, i.Seq), over...)
		}
	}
	return all
}

// openWrites are the writes, as invoked, that the store was never seen to decide
// on.
func (r *reading) openWrites() []*Event {
	var all []*Event
	for n, c := range r.calls {
		if i := &r.events[n]; c.invoked && !c.done && i.Op == OpWrite {
			all = append(all, i)
		}
	}
	return all
}

// tokensRise: every later grant has a higher token. Two grants that were asked
// for at the same time have no order and are not compared. Unknown where the
// service issues no tokens.
func (r *reading) tokensRise() Check {
	var broken, unknown, held []int
	summits := map[string][]summit{} // by resource
	for _, g := range r.grants {
		held = append(held, g.Seq)
		if g.Token == 0 {
			unknown = append(unknown, g.Seq)
			continue
		}
		so := summits[g.Resource]
		before := sort.Search(len(so), func(i int) bool { return so[i].seq >= g.asked })
		if before > 0 && so[before-1].top.Token >= g.Token {
			broken = append(broken, so[before-1].top.Seq, g.Seq)
		}
		top := g
		if n := len(so); n > 0 && so[n-1].top.Token > g.Token {
			top = so[n-1].top
		}
		summits[g.Resource] = append(so, summit{g.Seq, top})
	}
	return verdict("tokens-rise", broken, unknown, held)
}

// summit is the grant with the highest token of all up to the event seq.
type summit struct {
	seq int
	top *grant
}

// holderServed: the newest holder's write was never refused as stale.
func (r *reading) holderServed() Check {
	var broken, unknown, held []int
	for _, w := range r.writes {
		over := r.overtakers(w.Grant, w.Seq)
		switch {
		case !w.newest || w.Err == versionMoved: // refused, but not for its token
		case w.Type == OK:
			held = append(held, w.Seq)
		case len(over) > 0: // it may not have been the newest
			unknown = append(append(unknown, over...), w.Seq)
		default:
			broken = append(broken, w.Seq)
		}
	}
	return verdict("holder-served", broken, unknown, held)
}

// noLostUpdate: no acknowledged write replaced a version that its writer had not
// read.
func (r *reading) noLostUpdate() Check {
	var broken, held []int
	for _, w := range r.writes {
		if w.overwrote() {
			broken = append(broken, w.replaced.Seq, w.Seq)
		} else if w.Type == OK {
			held = append(held, w.Seq)
		}
	}
	return verdict("no-lost-update", broken, r.openLostUpdates(), held)
}

// openLostUpdates finds writes never seen decided that, applied late, would lose
// a value: one that replaced their base before the end, or each other's.
func (r *reading) openLostUpdates() []int {
	var all []int
	writes := r.openWrites()
	for _, i := range writes {
		if i.Base == 0 {
			continue
		}
		if w := r.applied[i.Resource]; w != nil && w.Version > i.Base {
			all = append(all, i.Seq, w.Seq)
		}
		for _, other := range writes {
			if other.Resource == i.Resource && other.Seq != i.Seq {
				all = append(all, i.Seq, other.Seq)
			}
		}
	}
	return all
}

// effectOnce: no effect was applied twice. Unknown if one never was, or if a
// call of unknown outcome may have applied it again. What counts is the word of
// whoever applied it: the caller's own ok only repeats that.
func (r *reading) effectOnce() Check {
	var broken, unknown, held []int
	for _, f := range r.effectsByKey() {
		switch {
		case len(f.applied) > 1:
			broken = append(broken, f.applied...)
		case len(f.applied) == 0:
			unknown = append(unknown, f.tried...)
		case len(f.open) > 0:
			unknown = append(append(unknown, f.applied...), f.open...)
		default:
			held = append(held, f.applied...)
		}
	}
	return verdict("effect-once", broken, unknown, held)
}

// effect is all that happened under one idempotency key.
type effect struct {
	tried, open, applied []int // open: tried, and the outcome was never learned
}

func (r *reading) effectsByKey() map[string]*effect {
	all := map[string]*effect{}
	for _, e := range r.events {
		if e.Op != OpCharge || e.Effect == "" {
			continue
		}
		f := all[e.Effect]
		if f == nil {
			f = &effect{}
			all[e.Effect] = f
		}
		switch {
		case e.Type == Invoke:
			f.tried = append(f.tried, e.Seq)
			if !r.isDone(e.Seq) {
				f.open = append(f.open, e.Seq)
			}
		case e.Type == OK && r.caller(&e) != e.Process:
			f.applied = append(f.applied, e.Seq)
		}
	}
	return all
}
