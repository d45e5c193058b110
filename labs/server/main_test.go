package server

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Helper processes of the tests, by the value of helperEnv.
const helperEnv = "LOCKDRILL_TEST_HELPER"

var helpers = map[string]func(){"full disk": startEtcdOnAFullDisk, "temp dir": holdTempDir}

func TestMain(m *testing.M) {
	if f := helpers[os.Getenv(helperEnv)]; f != nil {
		f()
		return
	}
	code := m.Run()
	if code == 0 {
		code = leaks()
	}
	os.Exit(code)
}

// leaks waits for every goroutine to end. Those of a killed etcd member take up
// to six seconds.
func leaks() int {
	var err error
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); {
		if err = goleak.Find(); err == nil {
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// startEtcdOnAFullDisk starts etcd where no file can grow, and says how it went.
func startEtcdOnAFullDisk() {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
		fmt.Println(err)
		return
	}
	e, err := StartEtcd(context.Background(), 1)
	if err == nil {
		err = e.Close()
	}
	fmt.Println("ended with:", err)
}

// holdTempDir makes a temporary directory and keeps it until it is killed.
func holdTempDir() {
	d, err := NewTempDir()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Path)
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends
}
