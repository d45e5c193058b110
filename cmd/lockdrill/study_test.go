package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// drilling is a lockdrill drill --plain that is talked to.
type drilling struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startDrill(t *testing.T, dir string) *drilling {
	t.Helper()
	cmd := exec.Command("lockdrill", "drill", "--plain", "--data", dir)
	cmd.Env = append(os.Environ(), "LOCKDRILL_NOW=2026-11-29T12:00:00Z")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &drilling{cmd: cmd, in: in, out: bufio.NewScanner(out)}
}

// grade answers the card that is shown, and waits until that is confirmed.
func (d *drilling) grade(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(d.in, "\n4\n"); err != nil {
		t.Fatal(err)
	}
	for d.out.Scan() {
		if strings.HasPrefix(d.out.Text(), "easy, back in ") {
			return
		}
	}
	t.Fatal("the answer was not confirmed")
}

// end waits for the process and gives its exit code, -1 after a SIGKILL.
func (d *drilling) end(t *testing.T) int {
	t.Helper()
	for d.out.Scan() { // Wait must not close the pipe while it is read
	}
	err := d.cmd.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return d.cmd.ProcessState.ExitCode()
}

func reviewsIn(t *testing.T, dir string) int {
	t.Helper()
	text, err := exec.Command("lockdrill", "stats", "--json", "--data", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Reviews int }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Reviews
}

// However a session ends, what was answered is in the record.
func TestAnswersOutliveTheirProcess(t *testing.T) {
	for _, c := range []struct {
		name string
		stop func(*drilling) error
		code int
	}{
		{"interrupt", func(d *drilling) error { return d.cmd.Process.Signal(os.Interrupt) }, 130},
		{"hang-up", func(d *drilling) error { return d.cmd.Process.Signal(syscall.SIGHUP) }, 129},
		{"kill", func(d *drilling) error { return d.cmd.Process.Kill() }, -1},
		{"end of input", func(d *drilling) error { return d.in.Close() }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			d := startDrill(t, dir)
			for range 5 {
				d.grade(t)
			}
			if err := c.stop(d); err != nil {
				t.Fatal(err)
			}
			if code := d.end(t); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if n := reviewsIn(t, dir); n != 5 {
				t.Errorf("%d reviews, want 5", n)
			}
		})
	}
}

// Two sessions on one record, answering in turn, lose nothing.
func TestTwoDrillsAtOnce(t *testing.T) {
	dir := t.TempDir()
	both := []*drilling{startDrill(t, dir), startDrill(t, dir)}
	for range 5 {
		for _, d := range both {
			d.grade(t)
		}
	}
	for _, d := range both {
		if err := d.in.Close(); err != nil {
			t.Fatal(err)
		}
		if code := d.end(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	if n := reviewsIn(t, dir); n != 10 {
		t.Errorf("%d reviews, want 10", n)
	}
}
