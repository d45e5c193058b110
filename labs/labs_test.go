package labs

import (
	"context"
	"strings"
	"testing"
)

func TestStories(t *testing.T) {
	tests := []struct {
		lab     string
		options Options
		late    string
		want    string // check=verdict …
	}{
		{"pause", Options{Service: "redis"}, "landed", "one-grant=held no-late-write=broken tokens-rise=unknown holder-served=held no-lost-update=broken"},
		{"pause", Options{Service: "redis", Store: Fenced}, "landed", "one-grant=held no-late-write=broken tokens-rise=unknown holder-served=held no-lost-update=broken"},
		{"pause", Options{Service: "redis", On: []string{flagCheckClock}}, "landed", "no-late-write=broken"},
		{"pause", Options{Service: "etcd"}, "landed", "one-grant=held no-late-write=broken tokens-rise=held holder-served=held no-lost-update=broken"},
		{"pause", Options{Service: "etcd", Store: Fenced}, "fenced", "one-grant=held no-late-write=held tokens-rise=held holder-served=held no-lost-update=held"},
		{"pause", Options{Service: "etcd", Store: Fenced, On: []string{flagCheckClock}}, "fenced", "no-late-write=held"},
		{"pause", Options{Service: "etcd", Store: Fenced, On: []string{flagNoClaim}}, "landed", "one-grant=held no-late-write=broken tokens-rise=held no-lost-update=broken"},
		{"failover", Options{Service: "redis"}, "landed", "one-grant=broken tokens-rise=unknown"},
		{"failover", Options{Service: "redis", On: []string{flagWait}}, "landed", "one-grant=broken"},
		{"failover", Options{Service: "etcd", Store: Fenced}, "fenced", "one-grant=held no-late-write=held tokens-rise=held"},
		{"failover", Options{Service: "etcd"}, "landed", "one-grant=held no-late-write=broken tokens-rise=held"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(append([]string{tt.lab, tt.options.Service, tt.options.Store}, tt.options.On...), " "), func(t *testing.T) {
			t.Parallel()
			r := run(t, tt.lab, tt.options)
			if r.Verdict.LateWrite != tt.late {
				t.Errorf("late write %s, want %s", r.Verdict.LateWrite, tt.late)
			}
			for _, want := range strings.Fields(tt.want) {
				name, verdict, _ := strings.Cut(want, "=")
				if got := r.Verdict.Check(name); string(got.Verdict) != verdict {
					t.Errorf("%s is %s, want %s", name, got.Verdict, verdict)
				}
			}
			if t.Failed() {
				logEvents(t, r.Events)
			}
		})
	}
}

// run plays a lab's story.
func run(t *testing.T, name string, o Options) Result {
	t.Helper()
	l, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(context.Background(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	if err := s.Play(context.Background()); err != nil {
		logEvents(t, s.History().Events())
		t.Fatal(err)
	}
	return s.Result()
}

func logEvents(t *testing.T, events []Event) {
	t.Helper()
	for _, e := range events {
		t.Logf("%3d %9.1f %-8s %-6s %-8s call %d grant %d token %d until %.1f v%d base %d %q %s %s", e.Seq, Milliseconds(e.At),
			e.Process, e.Type, e.Op, e.Call, e.Grant, e.Token, Milliseconds(e.Until), e.Version, e.Base, e.Value, e.Err, e.Detail)
	}
}
