package labs

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestACorrectLockAndAFencedStoreBreakNothing plays clients that stop at any
// point against a lock that is right and a store that compares, with a claim
// before every read.
func TestACorrectLockAndAFencedStoreBreakNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(true, true, rapid.Bool().Draw(t, "replies are lost"))
		w.run(t)
		for _, c := range Judge(w.events).Checks {
			if c.Verdict == Broken {
				t.Fatalf("%s is broken: %v in %v", c.Name, c.Witness, w.events)
			}
			if c.Verdict == Unknown && len(openCalls(w.events)) == 0 {
				t.Fatalf("%s is unknown, and nothing is open: %v in %v", c.Name, c.Witness, w.events)
			}
		}
	})
}

// TestUnknownMeansThatItMatters resolves every open outcome each way: a verdict
// that was not unknown stays.
func TestUnknownMeansThatItMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(rapid.Bool().Draw(t, "the lock is right"), rapid.Bool().Draw(t, "fenced"), true)
		w.run(t)
		before := Judge(w.events)
		for _, call := range openCalls(w.events) {
			for _, resolved := range resolutions(w.events, call) {
				after := Judge(resolved)
				for _, c := range before.Checks {
					// A token that nobody saw cannot be judged.
					if c.Verdict != Unknown && c.Name != "tokens-rise" && after.Check(c.Name).Verdict != c.Verdict {
						t.Fatalf("%s was %s %v and is %s once call %d is resolved:\n%v\n%v", c.Name, c.Verdict, c.Witness,
							after.Check(c.Name).Verdict, call, w.events, resolved)
					}
				}
			}
		}
	})
}

func TestJudgeIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(false, false, true)
		w.run(t)
		copied := slices.Clone(w.events)
		first, second := Judge(w.events), Judge(copied)
		for i, c := range first.Checks {
			if d := second.Checks[i]; c.Verdict != d.Verdict || !slices.Equal(c.Witness, d.Witness) {
				t.Fatalf("%v, then %v", c, d)
			}
		}
	})
}

// openCalls are the invokes whose outcome a history leaves open.
func openCalls(events []Event) []int {
	var open []int
	for _, e := range events {
		answered := slices.ContainsFunc(events, func(a Event) bool {
			return a.Call == e.Seq && (a.Type == OK || a.Type == Fail)
		})
		if e.Type == Invoke && !answered {
			open = append(open, e.Seq)
		}
	}
	return open
}

// resolutions are the histories that are possible in place of one in which the
// outcome of a call is open.
func resolutions(events []Event, call int) [][]Event {
	inv, last := events[call-1], len(events)
	open := slices.Clone(events)
	for i, e := range open {
		if e.Call == call && e.Type == Info {
			last = i
			open[i] = Event{Seq: e.Seq, At: e.At, Process: e.Process, Type: OK, Op: OpNote}
		}
	}
	answer := Event{Process: inv.Process, Type: Fail, Op: inv.Op, Call: call, Resource: resource, Grant: inv.Grant, Token: inv.Token}
	all := [][]Event{insert(open, len(open), answer)}
	answer.Type, answer.Until = OK, inv.Until
	switch inv.Op {
	case OpWrite:
		answer.Process, answer.Base, answer.Version = StoreName, inv.Base, 1000
		return append(all, insert(open, len(open), answer))
	case OpAcquire:
		answer.Grant = 1000
		for at := call; at <= last; at++ {
			answer.Token = highestToken(open[:at]) + 1
			all = append(all, insert(open, at, answer))
		}
		return all
	}
	return append(all, insert(open, last, answer))
}

func highestToken(events []Event) uint64 {
	var n uint64
	for _, e := range events {
		n = max(n, e.Token)
	}
	return n
}

// insert puts an event before the one with that index, at its time.
func insert(events []Event, i int, e Event) []Event {
	e.At = events[min(i, len(events)-1)].At
	all := slices.Insert(slices.Clone(events), i, e)
	for k := range all {
		if all[k].Seq = k + 1; all[k].Call > i {
			all[k].Call++
		}
	}
	return all
}

const modelTTL = 400 * time.Millisecond

// model is a lock service, a store and clients in virtual time. Every request
// and every reply may take any time to arrive, as to a process that is stopped.
type model struct {
	right, fenced, lossy bool

	now     time.Duration
	events  []Event
	clients [3]modelClient
	owner   int // the client whose lease it is
	end     time.Duration
	tokens  uint64
	grants  int
	version uint64
	highest uint64 // token the store has seen
}

type modelClient struct {
	name    string
	grant   int
	token   uint64
	base    uint64
	pending *modelCall
}

type modelCall struct {
	op      Op
	seq     int
	at      time.Duration
	decided bool
	ok      bool
	token   uint64
}

func newModel(right, fenced, lossy bool) *model {
	w := &model{right: right, fenced: fenced, lossy: lossy, owner: -1, tokens: 4, version: 1}
	for i, name := range []string{"A", "B", "C"} {
		w.clients[i].name = name
	}
	return w
}

func (w *model) run(t *rapid.T) {
	for range rapid.IntRange(0, 60).Draw(t, "steps") {
		w.now += time.Duration(rapid.IntRange(0, 150).Draw(t, "ms")) * time.Millisecond
		i := rapid.IntRange(0, len(w.clients)-1).Draw(t, "client")
		switch c := &w.clients[i]; {
		case c.pending == nil:
			w.ask(c, rapid.SampledFrom([]Op{OpAcquire, OpRenew, OpRelease, OpWrite, OpWrite}).Draw(t, "op"))
		case w.lossy && rapid.IntRange(0, 5).Draw(t, "lost") == 0:
			w.lose(c)
		case !c.pending.decided:
			w.decide(i, c)
		default:
			w.reply(c)
		}
	}
}

func (w *model) log(e Event) int {
	e.Seq, e.At, e.Resource = len(w.events)+1, w.now, resource
	w.events = append(w.events, e)
	return e.Seq
}

func (w *model) ask(c *modelClient, op Op) {
	if (op == OpAcquire) == (c.grant > 0) {
		return // it asks for what it lacks, and works with what it has
	}
	e := Event{Process: c.name, Type: Invoke, Op: op, Grant: c.grant, Token: c.token}
	if promises(op) {
		e.Until = w.now + modelTTL
	}
	if op == OpWrite {
		e.Base, e.Value = c.base, "x"
	}
	c.pending = &modelCall{op: op, at: w.now, token: c.token}
	c.pending.seq = w.log(e)
	if op == OpRelease {
		c.grant = 0
	}
}

// decide lets the request of a client arrive.
func (w *model) decide(i int, c *modelClient) {
	p := c.pending
	p.decided = true
	mine := w.owner == i && w.now < w.end && w.tokens == p.token
	switch p.op {
	case OpAcquire:
		if p.ok = w.now >= w.end || !w.right; p.ok {
			w.tokens += 2 // room for one that is only supposed
			w.owner, w.end, p.token = i, w.now+modelTTL, w.tokens
		}
	case OpRenew:
		if p.ok = mine; p.ok {
			w.end = w.now + modelTTL
		}
	case OpRelease:
		if p.ok = mine; p.ok {
			w.end = w.now
		}
	case OpWrite:
		w.write(c)
	}
}

// write lets the store decide.
func (w *model) write(c *modelClient) {
	e := Event{Process: StoreName, Type: Fail, Op: OpWrite, Call: c.pending.seq, Grant: c.grant, Token: c.token, Base: c.base, Value: "x"}
	if c.pending.ok = !w.fenced || c.token >= w.highest; c.pending.ok {
		w.version++
		w.highest = max(w.highest, c.token)
		e.Type, e.Version = OK, w.version
		c.base = w.version
	}
	w.log(e)
}

// reply lets the answer reach the client. A new holder claims and reads at once.
func (w *model) reply(c *modelClient) {
	p := c.pending
	c.pending = nil
	e := Event{Process: c.name, Type: Fail, Op: p.op, Call: p.seq, Grant: c.grant, Token: p.token}
	if p.ok {
		e.Type = OK
		if promises(p.op) {
			e.Until = p.at + modelTTL
		}
	}
	if p.op == OpAcquire && p.ok {
		w.grants++
		c.grant, c.token, c.base = w.grants, p.token, w.version
		w.highest = max(w.highest, p.token)
		e.Grant = w.grants
	}
	w.log(e)
}

// lose ends a call without an answer: the request or the reply was lost.
func (w *model) lose(c *modelClient) {
	w.log(Event{Process: c.name, Type: Info, Op: c.pending.op, Call: c.pending.seq, Grant: c.grant, Token: c.token})
	c.pending = nil
	c.base = w.version // it reads again
}
