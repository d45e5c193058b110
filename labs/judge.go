package labs

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Outcome is what a check found.
type Outcome string

// Unknown means that resolving an info event, or an operation that never
// answered, one way or the other would change the verdict.
const (
	Held    Outcome = "held"
	Broken  Outcome = "broken"
	Unknown Outcome = "unknown"
)

// Check is one property of a history, judged.
type Check struct {
	Name    string  `json:"name"`
	Verdict Outcome `json:"verdict"`
	Witness []int   `json:"witness"` // the events that show it
}

// Lost is a value that was written, acknowledged and overwritten by a write
// that had never seen it.
type Lost struct {
	Resource string `json:"resource"`
	Value    string `json:"value"`
	Version  uint64 `json:"version"`
	Writer   string `json:"writer"`
	By       string `json:"by"`  // who overwrote it
	Seq      int    `json:"seq"` // with this event
}

// Verdict is all that can be said of a history.
type Verdict struct {
	Checks    []Check
	LateWrite string // "landed" if any late write was applied, else "fenced" if any was refused, else "none"
	Lost      []Lost
	Measured  bool // the run came to its figures
}

// Check returns the check of that name, or the zero Check.
func (v Verdict) Check(name string) Check {
	i := slices.IndexFunc(v.Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return Check{}
	}
	return v.Checks[i]
}

// Judge computes the verdict. It is a pure function of the events.
func Judge(events []Event) Verdict {
	r := read(events)
	v := Verdict{LateWrite: "none", Lost: r.lost(), Measured: lastMeasure(events).Seq > 0}
	v.Checks = []Check{
		r.oneGrant(), r.noLateWrite(), r.tokensRise(), r.holderServed(), r.noLostUpdate(),
	}
	if r.effects {
		v.Checks = append(v.Checks, r.effectOnce())
	}
	for _, w := range r.writes {
		if w.late && w.Type == OK {
			v.LateWrite = "landed"
		} else if w.late && v.LateWrite == "none" {
			v.LateWrite = "fenced"
		}
	}
	return v
}

// grant is one granted acquire and every promise made about it.
type grant struct {
	*Event
	asked    int // the Seq of its invoke
	promises []promise
	given    int // the Seq at which its holder began to give it up; 0 = never
	ended    int // the Seq at which the service was seen to honour it no more; 0 = never
}

type promise struct {
	asked, seq int
	until      time.Duration
	open       bool // it was never learned whether it was made
}

// end is the latest end promised.
func (g *grant) end() time.Duration {
	var end time.Duration
	for _, p := range g.promises {
		end = max(end, p.until)
	}
	return end
}

// attempt is an acquire, as invoked, whose outcome was never learned. If it was
// granted, that was between its invoke and by.
type attempt struct {
	*Event
	by int // the Seq of the info event; past the end of the history if nothing was heard
}

// asGrant is the grant that the attempt would be.
func (a attempt) asGrant() *grant {
	return &grant{Event: a.Event, asked: a.Seq, promises: []promise{{a.Seq, a.Seq, a.Until, false}}}
}

// decision is a write as the store decided it.
type decision struct {
	*Event
	late, newest bool
	newer        int    // late: the Seq of the newer grant
	replaced     *Event // the applied write it replaced, if any
}

// reading is a history sorted into what the checks ask about.
type reading struct {
	events  []Event
	calls   []call      // by the place of its invoke in events
	infos   map[int]int // by call: the Seq of the event that says its outcome is unknown
	grants  []*grant
	byID    map[int]*grant
	newest  map[string]*grant // by resource, so far
	open    []attempt
	writes  []decision
	applied map[string]*Event // by resource: the last write applied so far
	effects bool
}

func read(events []Event) *reading {
	r := &reading{
		events: events, calls: make([]call, len(events)), infos: map[int]int{},
		byID: map[int]*grant{}, newest: map[string]*grant{}, applied: map[string]*Event{},
	}
	for i := range events {
		r.sort(&events[i])
	}
	for i := range events {
		r.add(&events[i])
	}
	return r
}

// call is what is known of an operation that was invoked.
type call struct {
	invoked bool
	done    bool // it was answered or carried out for certain
}

// place is the index of the event with that Seq, or -1. A history that is whole
// is numbered from 1 without a gap.
func (r *reading) place(seq int) int {
	if i := seq - 1; i >= 0 && i < len(r.events) && r.events[i].Seq == seq {
		return i
	}
	i, ok := slices.BinarySearchFunc(r.events, seq, func(e Event, seq int) int { return cmp.Compare(e.Seq, seq) })
	if !ok {
		return -1
	}
	return i
}

// invoke is the event that started a call, or nil.
func (r *reading) invoke(seq int) *Event {
	if i := r.place(seq); i >= 0 && r.calls[i].invoked {
		return &r.events[i]
	}
	return nil
}

// isDone says whether a call was answered or carried out for certain.
func (r *reading) isDone(seq int) bool {
	i := r.place(seq)
	return i >= 0 && r.calls[i].done
}

// sort files an event by the part it plays in its call.
func (r *reading) sort(e *Event) {
	switch {
	case e.Type == Invoke:
		r.calls[r.place(e.Seq)].invoked = true
	case e.Call > 0 && e.Type == Info && e.Process != StoreName:
		r.infos[e.Call] = e.Seq
	case e.Call > 0:
		if i := r.place(e.Call); i >= 0 {
			r.calls[i].done = true
		}
	}
	if e.Effect != "" {
		r.effects = true
	}
}

func (r *reading) add(e *Event) {
	switch {
	case e.Op == OpAcquire && e.Type == OK:
		r.granted(&grant{Event: e, asked: e.Call, promises: []promise{{e.Call, e.Seq, e.Until, false}}})
	case e.Op == OpAcquire && e.Type == Invoke && !r.isDone(e.Seq):
		r.open = append(r.open, attempt{e, r.closed(e.Seq)})
	case e.Op == OpRenew && e.Type == OK:
		r.promise(e.Grant, promise{e.Call, e.Seq, e.Until, false})
	case e.Op == OpRenew && e.Type == Invoke && !r.isDone(e.Seq):
		r.promise(e.Grant, promise{e.Seq, e.Seq, e.Until, true})
	case e.Op == OpExpire:
		if g := r.byID[e.Grant]; g != nil && g.ended == 0 {
			g.ended = e.Seq
		}
	case e.Op == OpRelease && e.Type == Invoke:
		if g := r.byID[e.Grant]; g != nil && g.given == 0 {
			g.given = e.Seq
		}
	case e.Op == OpWrite && e.Process == StoreName:
		r.decide(e)
	}
}

func (r *reading) granted(g *grant) {
	r.grants = append(r.grants, g)
	r.byID[g.Grant] = g
	if n := r.newest[g.Resource]; n == nil || g.after(n) {
		r.newest[g.Resource] = g
	}
}

// after says whether g was granted after n, whose news came first. If g had been
// asked for by then, the tokens tell; without any, news of a lease that came
// after its end is old news.
func (g *grant) after(n *grant) bool {
	switch {
	case g.asked == 0 || g.asked > n.Seq:
		return true
	case g.Token > 0 && n.Token > 0:
		return g.Token > n.Token
	}
	return g.At < g.Until
}

// closed is the Seq up to which an open call may have been carried out.
func (r *reading) closed(call int) int {
	if info, ok := r.infos[call]; ok {
		return info
	}
	return math.MaxInt
}

func (r *reading) promise(n int, p promise) {
	if g := r.byID[n]; g != nil {
		g.promises = append(g.promises, p)
	}
}

// decide files a decision of the store, with what was true when it was taken.
func (r *reading) decide(e *Event) {
	d := decision{Event: e, replaced: r.applied[e.Resource]}
	if n := r.newestOver(e); n != nil && e.Grant > 0 {
		d.newest = n.Grant == e.Grant
		if d.late = !d.newest; d.late {
			d.newer = n.Seq
		}
	}
	if e.Type == OK {
		r.applied[e.Resource] = e
	}
	r.writes = append(r.writes, d)
}

// newestOver is the newest grant of what the grant that e stands on is about:
// the row may be another one than the lock's.
func (r *reading) newestOver(e *Event) *grant {
	if g := r.byID[e.Grant]; g != nil {
		return r.newest[g.Resource]
	}
	return r.newest[e.Resource]
}

// overtakers finds the acquires of unknown outcome that, had they been granted,
// may have come after a grant and before the event with that Seq.
func (r *reading) overtakers(n int, before int) []int {
	var all []int
	g := r.byID[n]
	if g == nil {
		return nil
	}
	for _, o := range r.open {
		if o.Resource == g.Resource && o.Seq < before && o.by > g.asked {
			all = append(all, o.Seq)
		}
	}
	return all
}

// overwrote says whether the write replaced a version it had not seen.
func (d decision) overwrote() bool {
	return d.Type == OK && d.Base > 0 && d.replaced != nil && d.Base < d.replaced.Version
}

func (r *reading) lost() []Lost {
	lost := []Lost{}
	for _, d := range r.writes {
		if d.overwrote() {
			lost = append(lost, Lost{
				Resource: d.Resource, Value: d.replaced.Value, Version: d.replaced.Version,
				Writer: r.caller(d.replaced), By: r.caller(d.Event), Seq: d.Seq,
			})
		}
	}
	return lost
}

// caller is who asked for what an event carried out; "" if nobody did.
func (r *reading) caller(e *Event) string {
	if i := r.invoke(e.Call); i != nil {
		return i.Process
	}
	return ""
}

// verdict picks the strongest finding: broken, then unknown, then held.
func verdict(name string, broken, unknown, held []int) Check {
	c := Check{Name: name, Verdict: Held, Witness: held}
	if len(broken) > 0 {
		c.Verdict, c.Witness = Broken, broken
	} else if len(unknown) > 0 {
		c.Verdict, c.Witness = Unknown, unknown
	}
	slices.Sort(c.Witness)
	c.Witness = slices.Compact(c.Witness)
	if c.Witness == nil {
		c.Witness = []int{}
	}
	return c
}
