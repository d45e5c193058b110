package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a lockdrill on a pseudo-terminal of 80x24, and what it shows.
type terminal struct {
	t     testing.TB
	cmd   *exec.Cmd
	pty   *os.File
	tty   *os.File
	stty  string // its settings before the program began
	ended chan error

	mu     sync.Mutex
	screen *vt.Emulator
	raw    bytes.Buffer
	news   chan struct{} // something was written
}

// patience is how long a test waits for what it knows will come.
const patience = 20 * time.Second

func startOnTerminal(t testing.TB, env []string, args ...string) *terminal {
	t.Helper()
	return startNamed(t, "lockdrill", env, args...)
}

func startNamed(t testing.TB, name string, env []string, args ...string) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, pty: master, tty: slave, ended: make(chan error, 1), screen: vt.NewEmulator(80, 24), news: make(chan struct{}, 1)}
	term.stty = term.settings()
	term.cmd = exec.Command(name, args...)
	term.cmd.Env = append(os.Environ(), append([]string{"TERM=xterm-256color", "LOCKDRILL_NOW=2026-11-29T12:00:00Z"}, env...)...)
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = slave, slave, slave
	if err := term.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { term.ended <- term.cmd.Wait() }()
	go term.read()
	go term.answer()
	t.Cleanup(func() {
		_ = term.cmd.Process.Kill()
		slave.Close()
		master.Close()
		term.screen.Close()
	})
	return term
}

// read puts what the program writes on the screen.
func (term *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := term.pty.Read(buf)
		term.mu.Lock()
		term.raw.Write(buf[:n])
		_, _ = term.screen.Write(buf[:n])
		term.mu.Unlock()
		select {
		case term.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// answer gives the program what a terminal answers to its queries.
func (term *terminal) answer() {
	buf := make([]byte, 1024)
	for {
		n, err := term.screen.Read(buf)
		if err != nil {
			return
		}
		_, _ = term.pty.Write(buf[:n])
	}
}

// settings are those of the terminal, as stty names them.
func (term *terminal) settings() string {
	term.t.Helper()
	stty := exec.Command("stty", "-g")
	stty.Stdin = term.tty
	out, err := stty.Output()
	if err != nil {
		term.t.Fatal(err)
	}
	return string(out)
}

func (term *terminal) shown() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.String()
}

func (term *terminal) written() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.raw.String()
}

// awaitWritten waits until the bytes that the program wrote hold this text and
// the end of its line: they may be read after the program has ended.
func (term *terminal) awaitWritten(text string) {
	term.t.Helper()
	limit := time.After(patience)
	for {
		if _, rest, ok := strings.Cut(term.written(), text); ok && strings.Contains(rest, "\n") {
			return
		}
		select {
		case <-term.news:
		case <-limit:
			term.t.Fatalf("never written: %q in %q", text, term.written())
		}
	}
}

func (term *terminal) write(keys string) {
	term.t.Helper()
	if _, err := term.pty.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

// shows waits up to a time until the screen has the text.
func (term *terminal) shows(text string, within time.Duration) bool {
	over := time.After(within)
	for {
		if strings.Contains(term.shown(), text) {
			return true
		}
		select {
		case <-term.news:
		case <-over:
			return strings.Contains(term.shown(), text)
		}
	}
}

func (term *terminal) await(text string) {
	term.t.Helper()
	if !term.shows(text, patience) {
		term.t.Fatalf("no %q on the screen:\n%s", text, term.shown())
	}
}

// press writes keys, again if they came before the screen had settled, until the
// screen has the text.
func (term *terminal) press(keys, text string) {
	term.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		term.write(keys)
		if term.shows(text, 500*time.Millisecond) {
			return
		}
	}
	term.t.Fatalf("%q brings no %q:\n%s", keys, text, term.shown())
}

// end waits for the program and demands its exit code, the terminal as it was,
// and the screen left.
func (term *terminal) end(code int) {
	term.t.Helper()
	var err error
	select {
	case err = <-term.ended:
	case <-time.After(patience):
		term.t.Fatalf("the program goes on:\n%s", term.shown())
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		term.t.Fatal(err)
	}
	if got := term.cmd.ProcessState.ExitCode(); got != code {
		term.t.Errorf("exit code %d, want %d\n%s", got, code, term.shown())
	}
	if after := term.settings(); after != term.stty {
		term.t.Errorf("the terminal was %s, and is %s", term.stty, after)
	}
	term.mu.Lock()
	defer term.mu.Unlock()
	if term.screen.IsAltScreen() || term.screen.CursorHidden() {
		term.t.Errorf("the alternate screen is on: %v, the cursor hidden: %v", term.screen.IsAltScreen(), term.screen.CursorHidden())
	}
}
