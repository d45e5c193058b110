package tui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// suspend stops the program until the shell continues it. Without a shell that
// does so, as in a terminal that runs nothing but lockdrill, the system would
// drop the signal and nothing would ever wake the screen.
func suspend() tea.Cmd {
	session, err := unix.Getsid(0)
	if err != nil || session == unix.Getpgrp() {
		return func() tea.Msg {
			return failedMsg{errors.New("nothing to suspend to: no shell with job control started this")}
		}
	}
	return tea.Suspend
}

// wallClock is the time of day, which goes on while the program is stopped.
func wallClock() time.Time { return time.Now().Round(0) }
