package labs

// oneGrant: no grant was given before the end promised to an earlier one, unless
// that one had been given up. It is judged by promises, not by what the service
// held true, so that lazy expiry or a refreshed lease cannot flip it.
func (r *reading) oneGrant() Check {
	var broken, unknown, held []int
	for i, g := range r.grants {
		held = append(held, g.Seq)
		for _, earlier := range r.grants[:i] {
			if earlier.Resource != g.Resource || (earlier.given > 0 && earlier.given < g.Seq) {
				continue
			}
			for _, p := range earlier.promises {
				if p.asked >= g.Seq || g.At >= p.until {
					continue
				}
				if p.open {
					unknown = append(unknown, p.seq, g.Seq)
				} else {
					broken = append(broken, p.seq, g.Seq)
				}
			}
		}
		unknown = append(unknown, r.openConflicts(g)...)
	}
	return verdict("one-grant", broken, unknown, held)
}

// openConflicts finds acquires of unknown outcome that, had they been granted,
// would have shared the resource with g.
func (r *reading) openConflicts(g *grant) []int {
	var all []int
	for _, o := range r.open {
		if o.Resource != g.Resource || o.Seq == g.asked {
			continue
		}
		first, second := g.promises[len(g.promises)-1].until, o.At
		if o.Seq < g.Seq {
			first, second = o.Until, g.At
		}
		if second < first && (g.given == 0 || o.Seq < g.given) {
			all = append(all, o.Seq, g.Seq)
		}
	}
	return all
}

// noLateWrite: no write was applied under a grant that was not the newest when
// the store decided. A refused one leaves it held, and is its best witness.
func (r *reading) noLateWrite() Check {
	var broken, refused, served []int
	for _, w := range r.writes {
		switch {
		case w.late && w.Type == OK:
			broken = append(broken, w.newer, w.Seq)
		case w.late:
			refused = append(refused, w.newer, w.Seq)
		default:
			served = append(served, w.Seq)
		}
	}
	held := served
	if len(refused) > 0 {
		held = refused
	}
	return verdict("no-late-write", broken, r.openLateWrites(), held)
}

// openLateWrites finds writes that the store was asked for but never seen to
// decide on, and that a newer grant may have overtaken.
func (r *reading) openLateWrites() []int {
	var all []int
	for call, i := range r.invokes {
		if i.Op != OpWrite || r.done[call] {
			continue
		}
		for _, g := range r.grants {
			if g.Resource == i.Resource && g.Grant > i.Grant {
				all = append(all, i.Seq, g.Seq)
				break
			}
		}
	}
	return all
}

// tokensRise: every later grant has a higher token. Two grants that were asked
// for at the same time have no order and are not compared. Unknown where the
// service issues no tokens.
func (r *reading) tokensRise() Check {
	var broken, unknown, held []int
	for i, g := range r.grants {
		held = append(held, g.Seq)
		if g.Token == 0 {
			unknown = append(unknown, g.Seq)
			continue
		}
		for _, earlier := range r.grants[:i] {
			if earlier.Resource == g.Resource && earlier.Seq < g.asked && earlier.Token > 0 && earlier.Token >= g.Token {
				broken = append(broken, earlier.Seq, g.Seq)
			}
		}
	}
	return verdict("tokens-rise", broken, unknown, held)
}

// holderServed: the newest holder's write was never refused as stale.
func (r *reading) holderServed() Check {
	var broken, held []int
	for _, w := range r.writes {
		if !w.newest {
			continue
		}
		if w.Type == Fail {
			broken = append(broken, w.Seq)
		} else {
			held = append(held, w.Seq)
		}
	}
	return verdict("holder-served", broken, nil, held)
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

// openLostUpdates finds writes never seen decided whose base had been replaced
// by the end: applied late, they would have lost a value.
func (r *reading) openLostUpdates() []int {
	var all []int
	for call, i := range r.invokes {
		if i.Op != OpWrite || r.done[call] || i.Base == 0 {
			continue
		}
		for _, w := range r.writes {
			if w.Resource == i.Resource && w.Type == OK && w.Version > i.Base {
				all = append(all, i.Seq, w.Seq)
			}
		}
	}
	return all
}

// effectOnce: no effect was applied twice. Unknown if one never was.
func (r *reading) effectOnce() Check {
	var broken, unknown, held []int
	first := map[string]int{}
	for _, e := range r.events {
		if e.Op != OpCharge || e.Effect == "" {
			continue
		}
		if e.Type == Invoke || e.Type == Info {
			if _, ok := first[e.Effect]; !ok {
				first[e.Effect] = 0
			}
			continue
		}
		if e.Type != OK {
			continue
		}
		if first[e.Effect] > 0 {
			broken = append(broken, first[e.Effect], e.Seq)
			continue
		}
		first[e.Effect] = e.Seq
		held = append(held, e.Seq)
	}
	for _, e := range r.events {
		if e.Op == OpCharge && e.Effect != "" && first[e.Effect] == 0 {
			unknown = append(unknown, e.Seq)
		}
	}
	return verdict("effect-once", broken, unknown, held)
}
