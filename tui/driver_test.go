package tui

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
	"lockdrill/labs"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// driver stands in for Bubble Tea: it runs commands and hands on their messages,
// in a bubble of its own time.
type driver struct {
	*testing.T
	app  *App
	msgs chan tea.Msg
	over bool // the program was asked to end
}

// drive runs a test of the app that first makes, over the test deck and a record
// that is empty until seed fills it.
func drive(t *testing.T, seed func(*testing.T, *progress.Record), first func(*Env) *App, test func(*driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		env := testEnv(t, t.TempDir())
		if seed != nil {
			seed(t, env.Record)
		}
		d := &driver{T: t, app: first(env), msgs: make(chan tea.Msg, 1000)}
		d.app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.run(d.app.Init())
		d.settle()
		test(d)
		d.app.Close()
		time.Sleep(2 * time.Second) // lets the last timers end
		synctest.Wait()
		if err := d.app.env.Record.Close(); err != nil { // what it runs belongs to the bubble
			t.Error(err)
		}
	})
}

func testEnv(t testing.TB, dir string) *Env {
	t.Helper()
	time.Local = time.UTC // what is shown of the time of day must not depend on the machine
	material, err := drills.Load([]string{"testdata/deck.md"}, []string{"pause", "failover"})
	if err != nil {
		t.Fatal(err)
	}
	points, err := recall.Points()
	if err != nil {
		t.Fatal(err)
	}
	record, err := progress.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { record.Close() })
	clock, err := drills.NewClock(noon.Format(time.RFC3339))
	if err != nil {
		t.Fatal(err)
	}
	return &Env{Ctx: context.Background(), Material: material, Points: points, Record: record, Clock: clock,
		labs: labs.All()[:2]} // so that more labs do not change the screens
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { d.msgs <- cmd() }()
	}
}

// drain hands on messages until no command is at work; one that waits for a time
// is left waiting.
func (d *driver) drain() {
	for {
		synctest.Wait()
		select {
		case msg := <-d.msgs:
			d.handle(msg)
		default:
			return
		}
	}
}

func (d *driver) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.run(cmd)
		}
	case tea.QuitMsg:
		d.over = true
	default:
		_, cmd := d.app.Update(msg)
		d.app.View()
		d.run(cmd)
	}
}

// settle lets the time pass in which no key may come.
func (d *driver) settle() {
	d.drain()
	time.Sleep(quiet + time.Millisecond)
	d.drain()
}

// press presses keys one after the other, each when the screen has settled.
func (d *driver) press(keys ...string) {
	for _, k := range keys {
		d.handle(keyMsg(k))
		d.settle()
	}
}

// ahead presses keys without waiting for anything.
func (d *driver) ahead(keys ...string) {
	for _, k := range keys {
		d.handle(keyMsg(k))
	}
}

// write types text.
func (d *driver) write(text string) {
	for _, r := range text {
		d.handle(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	d.drain()
}

func (d *driver) screen() string { return grid(d.app, 80, 24) }

var namedKeys = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "space": {Code: tea.KeySpace, Text: " "},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
	"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "tab": {Code: tea.KeyTab},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl},
}

func keyMsg(name string) tea.KeyPressMsg {
	if k, ok := namedKeys[name]; ok {
		return k
	}
	r := []rune(name)
	if len(r) != 1 {
		panic(fmt.Sprintf("no key is called %q", name))
	}
	return tea.KeyPressMsg{Code: r[0], Text: name}
}

// reviews counts the answers that stand.
func (d *driver) reviews() int {
	d.Helper()
	days, err := d.app.env.Record.Days(context.Background())
	if err != nil {
		d.Fatal(err)
	}
	n := 0
	for _, day := range days {
		n += day.Reviews
	}
	return n
}
