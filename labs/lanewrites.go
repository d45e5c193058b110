package labs

import (
	"fmt"
	"slices"
)

// store draws each write as landed or refused, on as many rows as it takes for
// none to hide another.
func (p picture) store() []Lane {
	lanes := []Lane{{Who: "store", Cells: p.blank()}}
	free := []int{0} // by row: the first column still free
	for _, e := range p.events {
		if e.Process != StoreName || e.Op != OpWrite || e.At < p.From || e.At > p.To {
			continue
		}
		text, class := p.writeMark(e), Landed
		if e.Type != OK {
			class = Refused
		}
		col := clampCol(p.col(e.At), text, p.n)
		row := slices.IndexFunc(free, func(f int) bool { return f <= col })
		if row < 0 && len(free) == maxLanes {
			continue // a screen full of writes: the rest is in the list of events
		}
		if row < 0 {
			row, free = len(free), append(free, 0)
			lanes = append(lanes, Lane{Cells: p.blank()})
		}
		write(lanes[row].Cells, col, p.n, text, class)
		free[row] = col + len([]rune(text)) + 1
	}
	return lanes
}

func (p picture) invoker(e Event) string {
	if e.Call >= 1 && e.Call <= len(p.events) {
		return p.events[e.Call-1].Process
	}
	return ""
}

// writeMark is a write as it stands in the store's lane: who wrote what, under
// which token, and, if it was refused, below which one.
func (p picture) writeMark(e Event) string {
	text := p.invoker(e) + " " + e.Value
	switch {
	case e.Type != OK:
		return fmt.Sprintf("✗ %s (%d < %d)", text, e.Token, p.seen(e))
	case e.Token > 0:
		return fmt.Sprintf("● %s (%d)", text, e.Token)
	}
	return "● " + text
}

// seen is the highest token that the store had registered before an event.
func (p picture) seen(before Event) uint64 {
	var highest uint64
	for _, e := range p.events {
		if e.Seq >= before.Seq {
			break
		}
		if e.Process == StoreName && e.Type == OK && e.Resource == before.Resource && (e.Op == OpClaim || e.Op == OpWrite) {
			highest = max(highest, e.Token)
		}
	}
	return highest
}
