package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const tempPrefix = "lockdrill-"

// TempDir is a directory that belongs to this process: it holds a lock on a
// file inside, so that a later start can tell a left-over from a live one.
type TempDir struct {
	Path string
	lock *os.File
}

// NewTempDir makes a fresh directory under the system's temporary one.
func NewTempDir() (*TempDir, error) {
	path, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", tempPrefix, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("temporary directory: %w (set TMPDIR to a writable one)", err)
	}
	f, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		_ = os.RemoveAll(path)
		return nil, fmt.Errorf("temporary directory: %w", err)
	}
	return &TempDir{path, f}, nil
}

// Remove deletes the directory and all that is in it.
func (d *TempDir) Remove() error {
	return errors.Join(os.RemoveAll(d.Path), d.lock.Close())
}

// SweepTempDirs removes the directories of earlier runs that were killed. A
// directory stays while its process lives, or while its lock is held.
func SweepTempDirs() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*-*"))
	for _, d := range dirs {
		if abandoned(d) {
			_ = os.RemoveAll(d) // what cannot be removed is somebody else's
		}
	}
}

func abandoned(dir string) bool {
	pid, err := strconv.Atoi(strings.SplitN(strings.TrimPrefix(filepath.Base(dir), tempPrefix), "-", 2)[0])
	if err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	f, err := os.Open(filepath.Join(dir, "lock"))
	if errors.Is(err, os.ErrNotExist) {
		return true // killed between making the directory and locking it
	}
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
