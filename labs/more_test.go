package labs

import (
	"strings"
	"testing"
)

// The verdicts of the labs that were added to pause and failover.
func TestMoreStories(t *testing.T) {
	set := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	tests := []struct {
		lab     string
		options Options
		late    string
		want    string
		lesson  string // part of what it has to say
	}{
		{"delete", Options{}, "landed", "one-grant=broken", "C was let in"},
		{"delete", Options{On: []string{flagCompare}}, "none", "one-grant=held no-late-write=held", "returned 0"},
		{"partition", Options{}, "landed", "one-grant=held no-late-write=broken no-lost-update=broken", "landed"},
		{"partition", Options{Store: Fenced}, "landed", "no-late-write=broken", "no token"},
		{"partition", Options{Service: "etcd", Store: Fenced}, "fenced", "one-grant=held no-late-write=held tokens-rise=held", "refused"},
		{"partition", Options{Service: "etcd"}, "landed", "no-late-write=broken", "landed"},
		{"partition", Options{Service: "redlock"}, "landed", "no-late-write=broken", "landed"},
		{"partition", Options{Service: "zookeeper", Store: Fenced}, "fenced", "no-late-write=held", "refused"},
		{"retry", Options{}, "landed", "effect-once=broken", "twice"},
		{"retry", Options{Service: "etcd", Store: Fenced}, "fenced", "effect-once=broken", "slower than the lease"},
		{"retry", Options{Values: set(flagGuard, "intent")}, "none", "effect-once=held", "once"},
		{"think-time", Options{}, "landed", "no-lost-update=broken", "overwrote B's text-of-B"},
		{"think-time", Options{Values: set(flagGuard, "renew")}, "none", "no-lost-update=held one-grant=held", "refused"},
		{"think-time", Options{Values: set(flagGuard, "version")}, "none", "no-lost-update=held", "text-of-A, and text-of-B"},
		{"forgotten-client", Options{}, "none", "no-lost-update=broken", "S's 300 was lost"},
		{"forgotten-client", Options{Service: "etcd", Store: Fenced}, "none", "no-lost-update=held", "no token to show"},
		{"forgotten-client", Options{Values: set(flagGuard, "version")}, "none", "no-lost-update=held", "0 rows"},
		{"forgotten-client", Options{Values: set(flagGuard, "constraint")}, "none", "no-lost-update=held", "insert was refused"},
	}
	for _, tt := range tests {
		t.Run(title(tt.lab, tt.options), func(t *testing.T) {
			t.Parallel()
			r := run(t, tt.lab, tt.options)
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

func title(lab string, o Options) string {
	parts := append([]string{lab, o.Service, o.Store}, o.On...)
	for _, k := range sortedKeys(o.Values) {
		parts = append(parts, o.Values[k])
	}
	return strings.Join(parts, " ")
}

// wantChecks compares the verdicts with "check=verdict …".
func wantChecks(t *testing.T, r Result, want string) {
	t.Helper()
	for _, w := range strings.Fields(want) {
		name, verdict, _ := strings.Cut(w, "=")
		if got := r.Verdict.Check(name); string(got.Verdict) != verdict {
			t.Errorf("%s is %s, want %s", name, got.Verdict, verdict)
		}
	}
}

func wantLesson(t *testing.T, r Result, part string) {
	t.Helper()
	l, err := Named(r.Lab)
	if err != nil {
		t.Fatal(err)
	}
	lesson := l.say(r)
	if !strings.Contains(lesson.What, part) && !strings.Contains(lesson.Why, part) {
		t.Errorf("the lesson is %+v, want %q in it", lesson, part)
	}
	if lesson.Why == "" || lesson.Room == "" {
		t.Errorf("the lesson says too little: %+v", lesson)
	}
}

// Each configuration of the nightly run, at each point of death.
func TestCharge(t *testing.T) {
	tests := []struct {
		config, crash                  string
		charges, double, calls, wasted int
		once                           Outcome
	}{
		{"none", "before-call", 8, 2, 8, 2, Broken},
		{"none", "after-call", 9, 3, 9, 3, Broken},
		{"none", "after-save", 9, 3, 9, 3, Broken},
		{"lock", "before-call", 6, 0, 6, 0, Held},
		{"lock", "after-call", 7, 1, 7, 1, Broken},
		{"lock", "after-save", 6, 0, 6, 0, Held},
		{"key", "before-call", 6, 0, 8, 2, Held},
		{"key", "after-call", 6, 0, 9, 3, Held},
		{"key", "after-save", 6, 0, 9, 3, Held},
		{"both", "before-call", 6, 0, 6, 0, Held},
		{"both", "after-call", 6, 0, 7, 1, Held},
		{"both", "after-save", 6, 0, 6, 0, Held},
	}
	for _, tt := range tests {
		t.Run(tt.config+" "+tt.crash, func(t *testing.T) {
			t.Parallel()
			r := run(t, "charge", Options{Values: map[string]string{flagConfig: tt.config, flagCrash: tt.crash}})
			want := charges{Config: tt.config, Crash: tt.crash, Rows: 6, Charges: tt.charges, Double: tt.double, Calls: tt.calls, Wasted: tt.wasted}
			if got := figures[charges](r); got != want {
				t.Errorf("measured %+v, want %+v", got, want)
			}
			if got := r.Verdict.Check("effect-once").Verdict; got != tt.once {
				t.Errorf("effect-once is %s, want %s", got, tt.once)
			}
			wantLesson(t, r, "6 rows")
			if t.Failed() {
				logEvents(t, r.Events)
			}
		})
	}
}
