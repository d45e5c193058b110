package labs

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Class says what a cell of a lane means; a screen gives it a style.
type Class int

// The classes of cells. Overstay is the one that matters: a process believes it
// holds a lease that has ended.
const (
	Plain Class = iota
	Axis
	Belief
	Overstay
	Running
	Stopped
	Served // what the lock service says
	Node
	Dead
	Landed
	Refused
)

// Cell is one column of a lane.
type Cell struct {
	Rune  rune
	Class Class
}

// Lane is one row of the picture over time.
type Lane struct {
	Who, What string // "A", "thinks"
	Cells     []Cell
	Note      string // to the right of the cells, always about the overstay
}

// Window is the part of a run that is drawn.
type Window struct{ From, To time.Duration }

// NoteWidth is the room to the right of the cells that a Note never exceeds.
const NoteWidth = 16

// Draw turns a history into lanes of the given number of cells. It is a pure
// function: the axis, then for each client what it thinks above what it is doing,
// the service, its nodes where there are several, and the store.
func Draw(events []Event, w Window, cells int) []Lane {
	if cells < 1 || w.To <= w.From {
		return nil
	}
	if bars := lastMeasure(events).Bars; bars != nil {
		return drawBars(bars, cells)
	}
	if len(events) > 0 && !slices.ContainsFunc(events, func(e Event) bool { return e.Process != labName }) {
		return nil // a run that only measures has no lanes before it has its bars
	}
	p := picture{events: events, Window: w, n: cells, spans: spansOf(events, w.To)}
	lanes := []Lane{p.axis()}
	for i, name := range p.clients() {
		lanes = append(lanes, p.thinks(name), p.is(name))
		if i == 0 {
			lanes = append(lanes, p.service())
			lanes = append(lanes, p.nodes()...)
		}
	}
	return append(lanes, p.store()...)
}

// picture is one drawing.
type picture struct {
	Window
	events []Event
	n      int
	spans  []tenure
}

// tenure is one grant over time: what its holder believed, and what was so.
type tenure struct {
	Event
	believed time.Duration // the end of the belief
	believes bool          // the belief goes on
	ended    time.Duration // when the service was seen to honour it no more
	over     bool
}

// overstay is how long the holder believed on after the lease had ended.
func (t tenure) overstay() time.Duration {
	if !t.over || t.believed <= t.ended {
		return 0
	}
	return t.believed - t.ended
}

// spansOf finds every tenure, up to the time now.
func spansOf(events []Event, now time.Duration) []tenure {
	var all []tenure
	byGrant, newest := map[int]int{}, map[string]int{} // indexes into all
	for _, e := range events {
		if e.Op == OpAcquire && e.Type == OK {
			if n, holds := newest[e.Process]; holds {
				all[n].stop(e.At)
			}
			byGrant[e.Grant], newest[e.Process] = len(all), len(all)
			all = append(all, tenure{Event: e, believed: now, believes: true})
			continue
		}
		i, granted := byGrant[e.Grant]
		if granted {
			all[i].see(e)
		}
		if n, holds := newest[e.Process]; holds && (!granted || n != i) {
			all[n].see(e)
		}
	}
	return all
}

func (t *tenure) see(e Event) {
	mine := e.Grant == t.Grant
	switch {
	case mine && (e.Op == OpExpire || e.Op == OpVanish) && !t.over:
		t.ended, t.over = e.At, true
	case mine && e.Op == OpRelease && e.Type == Invoke:
		t.stop(e.At)
	case mine && e.Op == OpRelease && e.Type == OK && !t.over:
		t.ended, t.over = e.At, true
	case mine && e.Op == OpRenew && e.Type == Fail, // it learned
		mine && e.Op == OpWrite && e.Type == Fail && e.Process == t.Process,
		e.Process == t.Process && (e.Op == OpKill || e.Op == OpExit):
		t.stop(e.At)
	}
}

func (t *tenure) stop(at time.Duration) {
	if t.believes {
		t.believed, t.believes = at, false
	}
}

// col is the column of a time, which may lie outside.
func (p picture) col(at time.Duration) int {
	return int(int64(at-p.From) * int64(p.n) / int64(p.To-p.From))
}

func (p picture) blank() []Cell {
	return slices.Repeat([]Cell{{' ', Plain}}, p.n)
}

// fill draws a run of one rune.
func (p picture) fill(row []Cell, from, to time.Duration, r rune, c Class) {
	for i := max(0, p.col(from)); i < min(p.n, max(p.col(to), p.col(from)+1)); i++ {
		row[i] = Cell{r, c}
	}
}

// write puts text at a column, as far as there is room before end.
func write(row []Cell, col, end int, text string, c Class) {
	for _, r := range text {
		if col >= min(end, len(row)) {
			return
		}
		if col >= 0 {
			row[col] = Cell{r, c}
		}
		col++
	}
}

// bar draws "├─ text ──" from one time to another, closed with ┤ if it ended. It
// carries the first of the texts that there is room for.
func (p picture) bar(row []Cell, from, to time.Duration, ended bool, c Class, texts ...string) {
	p.fill(row, from, to, '─', c)
	a, b := p.col(from), p.col(to)
	if a >= 0 && a < p.n {
		row[a] = Cell{'├', c}
	}
	if ended && b-1 > a && b-1 >= 0 && b-1 < p.n {
		row[b-1] = Cell{'┤', c}
	}
	room := min(b, p.n) - max(a, 0) - 5
	for _, text := range texts {
		if len([]rune(text)) <= room {
			write(row, max(a, 0)+2, min(b, p.n)-1, " "+text+" ", c)
			return
		}
	}
}

// steps are the distances that marks of the axis may have.
var steps = []time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute,
}

func (p picture) axis() Lane {
	const apart = 9 // columns
	row := p.blank()
	step := steps[len(steps)-1]
	for _, s := range slices.Backward(steps) {
		if int64(s)*int64(p.n) >= apart*int64(p.To-p.From) {
			step = s
		}
	}
	for at := (p.From + step - 1) / step * step; at <= p.To; at += step {
		if text := Span(at); p.col(at)+len(text) <= p.n {
			write(row, p.col(at), p.n, text, Axis)
		}
	}
	return Lane{Cells: row}
}

// Span writes a length of time for people: 12 ms, 412 ms, 2.9 s.
func Span(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	}
	return d.Round(time.Second).String()
}

// clients are the processes that acquire, in order of name.
func (p picture) clients() []string {
	var names []string
	for _, e := range p.events {
		if e.Op == OpAcquire && !slices.Contains(names, e.Process) {
			names = append(names, e.Process)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxLanes)]
}

// maxLanes is how many clients, and how many rows of writes, are drawn.
const maxLanes = 8

func (p picture) thinks(name string) Lane {
	l := Lane{Who: name, What: "thinks", Cells: p.blank()}
	for _, t := range p.spans {
		if t.Process != name {
			continue
		}
		rightly := t.believed
		if t.overstay() > 0 {
			rightly = t.ended
		}
		p.bar(l.Cells, t.At, rightly, !t.believes, Belief, "I hold "+t.Resource, "I hold it", "mine")
		if d := t.overstay(); d > 0 {
			p.fill(l.Cells, t.ended, t.believed, '═', Overstay)
			l.Note = Span(d) + " too long"
		}
	}
	return l
}

func (p picture) is(name string) Lane {
	l := Lane{Who: "", What: "is", Cells: p.blank()}
	from, asleep := time.Duration(-1), false
	draw := func(to time.Duration) {
		switch {
		case from < 0:
		case asleep:
			p.fill(l.Cells, from, to, '·', Stopped)
			if room := p.col(to) - p.col(from); room > 10 {
				write(l.Cells, p.col(from)+1, p.n, " stopped ", Stopped)
			}
		default:
			p.fill(l.Cells, from, to, '▇', Running)
		}
	}
	for _, e := range p.events {
		if e.Process != name {
			continue
		}
		switch {
		case from < 0:
			from = e.At
		case e.Op == OpPause, e.Op == OpResume:
			draw(e.At)
			from, asleep = e.At, e.Op == OpPause
		case e.Op == OpKill, e.Op == OpExit:
			draw(e.At)
			p.fill(l.Cells, e.At, e.At, '✗', Dead)
			return l
		}
	}
	draw(p.To)
	return l
}

// service is whose lease the lock service honours.
func (p picture) service() Lane {
	l := Lane{Who: p.serviceName(), Cells: p.blank()}
	for _, t := range p.spans {
		to := p.To
		if t.over {
			to = t.ended
		}
		p.bar(l.Cells, t.At, to, t.over, Served, t.Process+", "+tokenText(t.Token), t.Process)
	}
	return l
}

func tokenText(token uint64) string {
	if token == 0 {
		return "no token"
	}
	return fmt.Sprintf("token %d", token)
}

// serviceName is what the nodes are called, without their number.
func (p picture) serviceName() string {
	for _, e := range p.events {
		if e.Op == OpStart {
			name, _, _ := strings.Cut(e.Process, "-")
			return name
		}
	}
	return "service"
}

// nodes draws the servers, where there are several.
func (p picture) nodes() []Lane {
	var lanes []Lane
	for _, e := range p.events {
		if e.Op == OpStart {
			lanes = append(lanes, p.node(e))
		}
	}
	if len(lanes) < 2 {
		return nil
	}
	return lanes
}

func (p picture) node(start Event) Lane {
	l := Lane{Who: start.Process, Cells: p.blank()}
	from, role := start.At, start.Detail
	for _, e := range p.events {
		if e.Process != start.Process {
			continue
		}
		switch e.Op {
		case OpKill, OpCut:
			p.bar(l.Cells, from, e.At, false, Node, role, firstWord(role))
			text := map[Op]string{OpKill: "✗ killed", OpCut: "✗ out of reach"}[e.Op]
			write(l.Cells, clampCol(p.col(e.At), text, p.n), p.n, text, Dead)
			return l
		case OpLag:
			role += ", lagging"
		case OpPromote, OpElect:
			p.bar(l.Cells, from, e.At, false, Node, role, firstWord(role))
			from, role = e.At, map[Op]string{OpPromote: "promoted", OpElect: "leader"}[e.Op]
		}
	}
	p.bar(l.Cells, from, p.To, false, Node, role, firstWord(role))
	return l
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, ",")
	return word
}

// clampCol moves text left as far as it needs to fit.
func clampCol(col int, text string, n int) int {
	return max(0, min(col, n-len([]rune(text))))
}
