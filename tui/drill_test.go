package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
)

func drillAll(env *Env) *App { return NewDrill(env, drills.Filter{}) }

// topic drills the one card of a topic.
func topic(name string) func(*Env) *App {
	return func(env *Env) *App { return NewDrill(env, drills.Filter{Topic: name}) }
}

func (d *driver) drill() *drill {
	d.Helper()
	s, ok := d.app.top().(*drill)
	if !ok {
		d.Fatalf("the screen is a %T", d.app.top())
	}
	return s
}

func TestDrillScreens(t *testing.T) {
	drive(t, someDays, drillAll, func(d *driver) {
		goldenScreen(t, "card-asked", d.app)
		d.press("space")
		goldenScreen(t, "card-revealed", d.app)
		for range 20 {
			if d.drill().stage == drillOver {
				break
			}
			d.press("space", "3")
		}
		goldenScreen(t, "drill-over", d.app)
	})
	drive(t, nil, topic("must-not-run-twice"), func(d *driver) {
		goldenScreen(t, "card-long-asked", d.app)
		d.press("space")
		goldenScreen(t, "card-long", d.app)
		d.press("pgdown", "pgdown", "pgdown", "pgdown")
		goldenScreen(t, "card-long-scrolled", d.app)
	})
	drive(t, nil, topic("etcd-zookeeper"), func(d *driver) {
		d.press("space")
		goldenScreen(t, "card-wide", d.app)
	})
	drive(t, nil, topic("nothing"), func(d *driver) { goldenScreen(t, "drill-nothing", d.app) })
}

// Letters name the lines of an order, and the answer names the letters.
func TestCardKinds(t *testing.T) {
	drive(t, nil, topic("lease-vs-token"), func(d *driver) {
		goldenScreen(t, "card-cloze", d.app)
		d.press("space", "4")
		goldenScreen(t, "card-order", d.app)
		d.press("space")
		goldenScreen(t, "card-order-revealed", d.app)
	})
	drive(t, nil, topic("when-not-to-lock"), func(d *driver) {
		d.press("space")
		goldenScreen(t, "card-choice-revealed", d.app)
	})
}

// An option can be picked before the answer shows; that alone grades nothing.
func TestPickBeforeTheAnswer(t *testing.T) {
	for letter, want := range map[string]string{"a": "You picked a, which is not so.", "b": "You picked b, which is right."} {
		drive(t, nil, topic("when-not-to-lock"), func(d *driver) {
			if s := d.screen(); !strings.Contains(s, "a–b pick") {
				t.Errorf("no key to pick:\n%s", s)
			}
			d.press("c")
			if d.drill().stage != drillAsked {
				t.Error("a letter that no option has shows the answer")
			}
			d.press(letter)
			if s := d.screen(); !strings.Contains(s, want) || d.reviews() != 0 {
				t.Errorf("%d answers, and no %q in:\n%s", d.reviews(), want, s)
			}
		})
	}
}

// A16: only a key pressed when the answer is on the screen and has settled grades.
func TestTypeAheadNeverGrades(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*driver)
		want int
	}{
		{"before the card is there", func(d *driver) { d.ahead("space", "3") }, 0},
		{"space 3 3 at once", func(d *driver) { d.settle(); d.ahead("space", "3", "3") }, 0},
		{"and then a real 3", func(d *driver) { d.settle(); d.ahead("space", "3", "3"); d.settle(); d.press("3") }, 1},
		{"3 held over two cards", func(d *driver) {
			d.press("space")
			for range 40 {
				d.ahead("3")
				d.drain()
			}
		}, 1},
		{"left over from the last card", func(d *driver) { d.press("space"); d.ahead("3"); d.drain(); d.ahead("space", "3"); d.settle() }, 1},
		{"pasted", func(d *driver) { d.press("space"); d.handle(tea.PasteMsg{Content: "3"}); d.settle() }, 0},
		{"unrevealed", func(d *driver) { d.press("3", "4", "1") }, 0},
		{"one at a time", func(d *driver) { d.press("space", "3", "space", "1", "enter", "4") }, 3},
	} {
		drive(t, nil, drillAll, func(d *driver) {
			c.do(d)
			d.settle()
			if got := d.reviews(); got != c.want {
				t.Errorf("%s: %d answers, want %d\n%s", c.name, got, c.want, d.screen())
			}
		})
	}
}

func TestDrillUndo(t *testing.T) {
	drive(t, nil, drillAll, func(d *driver) {
		first := d.drill().card.ID
		before, _ := d.drill().title()
		d.press("u")
		if s := d.screen(); !strings.Contains(s, "nothing to undo") {
			t.Errorf("undo before the first answer says\n%s", s)
		}
		d.press("space", "3", "space", "4", "u", "u")
		after, standing := d.drill().title()
		if d.drill().card.ID != first || d.reviews() != 0 || after != before || !strings.HasPrefix(standing, "1 of 7") {
			t.Errorf("after undoing all: card %s, %d answers, title %q %q", d.drill().card.ID, d.reviews(), after, standing)
		}
	})
}

// The lab of a card opens and comes back to the same card, still revealed.
func TestProveItComesBack(t *testing.T) {
	drive(t, nil, topic("redis-missed-cases"), func(d *driver) {
		d.press("l")
		if len(d.app.stack) != 1 {
			t.Error("the lab gives the answer away before it is revealed")
		}
		d.press("space")
		before := d.screen()
		d.handle(openMsg{newStats(d.app.env)}) // any screen on top
		d.press("esc")
		if after := d.screen(); after != before {
			t.Errorf("came back to\n%s", after)
		}
		d.press("3")
		if d.reviews() != 1 {
			t.Error("the card cannot be graded after coming back")
		}
	})
}

// An answer that cannot be saved is said, and the card stays.
func TestFailureToSave(t *testing.T) {
	drive(t, nil, drillAll, func(d *driver) {
		d.press("space")
		card := d.drill().card.ID
		d.drill().session, _ = drills.NewSession(context.Background(), d.app.env.Record, nil, drills.Filter{}, noon) // no card is shown to it
		d.press("3")
		if s := d.screen(); !strings.Contains(s, "▎") || d.drill().card.ID != card || d.drill().stage != drillRevealed {
			t.Errorf("the failure is not said, or the card is gone:\n%s", s)
		}
	})
}

// The number on home, in the header and of the cards shown are one (A8).
func TestCountsAgree(t *testing.T) {
	drive(t, someDays, New, func(d *driver) {
		h := d.app.top().(*home)
		waiting := h.known.stats.Due + h.known.stats.New
		d.press("d")
		shown := 0
		for d.drill().stage != drillOver {
			if shown == 0 && !strings.Contains(d.screen(), "1 of 5") || waiting != 5 {
				t.Errorf("home says %d:\n%s", waiting, d.screen())
			}
			d.press("space", "4")
			shown++
		}
		if shown != waiting {
			t.Errorf("%d cards shown, %d announced", shown, waiting)
		}
	})
}

var errDisk = errors.New("the disk is full")

func TestErrorsAreSaidAndGo(t *testing.T) {
	drive(t, nil, drillAll, func(d *driver) {
		d.handle(failedMsg{errDisk})
		if !strings.Contains(d.screen(), "▎ the disk is full") {
			t.Errorf("not said:\n%s", d.screen())
		}
		d.press("down")
		if strings.Contains(d.screen(), errDisk.Error()) {
			t.Error("the error stays after a key")
		}
	})
}
