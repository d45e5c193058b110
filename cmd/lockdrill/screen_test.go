package main

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

const rule = "─────"

// A16: keys in one write, and a key held down, grade no card that was not seen.
func TestKeysAheadOnATerminal(t *testing.T) {
	dir := t.TempDir()
	term := startOnTerminal(t, nil, "drill", "--data", dir, "--limit", "3")
	term.await("1 of 3")
	term.press(" 33", rule)
	if n := reviewsIn(t, dir); n != 0 || !strings.Contains(term.shown(), "1 of 3") {
		t.Errorf("%d reviews after space 3 3 in one write:\n%s", n, term.shown())
	}
	term.write(strings.Repeat("3", 40)) // held, before the answer has settled
	term.press("3", "2 of 3")
	term.write(strings.Repeat("3", 40))
	term.write("\x1b[200~ 3 3\x1b[201~") // pasted
	if n := reviewsIn(t, dir); n != 1 {
		t.Errorf("%d reviews after one card, want 1", n)
	}
	term.write("\x03")
	term.end(130)
	if n := reviewsIn(t, dir); n != 1 {
		t.Errorf("%d reviews after Ctrl-C, want 1", n)
	}
}

// However a session ends, the terminal is as it was and the answers are kept.
func TestEndsOnATerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		stop func(*terminal) error
		code int
	}{
		{"TERM", func(term *terminal) error { return term.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"HUP", func(term *terminal) error { return term.cmd.Process.Signal(syscall.SIGHUP) }, 129},
		{"INT", func(term *terminal) error { return term.cmd.Process.Signal(os.Interrupt) }, 130},
		{"esc", func(term *terminal) error { term.write("\x1b"); return nil }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			term := startOnTerminal(t, nil, "drill", "--data", dir, "--limit", "3")
			term.await("1 of 3")
			term.press(" ", rule)
			term.press("4", "2 of 3")
			if err := c.stop(term); err != nil {
				t.Fatal(err)
			}
			term.end(c.code)
			if n := reviewsIn(t, dir); n != 1 {
				t.Errorf("%d reviews, want 1", n)
			}
		})
	}
}

// B11: a late reply to a query that somebody sent is no text, also if it comes in pieces.
func TestLateReplyIsNoText(t *testing.T) {
	term := startOnTerminal(t, nil, "recall", "1", "--data", t.TempDir())
	term.await("Say it as you would")
	term.write("\x1b]11;rgb:0000/0000/0000\x1b\\")
	term.write("\x1b]11;rgb:ffff/")
	term.write("ffff/ffff\x07")
	term.write("\x1b[A\x1b[1;1R")
	term.write("a lease")
	term.await("a lease")
	if s := term.shown(); strings.Contains(s, "rgb") || strings.Contains(s, "ffff") || !strings.Contains(s, "   a lease") {
		t.Errorf("the reply is text:\n%s", s)
	}
	term.write("\x03")
	term.end(130)
}

// colour is an escape sequence that sets one.
var colour = regexp.MustCompile(`\x1b\[[0-9;:]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;:]*m`)

func TestColoursOnATerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		want bool
	}{
		{"256", nil, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false},
		{"16", []string{"TERM=xterm"}, true}, // the accent, and nothing else
	} {
		t.Run(c.name, func(t *testing.T) {
			term := startOnTerminal(t, c.env, "--data", t.TempDir())
			term.await("The six points")
			term.press("\x1b[B", "▸1")
			if got := colour.MatchString(term.written()); got != c.want {
				t.Errorf("colours: %v, want %v in %q", got, c.want, term.written())
			}
			for _, mouse := range []string{"?1000h", "?1002h", "?1003h", "]11;?", "]10;?"} {
				if strings.Contains(term.written(), mouse) {
					t.Errorf("%s is written", mouse)
				}
			}
			term.write("q")
			term.end(0)
		})
	}
}

// What is wrong with the record or the terminal is one line, and no screen opens.
func TestRefusalsOnATerminal(t *testing.T) {
	damaged := t.TempDir()
	if err := os.WriteFile(damaged+"/progress.db", []byte("not a record, whatever else it may be"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  []string
		args []string
		text string
		code int
	}{
		{"damaged", nil, []string{"--data", damaged}, "is damaged", 1},
		{"dumb", []string{"TERM=dumb"}, []string{"--data", t.TempDir()}, "need a terminal", 2},
		{"theme", nil, []string{"--theme", "lihgt"}, `did you mean "light"?`, 2},
		{"topic", nil, []string{"drill", "--topic", "redloc", "--data", t.TempDir()}, `did you mean "redlock"?`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			term := startOnTerminal(t, c.env, c.args...)
			term.end(c.code)
			term.awaitWritten(c.text)
			if !strings.Contains(term.written(), c.text) || strings.Count(term.written(), "\n") != 1 || strings.Contains(term.written(), "\x1b") {
				t.Errorf("said %q", term.written())
			}
		})
	}
}

// B1: a panic in a goroutine of a lab leaves the terminal as it was, says what
// happened and keeps the answers.
func TestPanicOnATerminal(t *testing.T) {
	dir := t.TempDir()
	term := startNamed(t, "lockdrill-panics", nil, "drill", "--data", dir, "--limit", "3")
	term.await("1 of 3")
	term.press(" ", rule)
	term.press("3", "2 of 3")
	if err := term.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	term.end(1)
	if !strings.Contains(term.written(), "the store fell over") {
		t.Errorf("not said: %q", term.written())
	}
	if n := reviewsIn(t, dir); n != 1 {
		t.Errorf("%d reviews, want 1", n)
	}
}
