package client

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
	"lockdrill/labs/store"
)

// lab is the other end of a client: it numbers grants, keeps reports, and holds
// back those that stand before a write.
type lab struct {
	p     *Process
	redis *server.Redis
	store *store.Store

	mu      sync.Mutex
	reports []Report
	grew    chan struct{}
}

func (l *lab) report(r Report) Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reports = append(l.reports, r)
	close(l.grew)
	l.grew = make(chan struct{})
	return Answer{Call: len(l.reports), Grant: max(1, r.Grant), Hold: r.Op == Ready}
}

// await returns the first report that matches.
func (l *lab) await(t *testing.T, op Op, outcome Outcome) Report {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		l.mu.Lock()
		grew := l.grew
		for _, r := range l.reports {
			if r.Op == op && r.Outcome == outcome {
				l.mu.Unlock()
				return r
			}
		}
		l.mu.Unlock()
		select {
		case <-grew:
		case <-l.p.Exited():
			t.Fatalf("the client ended while %s %s was awaited: %v", op, outcome, l.p.Err())
		case <-limit:
			t.Fatalf("no %s %s", op, outcome)
		}
	}
}

func (l *lab) send(t *testing.T, op Op) {
	t.Helper()
	if err := l.p.Send(Command{Op: op, Value: "100"}); err != nil {
		t.Fatal(err)
	}
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{grew: make(chan struct{})}
	var err error
	if l.redis, err = server.StartRedis(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.redis.Close() })
	if l.store, err = store.Start(false, func(store.Op, store.Request, store.Reply) {}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.store.Close() })
	if err := l.store.Put("job:44", "0"); err != nil {
		t.Fatal(err)
	}
	l.p = process(t, l.report)
	return l
}

func process(t *testing.T, report func(Report) Answer) *Process {
	t.Helper()
	p, err := Start("A", report)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func (l *lab) configure(t *testing.T, ttl time.Duration) {
	t.Helper()
	err := l.p.Configure(Config{
		Name: "A", Resource: "job:44", TTL: ttl, Patience: 10 * time.Second, StoreURL: l.store.URL(),
		Lock: lock.Config{Service: "redis", Endpoints: []string{l.redis.Addr()}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// state is what ps says of a process: "T" stopped, "Z" dead, "" gone.
func state(pid int) string {
	out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output() // fails if it is gone
	return strings.TrimSpace(string(out))
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("never: %s", what)
		}
	}
}

func TestAClientWorks(t *testing.T) {
	l := newLab(t)
	l.configure(t, 3*time.Second) // renewed every second; a busy machine may be late by two
	l.send(t, Acquire)
	l.await(t, Acquire, OK)
	l.send(t, Read)
	if r := l.await(t, Read, OK); r.Value != "0" || r.Version != 1 {
		t.Errorf("read %+v", r)
	}
	l.await(t, Renew, OK) // of its own accord
	l.send(t, Work)
	ready := l.await(t, Ready, OK)
	if err := l.p.Acknowledge(ready, Answer{}); err != nil {
		t.Fatal(err)
	}
	if r := l.await(t, Write, OK); r.Value != "100" || r.Version != 2 || r.Base != 1 {
		t.Errorf("wrote %+v", r)
	}
	l.send(t, Release)
	l.await(t, Release, OK)
	l.send(t, Write)
	if r := l.await(t, Write, Fail); r.Err != "holds nothing" {
		t.Errorf("wrote without a lease: %+v", r)
	}
}

func TestAPauseIsSeenStopped(t *testing.T) {
	p := process(t, func(Report) Answer { return Answer{} })
	for range 5 {
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
		if s := state(p.cmd.Process.Pid); !strings.HasPrefix(s, "T") {
			t.Fatalf("Stop returned, and the client is %q", s)
		}
		if err := p.Continue(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "awake", func() bool { return !strings.HasPrefix(state(p.cmd.Process.Pid), "T") })
	}
}

// Ctrl-C goes to the terminal's foreground group, in which no client is.
func TestAClientHasItsOwnGroup(t *testing.T) {
	p := process(t, func(Report) Answer { return Answer{} })
	pid := p.cmd.Process.Pid
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("client %d is in group %d, %v", pid, group, err)
	}
}

// A stopped process takes no signal but SIGKILL and SIGCONT, and would outlive
// its parent for ever.
func TestAStoppedClientDiesWithItsParent(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the helper said %q", line)
	}
	if s := state(pid); !strings.HasPrefix(s, "T") {
		t.Errorf("the client is %q before its parent dies", s)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // "signal: killed"
	eventually(t, "the client is gone", func() bool { s := state(pid); return s == "" || strings.HasPrefix(s, "Z") })
}

// Wherever a client dies, who waits for it hears so.
func TestAClientThatDies(t *testing.T) {
	steps := []struct {
		name string
		to   func(t *testing.T, l *lab)
	}{
		{"before it is configured", func(*testing.T, *lab) {}},
		{"before it acquires", func(t *testing.T, l *lab) { l.configure(t, time.Minute) }},
		{"holding", func(t *testing.T, l *lab) {
			l.configure(t, time.Minute)
			l.send(t, Acquire)
			l.await(t, Acquire, OK)
		}},
		{"before its write", func(t *testing.T, l *lab) {
			l.configure(t, time.Minute)
			l.send(t, Acquire)
			l.send(t, Work)
			l.await(t, Ready, OK)
		}},
		{"stopped", func(t *testing.T, l *lab) {
			l.configure(t, time.Minute)
			if err := l.p.Stop(); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			l := newLab(t)
			s.to(t, l)
			if err := l.p.Err(); err != nil {
				t.Errorf("it lives, and has an error: %v", err)
			}
			_ = l.p.cmd.Process.Kill() // as a crash: nobody told the lab
			<-l.p.Exited()
			if err := l.p.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Errorf("it ended because of %v", err)
			}
			for what, err := range map[string]error{
				"send": l.p.Send(Command{Op: Acquire}), "stop": l.p.Stop(), "wake": l.p.Continue(),
			} {
				if err == nil || !strings.Contains(err.Error(), "client A") {
					t.Errorf("%s to a dead client: %v", what, err)
				}
			}
			l.p.Kill() // again
		})
	}
}

func TestWhatACrashingClientSays(t *testing.T) {
	for name, m := range map[string]message{
		"no lock service":  {Config: &Config{Name: "A", Lock: lock.Config{Service: "none", Endpoints: []string{"127.0.0.1:1"}}}},
		"no configuration": {Command: &Command{Op: Acquire}},
	} {
		p := process(t, func(Report) Answer { return Answer{} })
		if err := p.write(m); err != nil {
			t.Fatal(err)
		}
		<-p.Exited()
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTail(t *testing.T) {
	tests := []struct{ written, want string }{
		{"", ""},
		{"one\n", "one"},
		{"one\ntwo\n", "two"},
		{"noise\npanic: out of luck\n\ngoroutine 1 [running]:\nmain.main()\n\tchild.go:1 +0x2\n", "panic: out of luck"},
		{"fatal error: all goroutines are asleep\n\ngoroutine 1 [running]:\n", "fatal error: all goroutines are asleep"},
		{strings.Repeat("x", 3*tailBytes) + "\nlast", "last"},
	}
	for _, tt := range tests {
		var k tail
		if n, err := k.Write([]byte(tt.written)); err != nil || n != len(tt.written) {
			t.Errorf("wrote %d, %v", n, err)
		}
		got := ""
		if err := k.err(); err != nil {
			got = fmt.Sprint(err)
		}
		if got != tt.want {
			t.Errorf("of %.40q it tells %q, want %q", tt.written, got, tt.want)
		}
	}
}
