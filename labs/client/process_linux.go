package client

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// childAttributes gives the child a process group of its own, so that Ctrl-C
// does not reach it, and lets it die with its parent even while it is stopped:
// SIGKILL, since a stopped process takes no other signal.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// stopped says whether the child has reported that it is stopped.
func stopped(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && info.Signo == int32(unix.SIGCHLD)
}
