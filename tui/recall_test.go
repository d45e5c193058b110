package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
)

// answer is what somebody says to point 3, with one thing that is wrong.
const answer = "SET with NX and a TTL is just a boolean with a timer. If the holder hits a long gc pause the key expires " +
	"and somebody else gets in. On failover the replica may not have the key. Redlock solves that."

func marked(env *Env) *drills.Attempt {
	p := env.Points[2]
	m := recall.Marked{Wrong: []recall.MarkedWrong{{ID: 1, Statement: p.Wrong[0].Statement, Quote: "Redlock solves that", Why: p.Wrong[0].Why, Lab: "pause"}}}
	for i, quote := range []string{"a boolean with a timer", "long gc pause the key expires", "the replica may not have the key", "", ""} {
		m.Ideas = append(m.Ideas, recall.MarkedIdea{ID: i + 1, Name: p.Ideas[i].Name, Found: quote != "", Quote: quote})
	}
	return drills.NewAttempt(p, m)
}

func typed(env *Env) *App { return NewRecall(env, env.Points[2], 0) }

func aloud(env *Env) *App { return NewRecall(env, env.Points[2], 75*time.Second) }

func (d *driver) saying() *saying {
	d.Helper()
	s, ok := d.app.top().(*saying)
	if !ok {
		d.Fatalf("the screen is a %T", d.app.top())
	}
	return s
}

func (d *driver) recalls() []progress.RecallAttempt {
	d.Helper()
	all, err := d.app.env.Record.Recalls(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	return all
}

func TestPointsScreen(t *testing.T) {
	drive(t, someDays, New, func(d *driver) {
		d.press("p", "down", "down")
		goldenScreen(t, "points", d.app)
		d.press("enter")
		goldenScreen(t, "points-told", d.app)
	})
}

func TestRecallTyped(t *testing.T) {
	drive(t, nil, typed, func(d *driver) {
		goldenScreen(t, "recall-empty", d.app)
		d.write(answer)
		goldenScreen(t, "recall-typed", d.app)
		d.press("ctrl+d")
		d.saying().attempt = marked(d.app.env) // the marks of the screens stay when the marking gets better
		goldenScreen(t, "recall-marked", d.app)
		found := d.saying().attempt.Found()
		d.press("down", "space")
		if d.saying().attempt.Found() == found {
			t.Error("space does not change a mark")
		}
		goldenScreen(t, "recall-overruled", d.app)
		d.press("enter")
		all := d.recalls()
		if len(all) != 1 || len(all[0].Overruled) != 1 || all[0].Overruled[0] != 2 || all[0].Aloud {
			t.Errorf("recorded %+v", all)
		}
	})
}

// B13: every printable key is text, and nothing acts on it.
// Line breaks of other systems, which terminals paste, are line breaks.
func TestPastedLineBreaks(t *testing.T) {
	drive(t, nil, typed, func(d *driver) {
		d.handle(tea.PasteMsg{Content: "the lease\rthe token\r\nthe store\nand the \x1b[2J rest"})
		d.drain()
		if got, want := d.saying().text.Value(), "the lease\nthe token\nthe store\nand the ␛[2J rest"; got != want {
			t.Errorf("pasted %q, want %q", got, want)
		}
	})
}

func TestTextFieldTakesEveryKey(t *testing.T) {
	const text = "quorum? jk 1 2 3 :q ZZ"
	drive(t, nil, typed, func(d *driver) {
		d.write(text)
		if got := d.saying().text.Value(); got != text || d.over || d.app.help {
			t.Errorf("the field holds %q", got)
		}
		d.handle(tea.PasteMsg{Content: " pasted\nlines"})
		if got := d.saying().text.Value(); got != text+" pasted\nlines" {
			t.Errorf("after a paste it holds %q", got)
		}
	})
}

// esc asks before it discards; what is left of a split key sequence is no answer.
func TestEscAsks(t *testing.T) {
	drive(t, nil, New, func(d *driver) {
		d.press("p", "t", "esc")
		if _, ok := d.app.top().(*points); !ok {
			t.Fatalf("esc without text stays at %T", d.app.top())
		}
		d.press("t")
		d.write("a lease")
		d.press("esc")
		goldenScreen(t, "recall-asks", d.app)
		d.ahead("[", "A")
		d.press("n")
		if got := d.saying().text.Value(); got != "a lease" {
			t.Errorf("after staying the field holds %q", got)
		}
		d.press("esc", "y")
		if _, ok := d.app.top().(*points); !ok || len(d.recalls()) != 0 {
			t.Errorf("y leads to %T, %d recorded", d.app.top(), len(d.recalls()))
		}
	})
}

func TestMarksAreNotLostByEsc(t *testing.T) {
	drive(t, nil, typed, func(d *driver) {
		d.write(answer)
		d.press("ctrl+d", "esc")
		if !strings.Contains(d.screen(), "Leave without keeping") {
			t.Errorf("esc does not ask:\n%s", d.screen())
		}
		d.press("n", "r")
		if s := d.saying(); s.stage != sayTyping || s.text.Value() != "" || len(d.recalls()) != 1 {
			t.Errorf("r: stage %d, text %q, %d recorded", s.stage, s.text.Value(), len(d.recalls()))
		}
	})
}

func TestNothingTypedIsNoAttempt(t *testing.T) {
	drive(t, nil, typed, func(d *driver) {
		d.press("ctrl+d")
		if s := d.screen(); !strings.Contains(s, "nothing is typed yet") || d.saying().stage != sayTyping {
			t.Errorf("marking nothing:\n%s", s)
		}
	})
}

func TestDismissAWrongStatement(t *testing.T) {
	drive(t, nil, typed, func(d *driver) {
		d.write(answer)
		d.press("ctrl+d", "pgdown")
		if d.saying().marks.wrong(d.saying().attempt) == nil {
			t.Fatalf("no wrong statement is marked:\n%s", d.screen())
		}
		d.press("space", "enter")
		if all := d.recalls(); len(all) != 1 || len(all[0].Wrong) != 0 {
			t.Errorf("recorded %+v", all)
		}
	})
}

func TestAloud(t *testing.T) {
	drive(t, nil, aloud, func(d *driver) {
		goldenScreen(t, "aloud", d.app)
		time.Sleep(30 * time.Second)
		d.drain()
		if s := d.screen(); !strings.Contains(s, "0:4") {
			t.Errorf("after half a minute:\n%s", s)
		}
		for d.saying().stage == sayAloud {
			time.Sleep(time.Second)
			d.drain()
		}
		d.ahead("enter") // meant for the clock
		d.settle()
		goldenScreen(t, "aloud-tick", d.app)
		d.press("space", "space", "down", "space", "enter")
		all := d.recalls()
		if len(all) != 1 || !all[0].Aloud || all[0].Found != 3 || len(all[0].Overruled) != 0 {
			t.Errorf("recorded %+v", all)
		}
	})
}
