package labs

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"
)

// Histories that are drawn; their times are round, so that the pictures can be
// read.
var drawn = map[string]string{
	"late": `
		0   redis-1 ok     start detail=primary
		10  A     invoke acquire until=410
		12  A     ok     acquire call=2 grant=1 until=410
		100 A     ok     pause
		412 redis-1 ok   expire grant=1
		420 B     invoke acquire until=820
		422 B     ok     acquire call=6 grant=2 until=820
		450 B     invoke write grant=2 value=200 base=1
		452 store ok     write call=8 grant=2 value=200 base=1 v=2
		453 B     ok     write call=8 grant=2
		500 A     ok     resume
		502 A     invoke write grant=1 value=100 base=1
		504 store ok     write call=12 grant=1 value=100 base=1 v=3
		505 A     ok     write call=12 grant=1
	`,
	"fenced": `
		0   etcd-1 ok    start detail=leader
		0   etcd-2 ok    start detail=follower
		0   etcd-3 ok    start detail=follower
		10  A     invoke acquire until=1010
		20  A     ok     acquire call=4 grant=1 token=12 until=1010
		200 etcd-1 ok    kill
		350 etcd-2 ok    elect
		400 A     ok     pause
		1300 etcd ok     expire grant=1 token=12
		1310 B    invoke acquire until=2310
		1320 B    ok     acquire call=10 grant=2 token=13 until=2310
		1400 B    invoke write grant=2 token=13 value=200 base=1
		1402 store ok    write call=12 grant=2 token=13 value=200 base=1 v=2
		1500 A    ok     resume
		1505 A    invoke write grant=1 token=12 value=100 base=1
		1507 store fail  write call=15 grant=1 token=12 value=100 base=1
		1508 A    fail   write call=15 grant=1 token=12
	`,
	"dead": `
		0   redis-1 ok    start detail=primary
		0   redis-2 ok    start detail=replica
		5   redis-2 ok    lag
		10  A     invoke acquire until=30010
		11  A     ok     acquire call=4 grant=1 until=30010
		20  redis-1 ok   kill
		25  redis-2 ok   promote
		26  redis-2 ok   vanish grant=1
		30  B     invoke acquire until=30030
		31  B     ok     acquire call=9 grant=2 until=30030
		60  B     ok     kill
		70  A     fail   exit
	`,
}

func TestLanes(t *testing.T) {
	for name, history := range drawn {
		events := handmade(t, history)
		last := events[len(events)-1].At
		for _, width := range []int{40, 64, 100} {
			for what, w := range map[string]Window{
				"whole": {To: last + last/50}, "end": {From: last / 2, To: last + last/50}, "begin": {To: last / 3},
			} {
				t.Run(fmt.Sprintf("%s-%d-%s", name, width, what), func(t *testing.T) {
					golden.RequireEqual(t, picturedLanes(Draw(events, w, width)))
				})
			}
		}
	}
}

// picturedLanes writes lanes for reading, with the ends of the cells marked.
func picturedLanes(lanes []Lane) string {
	var b strings.Builder
	for _, l := range lanes {
		cells := make([]rune, len(l.Cells))
		for i, c := range l.Cells {
			cells[i] = c.Rune
		}
		fmt.Fprintf(&b, "%-8s %-7s|%s|%s\n", l.Who, l.What, string(cells), l.Note)
	}
	return b.String()
}

// Whatever happened and however it is looked at, a lane has exactly the cells
// asked for, of one column each, and its note fits.
func TestEveryLaneFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(rapid.Bool().Draw(t, "right"), rapid.Bool().Draw(t, "fenced"), true)
		m.run(t)
		ms := rapid.IntRange(-500, 5000)
		w := Window{From: time.Duration(ms.Draw(t, "from")) * time.Millisecond, To: time.Duration(ms.Draw(t, "to")) * time.Millisecond}
		n := rapid.IntRange(-1, 130).Draw(t, "cells")
		for _, l := range Draw(m.events, w, n) {
			if len(l.Cells) != n {
				t.Fatalf("lane %s %s has %d cells of %d", l.Who, l.What, len(l.Cells), n)
			}
			if utf8.RuneCountInString(l.Note) > NoteWidth {
				t.Fatalf("note %q is too wide", l.Note)
			}
			for _, c := range l.Cells {
				if c.Rune < ' ' {
					t.Fatalf("lane %s %s has a cell of %U", l.Who, l.What, c.Rune)
				}
			}
		}
	})
}
