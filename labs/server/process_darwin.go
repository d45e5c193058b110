package server

import "syscall"

// childAttributes gives a server a process group of its own, so that Ctrl-C does
// not reach it.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
