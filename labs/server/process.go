package server

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"lockdrill/labs/guard"
)

// process is a server program that runs beside this one, and ends with it.
type process struct {
	name   string
	cmd    *exec.Cmd
	said   tail
	exited chan struct{}
}

// run starts a program. Its output is kept for the case that it ends by itself.
func run(name, path string, args ...string) (*process, error) {
	p := &process{name: name, cmd: exec.Command(path, args...), exited: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.cmd.SysProcAttr = childAttributes()
	started := make(chan error)
	// Linux delivers the parent-death signal when the thread that started the
	// child ends: this one lives as long as the child does.
	go guard.Func(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ended, its own words tell
			close(p.exited)
		}
	})()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// kill ends the program as a crash does, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only if it is gone already
	<-p.exited
}

// ended is the error of a program that ended by itself: its own last line.
func (p *process) ended() error {
	return fmt.Errorf("%s ended by itself; its last words: %s", p.name, p.said.last())
}

// tail keeps the end of what a program wrote.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailBytes = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b)
	if extra := t.buf.Len() - tailBytes; extra > 0 {
		t.buf.Next(extra)
	}
	return len(b), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(t.buf.String()), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return "none"
}

// freePort is a loopback port that is free now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// errEndedEarly marks a program that ended before it was ready, as it does when
// somebody else has taken its port.
var errEndedEarly = errors.New("did not start")
