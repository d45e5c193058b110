package server

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// deadPID is the id of a process that is no more.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	must(t, cmd.Run())
	return cmd.Process.Pid
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dead := deadPID(t)
	tests := []struct {
		name string
		file string // inside; "lock!" is held by a process that lives
		kept bool
	}{
		{fmt.Sprintf("lockdrill-%d-1", dead), "lock", false},
		{fmt.Sprintf("lockdrill-%d-2", dead), "", false},     // killed before it made its lock
		{fmt.Sprintf("lockdrill-%d-3", dead), "lock!", true}, // a process in another PID namespace
		{fmt.Sprintf("lockdrill-%d-4", os.Getpid()), "", true},
		{"lockdrill-notes", "", true},
		{"lockdrill-x-1", "lock", true},
		{"other-1-1", "lock", true},
	}
	for _, tt := range tests {
		dir := filepath.Join(os.TempDir(), tt.name)
		must(t, os.MkdirAll(filepath.Join(dir, "etcd-1", "member", "wal"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "etcd-1", "member", "wal", "0.wal"), []byte("junk"), 0o600))
		if tt.file == "" {
			continue
		}
		f, err := os.Create(filepath.Join(dir, "lock"))
		must(t, err)
		t.Cleanup(func() { _ = f.Close() })
		if tt.file == "lock!" {
			must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
		}
	}
	SweepTempDirs()
	for _, tt := range tests {
		if got := exists(filepath.Join(os.TempDir(), tt.name)); got != tt.kept {
			t.Errorf("%s with %q: kept %t, want %t", tt.name, tt.file, got, tt.kept)
		}
	}
}

func TestAKilledProcessIsSweptAndALiveOneIsNot(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	cmd := helper("temp dir", tmp)
	in, err := cmd.StdinPipe() // holds it until here
	must(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	dir := strings.TrimSpace(line)
	SweepTempDirs()
	if !exists(dir) {
		t.Error("the directory of a live process was swept")
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // "signal: killed"
	if !exists(dir) {
		t.Error("a killed process tidied up")
	}
	SweepTempDirs()
	if exists(dir) {
		t.Error("the directory of a killed process stays")
	}
}

// A start does not look at what lies about, junk or not.
func TestLeftOversDoNotDisturbAStart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	wal := filepath.Join(os.TempDir(), fmt.Sprintf("lockdrill-%d-1", deadPID(t)), "etcd-1", "member", "wal")
	must(t, os.MkdirAll(wal, 0o700))
	must(t, os.WriteFile(filepath.Join(wal, "0000000000000000-0000000000000000.wal"), []byte("junk"), 0o600))
	must(t, put(within(t), startEtcd(t, 1).Endpoints()))
}

func TestTempDirIsPrivate(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d, err := NewTempDir()
	must(t, err)
	info, err := os.Stat(d.Path)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	must(t, d.Remove())
	if exists(d.Path) {
		t.Error("it is still there")
	}
}
