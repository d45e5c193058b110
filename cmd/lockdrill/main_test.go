package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lockdrill/labs/client"
)

func TestMain(m *testing.M) {
	client.Main()
	testscript.Main(m, map[string]func(){"lockdrill": main})
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
