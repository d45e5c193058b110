package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// quiet is how long no key must come before one counts.
const quiet = 150 * time.Millisecond

// gate keeps keys from answering what nobody has seen. It opens once a new state
// has been on the screen for a while in which no key came: a key typed ahead, held
// down or pasted as keys finds it closed.
type gate struct {
	of   screen
	n    int // of the timer that may open it
	open bool
}

type gateMsg struct{ n int }

// shut closes the gate because something new is on the screen.
func (g *gate) shut() tea.Cmd {
	g.n++
	g.open = false
	n, of := g.n, g.of
	return tea.Tick(quiet, func(time.Time) tea.Msg { return toMsg{of, gateMsg{n}} })
}

// pass says whether a key may act. One that came too early starts the wait anew.
func (g *gate) pass() (bool, tea.Cmd) {
	if g.open {
		return true, nil
	}
	return false, g.shut()
}

// tick opens the gate if the timer is the latest.
func (g *gate) tick(m gateMsg) {
	if m.n == g.n {
		g.open = true
	}
}
