package labs

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRedlockFaults(t *testing.T) {
	tests := []struct {
		service, fault, late, want, lesson string
	}{
		{"redlock", faultPause, "landed", "one-grant=held no-late-write=broken", "after its check"},
		{"redlock", faultClockJump, "landed", "one-grant=broken no-late-write=broken", "clock jumped"},
		{"redlock", faultRestart, "landed", "one-grant=broken no-late-write=broken", "without its memory"},
		{"redlock", faultEarlyPause, "none", "one-grant=held no-late-write=held", "believed nothing"},
		{"redis", faultClockJump, "landed", "one-grant=broken", "clock jumped"},
		{"redis", faultRestart, "landed", "one-grant=broken", "without its memory"},
	}
	for _, tt := range tests {
		t.Run(tt.service+" "+tt.fault, func(t *testing.T) {
			t.Parallel()
			r := run(t, "redlock", Options{Service: tt.service, Values: map[string]string{flagFault: tt.fault}})
			if r.Verdict.LateWrite != tt.late {
				t.Errorf("late write %s, want %s", r.Verdict.LateWrite, tt.late)
			}
			wantChecks(t, r, tt.want)
			wantLesson(t, r, tt.lesson)
			if t.Failed() {
				logEvents(t, r.Events)
			}
		})
	}
}

func TestLeader(t *testing.T) {
	for token, want := range map[string]string{"election-rev": "no-late-write=held holder-served=held", "election-header": "no-late-write=broken holder-served=broken"} {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			r := run(t, "leader", Options{Values: map[string]string{flagToken: token}})
			wantChecks(t, r, want)
			wantLesson(t, r, "term")
		})
	}
}

func TestOptimistic(t *testing.T) {
	for _, mode := range []string{modeNone, modeVersion, modeRowLock} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := run(t, "optimistic", Options{Values: map[string]string{flagMode: mode, flagWriters: "4"}})
			f := figures[contentions](r)
			if f.Acknowledged != 4*timesEach || f.Final+f.Lost != f.Acknowledged {
				t.Errorf("the figures do not add up: %+v", f.contention)
			}
			if (f.Lost > 0) != (mode == modeNone) || (len(r.Verdict.Lost) > 0) != (mode == modeNone) {
				t.Errorf("%d lost, named %d", f.Lost, len(r.Verdict.Lost))
			}
			if mode == modeVersion && f.Conflicts < 3 {
				t.Errorf("four writers who had all read met in %d conflicts", f.Conflicts)
			}
			if len(f.Sweep) != 6 || len(lastMeasure(r.Events).Bars) != 6 {
				t.Errorf("%d sweeps", len(f.Sweep))
			}
			wantLesson(t, r, "acknowledged")
		})
	}
}

func TestWaiters(t *testing.T) {
	t.Run("etcd wakes one", func(t *testing.T) {
		t.Parallel()
		r := run(t, "waiters", Options{Values: map[string]string{flagClients: "12"}})
		f := figures[handovers](r)
		if f.Clients != 12 || f.Releases != 11 || f.Wakeups != 11 || f.PerRelease != 1 || !f.InOrder {
			t.Errorf("measured %+v", f)
		}
		wantChecks(t, r, "one-grant=held tokens-rise=held")
		wantLesson(t, r, "order of their keys")
	})
	t.Run("redis wakes whoever polls", func(t *testing.T) {
		t.Parallel()
		r := run(t, "waiters", Options{Service: "redis", Values: map[string]string{flagClients: "12"}})
		if f := figures[handovers](r); f.Releases != 11 || f.Requests < f.Releases || f.InOrder {
			t.Errorf("measured %+v", f)
		}
		wantChecks(t, r, "one-grant=held")
		wantLesson(t, r, "polled")
	})
}

func TestHotKey(t *testing.T) {
	t.Parallel()
	r := run(t, "hot-key", Options{})
	f := figures[heats](r)
	var keys []int
	for _, h := range f.Bars {
		keys = append(keys, h.Keys)
		if h.PerSecond > h.Bound {
			t.Errorf("%d keys do %.1f jobs a second, more than 1/hold allows", h.Keys, h.PerSecond)
		}
	}
	if !slices.Equal(keys, []int{1, 2, 4, 8, 16, 1}) || !f.Bars[5].Moved {
		t.Errorf("bars %+v", f.Bars)
	}
	wantLesson(t, r, "another server")
}

func TestPlacement(t *testing.T) {
	t.Parallel()
	r := run(t, "placement", Options{})
	f := figures[moves](r)
	if f.Holders != 2 || f.To != "redis-4" || f.Moved < placedKeys/6 || f.Moved > placedKeys/3 {
		t.Errorf("measured %+v", f)
	}
	wantChecks(t, r, "one-grant=broken")
	wantLesson(t, r, "2 holders")
}

func TestCostOfOneService(t *testing.T) {
	t.Parallel()
	p, err := shops()[0].measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if p.N != costTries || p.P50 < 1 || p.P95 < p.P50 || p.P99 < p.P95 {
		t.Errorf("measured %+v", p)
	}
	raw, _ := json.Marshal(prices{JobMS: 10000, RequestMS: 5, Ops: []price{p}})
	r := Result{Lab: "cost", Events: []Event{{Seq: 1, Op: OpMeasure, Measured: raw}}}
	wantLesson(t, r, "redis set nx")
}

func TestMatrixOfOneService(t *testing.T) {
	t.Parallel()
	last := 0
	m, err := RunMatrix(context.Background(), []string{"redis-incr"}, func(done, total int) { last = total - done })
	if err != nil || last != 0 {
		t.Fatalf("%d cells left: %v", last, err)
	}
	want := map[string][]string{
		Unfenced: {"landed", "landed", "landed", "landed", "landed", "landed", "landed", "landed"},
		Fenced:   {"fenced", "fenced", "landed", "holder-refused", "fenced", "fenced", "fenced", "landed"},
	}
	for _, row := range m.Rows {
		var got []string
		for i, c := range row.Cells {
			got = append(got, c.Outcome)
			if c.Fault != Faults()[i] || !strings.HasPrefix(c.Command, "lockdrill lab ") {
				t.Errorf("cell %+v", c)
			}
		}
		if diff := cmp.Diff(want[row.Store], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.Store, diff)
		}
	}
}

func TestMatrixBrokenOff(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	m, err := RunMatrix(ctx, []string{"redis"}, func(int, int) { cancel() })
	if err == nil || len(m.Rows) != 2 {
		t.Fatalf("%d rows, %v", len(m.Rows), err)
	}
	if _, err := RunMatrix(context.Background(), []string{"reddis"}, nil); err == nil {
		t.Error("a service that does not exist was tried")
	}
}

func TestBarsFillTheirCells(t *testing.T) {
	for _, cells := range []int{1, 20, 100} {
		lanes := Draw([]Event{{Seq: 1, Op: OpMeasure, Bars: []Bar{
			{Label: "1 key", Value: 30, Bound: 50, Text: "x 1.0"}, {Label: "a label of some length", Value: 0},
		}}}, Window{To: time.Second}, cells)
		for _, l := range lanes {
			if len(l.Cells) != cells || len(l.Who) > 8 || len(l.What) > 7 {
				t.Errorf("%d cells asked, %d drawn, %q %q", cells, len(l.Cells), l.Who, l.What)
			}
		}
	}
}

func TestFlagValues(t *testing.T) {
	tests := []struct {
		lab    string
		values map[string]string
		want   string // of the error; "" = none
	}{
		{"charge", nil, ""},
		{"charge", map[string]string{flagConfig: "lok"}, `--config "lok" is not one of lock, key, both, none; did you mean "lock"?`},
		{"waiters", map[string]string{flagClients: "1"}, `--clients "1" is no whole number from 2 to 1000`},
		{"waiters", map[string]string{flagClients: "ten"}, `--clients "ten" is no whole number from 2 to 1000`},
		{"optimistic", map[string]string{flagClients: "2"}, "lab optimistic has no flag --clients"},
	}
	for _, tt := range tests {
		l, err := Named(tt.lab)
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Fill(Options{Values: tt.values})
		if got := textOf(err); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.lab, tt.values, got, tt.want)
		}
	}
	l, _ := Named("optimistic")
	if _, err := l.Fill(Options{TTL: time.Second}); textOf(err) != "lab optimistic takes no lease that --ttl could set" {
		t.Error(err)
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A run that is saved and read again is the same run, with the same verdict.
func TestSavedRun(t *testing.T) {
	t.Parallel()
	r := run(t, "charge", Options{Values: map[string]string{flagConfig: "key"}})
	var b bytes.Buffer
	if err := r.WriteSaved(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ReadSaved(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Verdict, again.Verdict); diff != "" {
		t.Errorf("the verdict changed:\n%s", diff)
	}
	if len(again.Events) != len(r.Events) || LessonOf(again) != LessonOf(r) {
		t.Errorf("%d events of %d; %+v", len(again.Events), len(r.Events), LessonOf(again))
	}
	for _, bad := range []string{"", "{}", "[]", `{"schema":2}`, `{"schema":1,"events":[{"kind":"event","seq":7}]}`, `{"schema":1,"events":[{"seq":1}]}`} {
		if _, err := ReadSaved(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read as a run", bad)
		}
	}
}

func TestExports(t *testing.T) {
	t.Parallel()
	r := run(t, "retry", Options{})
	for file, want := range map[string]string{
		"run.json": `"kind":"event"`, "run.md": "| effect-once | broken |", "run.mmd": "A->>vendor: asks the vendor to charge invoice:44", "run.SVG": "broken: effect-once",
	} {
		var b bytes.Buffer
		if err := r.Export(&b, file); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, no %q in\n%s", file, err, want, b.String())
		}
	}
	if err := r.Export(&bytes.Buffer{}, "run.pdf"); err == nil {
		t.Error("a run was kept as PDF")
	}
}

// bigRun is a history of n events in which a lock goes from hand to hand.
func bigRun(n int) Result {
	events := make([]Event, 0, n)
	add := func(e Event) int {
		e.Seq, e.At, e.Resource = len(events)+1, time.Duration(len(events))*time.Millisecond, resource
		events = append(events, e)
		return e.Seq
	}
	for grant := 1; len(events)+6 <= n; grant++ {
		who := string(rune('A' + grant%3))
		call := add(Event{Process: who, Type: Invoke, Op: OpAcquire})
		add(Event{Process: who, Type: OK, Op: OpAcquire, Call: call, Grant: grant, Token: uint64(grant), Until: time.Duration(len(events)+50) * time.Millisecond})
		call = add(Event{Process: who, Type: Invoke, Op: OpWrite, Grant: grant, Token: uint64(grant), Value: "1"})
		add(Event{Process: StoreName, Type: OK, Op: OpWrite, Call: call, Grant: grant, Token: uint64(grant), Version: uint64(grant + 1), Value: "1"})
		call = add(Event{Process: who, Type: Invoke, Op: OpRelease, Grant: grant})
		add(Event{Process: who, Type: OK, Op: OpRelease, Call: call, Grant: grant})
	}
	r := Result{Lab: "pause", Options: Options{Service: "etcd", Store: Fenced}, Events: events, Verdict: Judge(events)}
	return r
}

func BenchmarkExport100k(b *testing.B) {
	r := bigRun(100_000)
	for _, file := range []string{"x.json", "x.svg", "x.md", "x.mmd"} {
		b.Run(file, func(b *testing.B) {
			for b.Loop() {
				if err := r.Export(&bytes.Buffer{}, file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHandover is the median of one hand-over among n waiting clients.
func BenchmarkHandover(b *testing.B) {
	for _, n := range []string{"50", "1000"} {
		b.Run(n, func(b *testing.B) {
			for b.Loop() {
				l, _ := Named("waiters")
				r, err := playOnce(context.Background(), l, Options{Values: map[string]string{flagClients: n}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(figures[handovers](r).HandoverUS), "us/handover")
			}
		})
	}
}
