package client

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// childAttributes gives the child a process group of its own: Ctrl-C does not
// reach it, and when its parent dies the group is orphaned, so that the kernel
// sends a stopped member SIGHUP and SIGCONT.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

const stateStopped = 4 // SSTOP in sys/proc.h

// stopped says whether the kernel lists the child as stopped.
func stopped(pid int) bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && k.Proc.P_stat == stateStopped
}
