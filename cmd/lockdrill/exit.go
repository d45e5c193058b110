package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"lockdrill/labs"
	"lockdrill/tui"
)

// Exit codes. A signal ends the program with 128 plus its number, as shells
// have it: 130 for an interrupt.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitShort  = 3 // the thing tested fell short
)

// shortError means that the program worked and what it tested did not.
type shortError struct{ text string }

func (e shortError) Error() string { return e.text }

// signalError is the signal that ended the program.
type signalError struct{ os.Signal }

func (e signalError) Error() string { return "ended by " + e.String() }

func (e signalError) code() int {
	if n, ok := e.Signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitFailed
}

// saidError is an error that the command has already put where it belongs, as a
// JSON document on stdout; nothing more is printed.
type saidError struct{ error }

func usagef(format string, args ...any) error {
	return labs.UsageError{Text: fmt.Sprintf(format, args...)}
}

// report prints err as one line and turns it into an exit code. This is the one
// place that does either.
func report(err, cause error, to io.Writer) int {
	if err == nil {
		return exitOK
	}
	if sig := (signalError{}); errors.As(cause, &sig) {
		return sig.code()
	}
	if errors.Is(err, tui.ErrInterrupted) { // Ctrl-C on a screen is a key, not a signal
		return signalError{os.Interrupt}.code()
	}
	if said := (saidError{}); !errors.As(err, &said) {
		fmt.Fprintf(to, "lockdrill: %s\n", oneLine(err.Error()))
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var usage labs.UsageError
	var short shortError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &short):
		return exitShort
	}
	return exitFailed
}

// oneLine keeps a message to one line without control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, s)
}
