package client

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

const helperEnv = "LOCKDRILL_TEST_HELPER"

func TestMain(m *testing.M) {
	Main()
	if os.Getenv(helperEnv) != "" {
		stopAClientAndWait()
		return
	}
	goleak.VerifyTestMain(m)
}

// stopAClientAndWait is a lab's process that is killed with a stopped client.
func stopAClientAndWait() {
	p, err := Start("A", func(Report) Answer { return Answer{} })
	if err == nil {
		err = p.Stop()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.cmd.Process.Pid)
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
}
