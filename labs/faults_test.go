package labs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// start sets up a session that ends with the test.
func start(t testing.TB, name string, o Options) *Session {
	t.Helper()
	return impatient(t, name, o, patience)
}

// impatient is start with clients that give a request up soon.
func impatient(t testing.TB, name string, o Options, patient time.Duration) *Session {
	t.Helper()
	l, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	if o, err = l.Fill(o); err != nil {
		t.Fatal(err)
	}
	s := newSession(l, o)
	s.patient = patient
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if err := s.setUp(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// do carries out lines of a scenario.
func do(t *testing.T, s *Session, lines ...string) {
	t.Helper()
	for _, line := range lines {
		a, err := ParseAction(line)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Do(context.Background(), a); err != nil {
			logEvents(t, s.History().Events())
			t.Fatalf("%s: %v", line, err)
		}
	}
}

// A store that stops answering leaves the outcome open, and the verdict with it.
func TestAStoreThatHangs(t *testing.T) {
	t.Parallel()
	s := impatient(t, "pause", Options{}, 300*time.Millisecond)
	do(t, s, "acquire A", "claim A", "read A", "work A 100", "pause A", "until expired A", "acquire B", "hang", "resume A", "until wrote A")
	v := s.Result().Verdict
	if got := v.Check("no-late-write").Verdict; got != Unknown || v.LateWrite != "none" {
		t.Errorf("no-late-write is %s, late write %s", got, v.LateWrite)
	}
	if got := v.Check("one-grant").Verdict; got != Held {
		t.Errorf("one-grant is %s", got)
	}
}

func TestAStoreThatHangsWhileNobodyElseHolds(t *testing.T) {
	t.Parallel()
	s := impatient(t, "pause", Options{}, 300*time.Millisecond)
	do(t, s, "acquire A", "claim A", "read A", "hang", "write A 100")
	if got := s.Result().Verdict.Check("no-late-write").Verdict; got != Held {
		t.Errorf("no-late-write is %s, whatever became of the write", got)
	}
}

// faulty are the stories that faults are put into.
var faulty = []struct {
	lab     string
	options Options
}{
	{"pause", Options{TTL: 150 * time.Millisecond}},
	{"failover", Options{}},
	{"failover", Options{On: []string{flagWait}}},
}

// A client that crashes before any step ends the story with a clear error, or
// makes no difference to what is left of it.
func TestAClientThatDiesAtAnyStep(t *testing.T) {
	seats := make(chan struct{}, 6)
	for _, f := range faulty {
		for _, victim := range []string{"A", "B"} {
			t.Run(f.lab+" "+strings.Join(f.options.On, " ")+victim, func(t *testing.T) {
				t.Parallel()
				for at, more := 0, true; more; at++ {
					seats <- struct{}{}
					more = dieAt(t, start(t, f.lab, f.options), victim, at)
					<-seats
				}
			})
		}
	}
}

// dieAt plays a story in which a client crashes before step number at. It says
// whether the story has that many steps.
func dieAt(t *testing.T, s *Session, victim string, at int) bool {
	t.Helper()
	defer func() { _ = s.Close() }()
	ctx := context.Background()
	story, err := s.Story()
	if err != nil {
		t.Fatal(err)
	}
	for range at {
		if err := story.Step(ctx); err != nil {
			t.Fatalf("before the crash: %v", err)
		}
	}
	if _, ok := story.Next(); !ok {
		return false
	}
	s.clients[victim].Kill() // nobody told the lab
	err = story.play(ctx)
	touched := false
	for _, step := range story.steps[at:] {
		touched = touched || step.Actor == victim
	}
	if touched && (err == nil || !strings.Contains(err.Error(), victim) || strings.Contains(err.Error(), "\n")) {
		t.Errorf("%s died before step %d, and the story ended with: %v", victim, at, err)
	}
	if !touched && err != nil {
		t.Errorf("%s died before step %d, and nothing was asked of it: %v", victim, at, err)
	}
	for _, c := range s.Result().Verdict.Checks {
		if c.Name == "one-grant" && s.Lab.Name == "pause" && c.Verdict == Broken {
			t.Errorf("%s died before step %d, and one-grant is broken: %v", victim, at, c.Witness)
		}
	}
	return true
}

// A run that is interrupted at any event ends at once, and clean.
func TestARunThatIsInterrupted(t *testing.T) {
	for _, f := range faulty[:2] {
		t.Run(f.lab, func(t *testing.T) {
			t.Parallel()
			for at := 0; ; at += 4 {
				s := start(t, f.lab, f.options)
				ctx, cancel := context.WithCancel(context.Background())
				go func() {
					_, _ = s.History().Next(context.Background(), at) // ends with the session
					cancel()
				}()
				err := s.Play(ctx)
				if cerr := s.Close(); cerr != nil {
					t.Errorf("close after event %d: %v", at, cerr)
				}
				if err == nil {
					return
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("interrupted at event %d: %v", at, err)
				}
			}
		})
	}
}

func TestClosingWhileAStepWaits(t *testing.T) {
	t.Parallel()
	s := start(t, "pause", Options{TTL: time.Minute})
	do(t, s, "acquire A")
	waiting := make(chan error, 1)
	go func() { waiting <- s.Do(context.Background(), Action{Verb: verbUntil, Arg: "expired", Actor: "A"}) }()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	all.Wait()
	if err := <-waiting; err == nil {
		t.Error("the lease is said to have ended")
	}
	if err := s.Do(context.Background(), Action{Verb: "acquire", Actor: "A"}); err == nil {
		t.Error("a closed session acts")
	}
}

func TestDeadClientsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "pause", Options{})
	do(t, s, "pause A", "kill A")
	for _, line := range []string{"acquire A", "pause A", "resume A", "kill A"} {
		a, _ := ParseAction(line)
		if err := s.Do(context.Background(), a); err == nil || !strings.Contains(err.Error(), "A is dead") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, e := range s.History().Events() {
		if e.Op == OpExit {
			t.Errorf("killed, and logged as ended by itself: %+v", e)
		}
	}
}

func TestStartWithoutATempDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", file)
	l, _ := Named("pause")
	_, err := Start(context.Background(), l, Options{Service: "etcd"})
	if err == nil || !strings.Contains(err.Error(), "TMPDIR") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if n := children(t); n != 0 {
		t.Errorf("%d children are left", n)
	}
}

func TestLeavingDuringTheStart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, lab := range []string{"pause", "failover"} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		l, _ := Named(lab)
		s, err := Start(ctx, l, Options{Service: "etcd"})
		if err == nil { // up before anybody looked at the context
			err = s.Close()
		} else if errors.Is(err, context.Canceled) {
			err = nil
		}
		if err != nil {
			t.Errorf("%s: %v", lab, err)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if n := children(t); n != 0 {
		t.Errorf("%d children are left", n)
	}
}

// leakEnv asks TestNothingIsLeft for twenty sessions of every variant instead of
// a few.
const leakEnv = "LOCKDRILL_LEAKS"

func TestNothingIsLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	times := 3
	if os.Getenv(leakEnv) != "" {
		times = 20
	}
	before, threads := descriptors(t), goleak.IgnoreCurrent()
	for _, f := range []struct {
		lab     string
		options Options
	}{
		{"pause", Options{TTL: 150 * time.Millisecond}}, {"failover", Options{}},
		{"pause", Options{Service: "etcd", Store: Fenced}}, {"failover", Options{Service: "etcd"}},
	} {
		for range times {
			s := start(t, f.lab, f.options)
			do(t, s, "acquire A", "claim A", "read A", "write A 1", "pause B")
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	}
	// The last goroutines of a killed etcd member take up to six seconds.
	var err error
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); {
		if err = goleak.Find(threads); err == nil && descriptors(t) <= before {
			break
		}
	}
	if after := descriptors(t); err != nil || after > before {
		t.Errorf("%d descriptors, %d before; %v", after, before, err)
	}
	if n := children(t); n != 0 {
		t.Errorf("%d children are left", n)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// descriptors is how many files and sockets this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// children is how many processes this one has started that are still there.
func children(t *testing.T) int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "ppid=,comm=").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(string(out), "\n") {
		words := strings.Fields(line)
		if len(words) == 2 && words[0] == strconv.Itoa(os.Getpid()) && words[1] != "ps" {
			n++
		}
	}
	return n
}

func BenchmarkPauseRedis(b *testing.B) {
	for b.Loop() {
		if got := summary("pause", Options{}); !strings.Contains(got, "late=landed") {
			b.Fatal(got)
		}
	}
}

func BenchmarkPauseEtcd(b *testing.B) {
	for b.Loop() {
		if got := summary("pause", Options{Service: "etcd", Store: Fenced}); !strings.Contains(got, "late=fenced") {
			b.Fatal(got)
		}
	}
}

// long is a history of n events, as of a run that goes on for hours.
func long(n int) []Event {
	h := make([]Event, 0, n+16)
	grant := 0
	for len(h) < n {
		at, who := time.Duration(len(h))*10*time.Millisecond, []string{"A", "B"}[grant%2]
		grant++
		add := func(e Event) int {
			e.Seq, e.At, e.Resource = len(h)+1, at, resource
			if e.Process == "" {
				e.Process = who
			}
			h = append(h, e)
			return e.Seq
		}
		call := add(Event{Type: Invoke, Op: OpAcquire, Until: at + 100*time.Millisecond})
		add(Event{Type: OK, Op: OpAcquire, Call: call, Grant: grant, Token: uint64(grant), Until: at + 100*time.Millisecond})
		for range 3 {
			call = add(Event{Type: Invoke, Op: OpRenew, Grant: grant, Until: at + 100*time.Millisecond})
			add(Event{Type: OK, Op: OpRenew, Call: call, Grant: grant, Until: at + 100*time.Millisecond})
		}
		call = add(Event{Type: Invoke, Op: OpWrite, Grant: grant, Base: uint64(grant), Value: fmt.Sprint(grant)})
		add(Event{Process: StoreName, Type: OK, Op: OpWrite, Call: call, Grant: grant, Base: uint64(grant), Version: uint64(grant + 1)})
	}
	return h
}

func BenchmarkJudge100k(b *testing.B) {
	events := long(100_000)
	for b.Loop() {
		Judge(events)
	}
}

func BenchmarkDraw(b *testing.B) {
	events := long(10_000)
	w := Window{To: events[len(events)-1].At}
	for b.Loop() {
		Draw(events, w, 100)
	}
}
