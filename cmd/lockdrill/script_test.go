package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exits":  exits,
	"lines":  demandLines,
	"jsonl":  jsonLines,
	"nofile": nothingLeft,
}

// exits CODE COMMAND… runs a command and demands its exit code. Its output is
// there for the stdout and stderr commands.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s exits with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// demandLines: lines FILE N demands that a file, or stdout or stderr, has N lines.
func demandLines(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != want {
		ts.Fatalf("%s has %d lines, want %d:\n%s", args[0], got, want, ts.ReadFile(args[0]))
	}
}

// jsonLines FILE demands that every line is one JSON object, and that the last
// one is of kind result.
func jsonLines(ts *testscript.TestScript, _ bool, args []string) {
	all := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n")
	kind := ""
	for _, line := range all {
		var obj struct{ Kind string }
		if err := json.Unmarshal([]byte(line), &obj); err != nil {
			ts.Fatalf("not JSON: %v: %s", err, line)
		}
		kind = obj.Kind
	}
	if kind != "result" {
		ts.Fatalf("the last line is of kind %q", kind)
	}
}

// nothingLeft demands that no directory of a lab is left under the temporary
// directory.
func nothingLeft(ts *testscript.TestScript, _ bool, _ []string) {
	if out, _ := exec.Command("find", ts.Getenv("TMPDIR"), "-maxdepth", "1", "-name", "lockdrill-*").Output(); len(out) > 0 {
		ts.Fatalf("left behind: %s", out)
	}
}
