package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const job = "job:44"

// log is what the store says it decided.
type log struct {
	mu  sync.Mutex
	all []Reply
}

func (l *log) decide(_ Op, _ Request, r Reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, r)
}

func start(t testing.TB, fenced bool) (*Store, *Client, *log) {
	t.Helper()
	l := &log{}
	s, err := Start(fenced, l.decide)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if err := s.Put(job, "0"); err != nil {
		t.Fatal(err)
	}
	return s, NewClient(s.URL()), l
}

func do(t *testing.T, c *Client, op Op, token uint64, value string) Reply {
	t.Helper()
	r, err := c.Do(context.Background(), op, Request{Resource: job, Token: token, Value: value})
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return r
}

func TestDecisions(t *testing.T) {
	type step struct {
		op    Op
		token uint64
		stale bool
	}
	tests := []struct {
		name   string
		fenced bool
		steps  []step
		value  string // in the end
	}{
		{"unfenced takes everything", false, []step{{Write, 9, false}, {Write, 5, false}, {Write, 0, false}}, "3"},
		{"unfenced has no use for a claim", false, []step{{Claim, 9, false}, {Write, 5, false}}, "2"},
		{"a lower token is refused", true, []step{{Write, 9, false}, {Write, 5, true}}, "1"},
		{"an equal token is the same holder", true, []step{{Write, 9, false}, {Write, 9, false}}, "2"},
		{"a claim counts without a write", true, []step{{Write, 5, false}, {Claim, 9, false}, {Write, 5, true}, {Write, 9, false}}, "4"},
		{"a lower claim is refused", true, []step{{Claim, 9, false}, {Claim, 5, true}}, "0"},
		{"a read raises nothing", true, []step{{Read, 9, false}, {Write, 5, false}}, "2"},
		{"a refused write raises nothing", true, []step{{Write, 9, false}, {Write, 5, true}, {Write, 9, false}}, "3"},
		{"no tokens, nothing to compare", true, []step{{Claim, 0, false}, {Write, 0, false}, {Write, 0, false}}, "3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, c, l := start(t, tt.fenced)
			version := uint64(1)
			for i, s := range tt.steps {
				r := do(t, c, s.op, s.token, fmt.Sprint(i+1))
				if r.Stale != s.stale {
					t.Errorf("step %d, %s under %d: stale %t", i+1, s.op, s.token, r.Stale)
				}
				if s.op == Write && !s.stale {
					if version++; r.Version != version || r.Rows != 1 {
						t.Errorf("step %d: version %d, %d rows", i+1, r.Version, r.Rows)
					}
				}
				if s.stale && r.Rows != 0 {
					t.Errorf("step %d: refused, and %d rows", i+1, r.Rows)
				}
			}
			if r := do(t, c, Read, 0, ""); r.Value != tt.value || r.Version != version {
				t.Errorf("%s, version %d; want %s, version %d", r.Value, r.Version, tt.value, version)
			}
			if len(l.all) != len(tt.steps)+1 {
				t.Errorf("%d decisions were told", len(l.all))
			}
		})
	}
}

func TestTheFenceCanGoUpLater(t *testing.T) {
	s, c, _ := start(t, false)
	do(t, c, Write, 9, "1")
	s.SetFenced(true)
	if !s.Fenced() {
		t.Error("not fenced")
	}
	if r := do(t, c, Write, 5, "2"); r.Stale {
		t.Error("the unfenced store remembered a token")
	}
	do(t, c, Claim, 9, "")
	if r := do(t, c, Write, 5, "3"); !r.Stale {
		t.Error("a lower token landed")
	}
	s.SetFenced(false)
	if r := do(t, c, Write, 5, "4"); r.Stale {
		t.Error("an unfenced store compared")
	}
}

// The statement is shown as it ran, whatever is in the values.
func TestTheStatementIsShown(t *testing.T) {
	_, c, _ := start(t, true)
	for value, want := range map[string]string{
		"100":      `UPDATE resource SET value = '100', version = version + 1, last_token = 5 WHERE id = 'job:44' AND last_token <= 5`,
		"it's ?":   `UPDATE resource SET value = 'it''s ?', version = version + 1, last_token = 5 WHERE id = 'job:44' AND last_token <= 5`,
		"'; DROP ": `UPDATE resource SET value = '''; DROP ', version = version + 1, last_token = 5 WHERE id = 'job:44' AND last_token <= 5`,
	} {
		if r := do(t, c, Write, 5, value); r.SQL != want {
			t.Errorf("got  %s\nwant %s", r.SQL, want)
		}
		if r := do(t, c, Read, 5, ""); r.Value != value {
			t.Errorf("stored %q as %q", value, r.Value)
		}
	}
}

// Check and write are one statement: whatever the order, no version is made
// twice, and a token never follows a higher one.
func TestManyWritersAtOnce(t *testing.T) {
	const writers = 50
	_, c, l := start(t, true)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			r := Request{Resource: job, Token: uint64(1 + i%10), Value: fmt.Sprint(i)}
			if _, err := c.Do(context.Background(), Write, r); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	landed := uint64(1)
	for _, r := range l.all {
		if r.Stale {
			continue
		}
		if landed++; r.Version != landed {
			t.Errorf("version %d where %d was due", r.Version, landed)
		}
	}
	if got := do(t, c, Read, 0, ""); len(l.all) != writers+1 || got.Version != landed {
		t.Errorf("%d decisions, version %d, %d landed", len(l.all), got.Version, landed)
	}
}

func TestReadingWhatIsNotThere(t *testing.T) {
	_, c, _ := start(t, true)
	if r, err := c.Do(context.Background(), Read, Request{Resource: "none"}); err == nil {
		t.Errorf("got %+v", r)
	}
}

func TestAHungStoreLeavesItOpen(t *testing.T) {
	s, c, l := start(t, true)
	s.Hang()
	s.Hang() // again
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Do(ctx, Write, Request{Resource: job, Value: "x"})
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrNotSent) {
		t.Errorf("got %v", err)
	}
	if len(l.all) != 0 {
		t.Errorf("it decided: %+v", l.all)
	}
}

// Close breaks off what waits for an answer.
func TestClosingAHungStore(t *testing.T) {
	s, err := Start(true, (&log{}).decide)
	if err != nil {
		t.Fatal(err)
	}
	s.Hang()
	reached := make(chan struct{})
	got := make(chan error, 1)
	go func() {
		c := NewClient(s.URL())
		ctx := withConnected(context.Background(), reached)
		_, err := c.Do(ctx, Write, Request{Resource: job})
		got <- err
	}()
	<-reached
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-got; err == nil || errors.Is(err, ErrNotSent) {
		t.Errorf("the one who waited got %v", err)
	}
}

func TestNotSent(t *testing.T) {
	s, err := Start(true, (&log{}).decide)
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient(s.URL())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(context.Background(), Write, Request{Resource: job}); !errors.Is(err, ErrNotSent) {
		t.Errorf("got %v", err)
	}
}

// A reply that is cut off, or is none, leaves the outcome open.
func TestBadReplies(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"version":`)
		},
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") },
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "disk full", http.StatusInternalServerError)
		},
		"a hang-up": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: answer}
		go func() { _ = srv.Serve(l) }()
		_, err = NewClient("http://"+l.Addr().String()).Do(context.Background(), Write, Request{Resource: job})
		if err == nil || errors.Is(err, ErrNotSent) {
			t.Errorf("%s: got %v", name, err)
		}
		if name == "an error" && !strings.Contains(err.Error(), "disk full") {
			t.Errorf("the reason is missing: %v", err)
		}
		_ = srv.Close()
	}
}

func TestBadRequests(t *testing.T) {
	s, _, l := start(t, true)
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for path, want := range map[string]int{"/write": http.StatusBadRequest, "/drop": http.StatusNotFound} {
		resp, err := c.Post(s.URL()+path, "application/json", strings.NewReader("{"))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
	if len(l.all) != 0 {
		t.Errorf("it decided: %+v", l.all)
	}
}

func BenchmarkWrite(b *testing.B) {
	_, c, _ := start(b, true)
	for b.Loop() {
		if _, err := c.Do(context.Background(), Write, Request{Resource: job, Token: 5, Value: "x"}); err != nil {
			b.Fatal(err)
		}
	}
}
