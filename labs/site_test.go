package labs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// On real servers the stories end as they do in this process.
func TestStoriesOnRealRedis(t *testing.T) {
	_, err := server.FindRedis("redis-server")
	realOrSkip(t, err)
	tests := []struct {
		lab  string
		o    Options
		late string
		want Outcome // one-grant
	}{
		{"pause", Options{Service: "redis"}, "landed", Held},
		{"pause", Options{Service: "redis-incr", Store: Fenced}, "fenced", Held},
		{"pause", Options{Service: "redlock"}, "landed", Held},
		{"partition", Options{Service: "redis"}, "landed", Held},
		{"failover", Options{Service: "redis"}, "landed", Broken},
		{"failover", Options{Service: "redis", On: []string{flagWait}}, "landed", Broken},
	}
	for _, tt := range tests {
		t.Run(tt.lab+" "+tt.o.Service+strings.Join(tt.o.On, ""), func(t *testing.T) {
			t.Parallel()
			tt.o.Servers.RedisServer = "redis-server"
			r := run(t, tt.lab, tt.o)
			if one := r.Verdict.Check("one-grant").Verdict; r.Verdict.LateWrite != tt.late || one != tt.want {
				t.Errorf("late write %s, one-grant %s", r.Verdict.LateWrite, one)
				logEvents(t, r.Events)
			}
		})
	}
}

// way is a client's own way into a site.
func way(t *testing.T, st site, name string) lock.Service {
	t.Helper()
	cfg, err := st.connect(name)
	if err != nil {
		t.Fatal(err)
	}
	svc, err := lock.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close() })
	return svc
}

func operate(t *testing.T, st site, lines ...string) {
	t.Helper()
	for _, a := range mustParse(lines) {
		if _, err := st.operate(t.Context(), a); err != nil {
			t.Fatalf("%s: %v", a, err)
		}
	}
}

func startRedlockSite(t *testing.T, program string) *redlockSite {
	t.Helper()
	st, err := newRedlockSite(t.Context(), "test/", program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

// A holds three of five nodes. What happens to one of them decides whether B can
// have a majority, too.
func TestRedlockNodes(t *testing.T) {
	tests := []struct {
		name, program string
		then          []string
		second        bool
	}{
		{"nothing happens", "", nil, false},
		{"the clock of one node jumps", "", []string{"jump redis-3 59s"}, false},
		{"far enough", "", []string{"jump redis-3 61s"}, true},
		{"one node restarts empty", "", []string{"restart redis-3"}, true},
		{"one node dies", "", []string{"kill redis-3"}, false},
		{"one node dies and comes back empty", "", []string{"kill redis-3", "restart redis-3"}, true},
		{"a real node restarts empty", "redis-server", []string{"restart redis-3"}, true},
		{"a real node dies and comes back empty", "redis-server", []string{"kill redis-3", "restart redis-3"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.program != "" {
				_, err := server.FindRedis(tt.program)
				realOrSkip(t, err)
			}
			st := startRedlockSite(t, tt.program)
			a, b := way(t, st, "A"), way(t, st, "B")
			operate(t, st, "cut redis-4", "cut redis-5")
			if _, err := a.TryAcquire(t.Context(), resource, time.Minute); err != nil {
				t.Fatalf("A: %v", err)
			}
			operate(t, st, "mend redis-4", "mend redis-5")
			operate(t, st, tt.then...)
			_, err := b.TryAcquire(t.Context(), resource, time.Minute)
			if tt.second && err != nil {
				t.Errorf("B got %v, and should hold it, too", err)
			}
			if !tt.second && err == nil {
				t.Error("B holds it, too")
			}
		})
	}
}

func TestActionsThatASiteRefuses(t *testing.T) {
	redlock := startRedlockSite(t, "")
	etcd, err := newEtcdSite(t.Context(), lock.Config{Service: "etcd", Prefix: "test/"}, plan{members: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = etcd.close() })
	tests := []struct {
		st         site
		line, want string
	}{
		{redlock, "promote redis-2", "independent"},
		{redlock, "lag redis-2", "independent"},
		{redlock, "mend redis-2", "is not cut off"},
		{redlock, "cut redis-9", "no node is called"},
		{etcd, "mend etcd-1", "is not cut off"},
		{etcd, "jump etcd-1 9s", "cannot jump"},
		{etcd, "restart etcd-1", "cannot restart"},
		{etcd, "cut etcd-4", "no node is called"},
	}
	for _, tt := range tests {
		if _, err := tt.st.operate(t.Context(), mustParse([]string{tt.line})[0]); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.line, err)
		}
	}
}

// A leader that is cut off from its members serves nobody any more, the others
// elect another one, and its clients learn nothing of that.
func TestAnIsolatedLeader(t *testing.T) {
	st, err := newEtcdSite(t.Context(), lock.Config{Service: "etcd", Prefix: "test/"}, plan{members: 3, split: splitLeader})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.close() })
	a, b := way(t, st, "A"), way(t, st, "B")
	l, err := a.TryAcquire(t.Context(), resource, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	operate(t, st, "cut leader")
	if _, err := st.operate(t.Context(), mustParse([]string{"cut leader"})[0]); err == nil {
		t.Error("a second member was cut off, and no majority left")
	}
	next, err := st.elected(t.Context())
	if err != nil || next == st.first {
		t.Fatalf("elected %q after %q: %v", next, st.first, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := a.Renew(ctx, l); !errors.Is(err, lock.ErrUnknown) {
		t.Errorf("A renewed in a minority: %v", err)
	}
	if _, err := b.TryAcquire(t.Context(), resource, 2*time.Second); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("B's first try: %v", err)
	}
	if _, err := b.Acquire(t.Context(), resource, 2*time.Second); err != nil {
		t.Errorf("B's wait for the end of A's lease: %v", err)
	}
	operate(t, st, "mend "+st.first)
	if _, err := st.elected(t.Context()); err != nil {
		t.Errorf("after mending: %v", err)
	}
	if _, err := a.Renew(t.Context(), l); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("A's renewal after mending: %v", err)
	}
}

// The leader is isolated with A on its side: it grants nothing and knows nothing
// new, and A's write comes late.
func TestPartitionOfALeader(t *testing.T) {
	for store, late := range map[string]string{Unfenced: "landed", Fenced: "fenced"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			r := run(t, "partition", Options{Service: "etcd", Store: store, On: []string{flagIsolate}})
			if one := r.Verdict.Check("one-grant").Verdict; r.Verdict.LateWrite != late || one != Held {
				t.Errorf("late write %s, one-grant %s", r.Verdict.LateWrite, one)
			}
			said := 0
			for _, e := range r.Events {
				if e.Op != OpPeek {
					continue
				}
				said++
				if !strings.Contains(e.Detail, "says that A holds it; a linearizable one gets no answer; a grant gets no answer") {
					t.Errorf("A's member: %s", e.Detail)
				}
			}
			if _, told := sayIsolated(r); said != 2 || !told {
				t.Errorf("peeked %d times, explained: %t", said, told)
			}
			if t.Failed() {
				logEvents(t, r.Events)
			}
		})
	}
}
