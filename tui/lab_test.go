package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lockdrill/labs"
	"lockdrill/labs/lock"
)

// pausedRun is a run of the pause lab, made by hand: the same on every machine.
func pausedRun(fenced bool) []labs.Event {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	const job = "job:44"
	write := func(rows string, last string) []lock.Exchange {
		return []lock.Exchange{{Request: "UPDATE resource SET value = '100', version = version + 1" + last, Reply: rows}}
	}
	late := labs.Event{At: ms(6600), Process: labs.StoreName, Type: labs.OK, Op: labs.OpWrite, Call: 17, Resource: job, Grant: 1, Version: 3, Base: 1, Value: "100",
		Wire: write("1 row", " WHERE id = 'job:44'")}
	tokens := [2]uint64{}
	if fenced {
		tokens = [2]uint64{12, 13}
		late.Type, late.Err, late.Token, late.Version = labs.Fail, "stale token", 12, 0
		late.Wire = write("0 rows", ", last_token = 12 WHERE id = 'job:44' AND last_token <= 12")
	}
	service := map[bool]string{true: "etcd", false: "redis"}[fenced]
	events := []labs.Event{
		{At: ms(2), Process: service + "-1", Type: labs.OK, Op: labs.OpStart, Detail: "primary"},
		{At: ms(5), Process: "A", Type: labs.Invoke, Op: labs.OpAcquire, Resource: job, Until: ms(3005)},
		{At: ms(30), Process: "A", Type: labs.OK, Op: labs.OpAcquire, Call: 2, Resource: job, Grant: 1, Token: tokens[0], Until: ms(3005),
			Wire: []lock.Exchange{{Request: "SET job:44 f3a1 PX 3000 NX", Reply: "OK"}}},
		{At: ms(40), Process: "A", Type: labs.Invoke, Op: labs.OpRead, Resource: job, Grant: 1, Token: tokens[0]},
		{At: ms(45), Process: labs.StoreName, Type: labs.OK, Op: labs.OpRead, Call: 4, Resource: job, Grant: 1, Value: "0", Version: 1},
		{At: ms(50), Process: "A", Type: labs.OK, Op: labs.OpRead, Call: 4, Resource: job, Grant: 1, Value: "0", Version: 1},
		{At: ms(700), Process: "A", Type: labs.OK, Op: labs.OpPause},
		{At: ms(3010), Process: service + "-1", Type: labs.OK, Op: labs.OpExpire, Resource: job, Grant: 1},
		{At: ms(3500), Process: "B", Type: labs.Invoke, Op: labs.OpAcquire, Resource: job, Until: ms(6500)},
		{At: ms(3520), Process: "B", Type: labs.OK, Op: labs.OpAcquire, Call: 9, Resource: job, Grant: 2, Token: tokens[1], Until: ms(6500)},
		{At: ms(3530), Process: "B", Type: labs.Invoke, Op: labs.OpRead, Resource: job, Grant: 2, Token: tokens[1]},
		{At: ms(3540), Process: "B", Type: labs.OK, Op: labs.OpRead, Call: 11, Resource: job, Grant: 2, Value: "0", Version: 1},
		{At: ms(4200), Process: "B", Type: labs.Invoke, Op: labs.OpWrite, Resource: job, Grant: 2, Token: tokens[1], Base: 1, Value: "200"},
		{At: ms(4210), Process: labs.StoreName, Type: labs.OK, Op: labs.OpWrite, Call: 13, Resource: job, Grant: 2, Token: tokens[1], Version: 2, Base: 1, Value: "200"},
		{At: ms(4220), Process: "B", Type: labs.OK, Op: labs.OpWrite, Call: 13, Resource: job, Grant: 2, Version: 2},
		{At: ms(6500), Process: "A", Type: labs.OK, Op: labs.OpResume},
		{At: ms(6510), Process: "A", Type: labs.Invoke, Op: labs.OpWrite, Resource: job, Grant: 1, Token: tokens[0], Base: 1, Value: "100"},
		late,
	}
	for i := range events {
		events[i].Seq = i + 1
	}
	return events
}

// labScreen is the pause lab as it looks after these events.
func labScreen(env *Env, events []labs.Event, o labs.Options) *lab {
	spec, err := labs.Named("pause")
	if err != nil {
		panic(err)
	}
	l := newLab(env, spec, o).(*lab)
	last := events[len(events)-1].At
	r := labs.Result{Lab: spec.Name, Options: l.opts, Granted: 3 * time.Second, Events: events, Verdict: labs.Judge(events)}
	l.run = &run{Result: r, lesson: spec.Lesson(r), now: last + 200*time.Millisecond, possible: []labs.Control{
		{Key: "p", Label: "stop A"}, {Key: "b", Label: "B tries"}, {Key: "w", Label: "A writes"}, {Key: "f", Label: "fence the store"},
	}}
	return l
}

func TestLabShowsTheSpanThatMatters(t *testing.T) {
	env := &Env{Ctx: context.Background(), styles: newStyles(Auto)}
	text := ansi.Strip(labScreen(env, pausedRun(false), labs.Options{}).body(80, 18))
	for _, want := range []string{"═", "3.8 s too long", "● B 200", "● A 100", "The store took it.", "1 row", "Lost: B's 200, overwritten by A.", "In the room:"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func TestLabShowsTheRefusal(t *testing.T) {
	env := &Env{Ctx: context.Background(), styles: newStyles(Auto)}
	text := ansi.Strip(labScreen(env, pausedRun(true), labs.Options{Service: "etcd", Store: labs.Fenced}).body(80, 18))
	for _, want := range []string{"✗ A 100 (12 < 13)", "The store refused it.", "0 rows", "A, token 12"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Lost:") {
		t.Errorf("nothing was lost, but:\n%s", text)
	}
}

// The arrows walk through the events; each is explained, and enter shows its wire.
func TestLabStepsThroughEvents(t *testing.T) {
	env := &Env{Ctx: context.Background(), styles: newStyles(Auto)}
	l := labScreen(env, pausedRun(false), labs.Options{})
	for range 15 {
		l.move(-1)
	}
	if got := l.run.Events[l.chosen].Seq; got != 3 {
		t.Fatalf("15 steps back from 18 chose event %d, want 3", got)
	}
	l.wire = true
	text := ansi.Strip(l.body(80, 18))
	for _, want := range []string{"event 3 of 18", "A is granted job:44 until 3005 ms: grant 1, no token", "SET job:44 f3a1 PX 3000 NX", "→ OK"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for range 40 {
		l.move(-1)
	}
	if l.chosen != 0 {
		t.Errorf("left stops at event %d, want 0", l.chosen)
	}
	for range 40 {
		l.move(1)
	}
	if l.chosen != -1 {
		t.Errorf("right ends at %d, want the newest", l.chosen)
	}
}

// A prediction is taken with a confidence and held against what happened.
func TestGuideHoldsThePredictionAgainstTheRun(t *testing.T) {
	q := labs.Question{Before: "resume A", Text: "What happens?", Answers: []labs.Prediction{
		{Text: "takes it", Came: func(v labs.Verdict) bool { return v.LateWrite == "landed" }},
		{Text: "refuses it", Came: func(v labs.Verdict) bool { return v.LateWrite == "fenced" }},
	}}
	for _, tt := range []struct {
		said   int
		fenced bool
		want   string
	}{
		{1, false, "You said: refuses it (sure). What happened: takes it."},
		{0, false, "You said: takes it (sure). So it was."},
		{0, true, "You said: takes it (sure). What happened: refuses it."},
	} {
		g := &guide{story: &labs.Story{}, question: q, said: &q.Answers[tt.said], sure: 2}
		if got := g.verdictOnPrediction(labs.Judge(pausedRun(tt.fenced))); got != tt.want {
			t.Errorf("said %d, fenced %t: %q, want %q", tt.said, tt.fenced, got, tt.want)
		}
	}
}

func BenchmarkLabFrame(b *testing.B) {
	env := &Env{Ctx: context.Background(), styles: newStyles(Auto)}
	events := pausedRun(false)
	for len(events) < 10_000 {
		e := labs.Event{Seq: len(events) + 1, At: 6700*time.Millisecond + time.Duration(len(events))*time.Millisecond, Process: "A", Type: labs.OK, Op: labs.OpRenew, Grant: 1}
		events = append(events, e)
	}
	l := labScreen(env, events, labs.Options{})
	for b.Loop() {
		if len(l.body(120, 36)) == 0 {
			b.Fatal("nothing drawn")
		}
	}
	b.ReportMetric(float64(len(events)), "events")
}

// However many frames come before the news, the lab says how long it was
// suspended, until the next key.
func TestLabSaysThatItWasSuspended(t *testing.T) {
	lab := func(env *Env) *App {
		a := NewLab(env, env.allLabs()[0], labs.Options{})
		a.stack[0] = labScreen(env, pausedRun(false), labs.Options{})
		return a
	}
	synctest.Test(t, func(t *testing.T) {
		env := testEnv(t, t.TempDir())
		a := lab(env)
		a.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		a.Update(keyMsg("ctrl+z"))
		time.Sleep(12 * time.Second)
		a.View()
		a.Update(tea.ResumeMsg{})
		if text := a.frame(); !strings.Contains(text, "suspended for 12 s") {
			t.Errorf("not said:\n%s", text)
		}
		a.Update(keyMsg("left"))
		if text := a.frame(); strings.Contains(text, "suspended for") {
			t.Errorf("still said:\n%s", text)
		}
		if err := env.Record.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A late write that landed can be tried again on a store that compares.
func TestLabOffersTheFence(t *testing.T) {
	env := &Env{Ctx: context.Background(), styles: newStyles(Auto)}
	for _, c := range []struct {
		fenced bool
		o      labs.Options
		want   bool
	}{{false, labs.Options{}, true}, {false, labs.Options{Store: labs.Fenced}, false}, {true, labs.Options{Service: "etcd", Store: labs.Fenced}, false}} {
		l := labScreen(env, pausedRun(c.fenced), c.o)
		if got := slices.ContainsFunc(l.keys(), func(k key.Binding) bool { return k.Help() == keyFenced.Help() }); got != c.want {
			t.Errorf("%+v: offered %t", c.o, got)
		}
	}
}

// On a small screen the list of labs says which of them are in sight, and the
// one that is chosen is.
func TestLabListSaysWhereItIs(t *testing.T) {
	drive(t, nil, func(env *Env) *App {
		env.labs = nil
		return newApp(env, newLabList)
	}, func(d *driver) {
		if s := grid(d.app, 60, 20); !strings.Contains(s, "1–8 of 15") {
			t.Errorf("at the top:\n%s", s)
		}
		for range 9 {
			d.press("down")
		}
		if s := grid(d.app, 60, 20); !strings.Contains(s, "▸ waiters") || !strings.Contains(s, "6–13 of 15") {
			t.Errorf("at the tenth:\n%s", s)
		}
		if s := grid(d.app, 80, 40); strings.Contains(s, "–15 of 15") {
			t.Errorf("all are in sight:\n%s", s)
		}
	})
}

// The question says which keys answer it.
func TestGuideNamesTheKeysOfItsAnswers(t *testing.T) {
	g := &guide{asking: true, story: &labs.Story{}, question: labs.Question{Answers: make([]labs.Prediction, 2)}}
	if got := g.choose().Help().Key; got != "1-2" {
		t.Errorf("two answers are chosen by %s", got)
	}
	g.chosen = 1
	if got := g.choose().Help().Key; got != "1-3" {
		t.Errorf("how sure one is, by %s", got)
	}
}
