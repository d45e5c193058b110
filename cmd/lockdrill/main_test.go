package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lockdrill/labs/client"
	"lockdrill/labs/guard"
)

func TestMain(m *testing.M) {
	client.Main()
	testscript.Main(m, map[string]func(){"lockdrill": main, "lockdrill-panics": mainThatPanics})
}

// mainThatPanics is the program with a goroutine of a lab that panics when
// SIGUSR1 comes.
func mainThatPanics() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1)
	go guard.Func(func() {
		<-told
		panic("the store fell over")
	})()
	main()
}

// TestScripts runs the command line as its users do.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:                scriptCommands,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/data")
			env.Setenv("TMPDIR", env.WorkDir)
			return nil
		},
	})
}
