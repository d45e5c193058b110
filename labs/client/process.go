package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"lockdrill/labs/guard"
)

// stopWithin bounds how long a SIGSTOP may take to be seen.
const stopWithin = 10 * time.Second

// Process is a client as the lab sees it: something to command, to stop and to
// wake.
type Process struct {
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	inMu   sync.Mutex
	stderr tail
	exited chan struct{}
	err    error // why it exited; read after exited
}

// Answer is what the lab gives back for a report.
type Answer struct {
	Call  int  // for an Invoke: the number of that event
	Grant int  // for a granted acquire: its number
	Hold  bool // do not acknowledge now; Acknowledge comes later
}

// Start runs a client, which then waits for Configure. Every report is passed to
// the function given, one at a time, and acknowledged with what it returns.
func Start(name string, report func(Report) Answer) (*Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("client %s: %w", name, err)
	}
	p := &Process{name: name, exited: make(chan struct{})}
	p.cmd = exec.Command(exe)
	p.cmd.Env = append(os.Environ(), childEnv+"="+name)
	p.cmd.Stderr = &p.stderr
	p.cmd.SysProcAttr = childAttributes()
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("client %s: %w", name, err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("client %s: %w", name, err)
	}
	if err := p.launch(out, report); err != nil {
		return nil, fmt.Errorf("client %s: %w", name, err)
	}
	return p, nil
}

// Configure tells the client who it is and what it talks to.
func (p *Process) Configure(cfg Config) error { return p.write(message{Config: &cfg}) }

// launch starts the child from a thread that lives as long as the child does:
// Linux delivers the parent-death signal when that thread ends.
func (p *Process) launch(out io.Reader, report func(Report) Answer) error {
	started := make(chan error)
	go guard.Func(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.read(out, report)
		p.err = p.cmd.Wait()
		close(p.exited)
	})()
	return <-started
}

func (p *Process) read(out io.Reader, report func(Report) Answer) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r Report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // not ours: something in the child printed
		}
		if a := report(r); !a.Hold {
			_ = p.Acknowledge(r, a) // fails only if the child is gone, which Exited tells
		}
	}
}

// Acknowledge lets the client go on after a report.
func (p *Process) Acknowledge(r Report, a Answer) error {
	return p.write(message{Ack: &ack{N: r.N, Call: a.Call, Grant: a.Grant}})
}

// Send gives the client something to do. A stopped client does it when it wakes.
func (p *Process) Send(c Command) error { return p.write(message{Command: &c}) }

func (p *Process) write(m message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	p.inMu.Lock()
	defer p.inMu.Unlock()
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("client %s is gone: %w", p.name, inOneLine(err, p.stderr.err()))
	}
	return nil
}

// Stop freezes the process with SIGSTOP, and returns once it is seen stopped.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("cannot stop client %s: %w", p.name, err)
	}
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	limit := time.After(stopWithin)
	for !stopped(p.cmd.Process.Pid) {
		select {
		case <-tick.C:
		case <-p.exited:
			return fmt.Errorf("client %s ended instead of stopping: %w", p.name, p.Err())
		case <-limit:
			return fmt.Errorf("client %s did not stop within %s of SIGSTOP", p.name, stopWithin)
		}
	}
	return nil
}

// Continue wakes the process with SIGCONT.
func (p *Process) Continue() error {
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("cannot wake client %s: %w", p.name, err)
	}
	return nil
}

// Kill ends the process, stopped or not, and waits until it is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // fails only if it is gone already
	<-p.exited
}

// Exited is closed when the process is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Err says why the process is gone; nil while it lives.
func (p *Process) Err() error {
	select {
	case <-p.exited:
		return inOneLine(p.err, p.stderr.err())
	default:
		return nil
	}
}

// inOneLine joins what is not nil, as errors.Join does in several.
func inOneLine(err, more error) error {
	switch {
	case err == nil:
		return more
	case more == nil:
		return err
	}
	return fmt.Errorf("%w: %w", err, more)
}

// tail keeps the last lines that the child wrote to its standard error.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailBytes = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b)
	if extra := t.buf.Len() - tailBytes; extra > 0 {
		t.buf.Next(extra)
	}
	return len(b), nil
}

// err is what a panic said, or the last line written, if any.
func (t *tail) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(t.buf.String())
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return errors.New(l)
		}
	}
	return errors.New(lines[len(lines)-1])
}
