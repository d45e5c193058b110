package labs

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
)

// TestTranscripts plays each story and compares what happened, in order, with
// testdata/TestTranscripts/*.golden. Times, renewals and the values of
// tokens are left out: they differ from run to run and decide nothing. Run with
// -update to write the files anew, and read the difference.
func TestTranscripts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		lab     string
		options Options
	}{
		{"pause-redis", "pause", Options{TTL: time.Second}},
		{"pause-redis-fenced", "pause", Options{Store: Fenced, TTL: time.Second}},
		{"pause-redis-check-clock", "pause", Options{On: []string{flagCheckClock}, TTL: time.Second}},
		{"pause-etcd", "pause", Options{Service: "etcd"}},
		{"pause-etcd-fenced", "pause", Options{Service: "etcd", Store: Fenced}},
		{"pause-etcd-fenced-check-clock", "pause", Options{Service: "etcd", Store: Fenced, On: []string{flagCheckClock}}},
		{"pause-etcd-fenced-no-claim", "pause", Options{Service: "etcd", Store: Fenced, On: []string{flagNoClaim}}},
		{"pause-etcd-no-claim", "pause", Options{Service: "etcd", On: []string{flagNoClaim}}},
		{"failover-redis", "failover", Options{}},
		{"failover-redis-fenced", "failover", Options{Store: Fenced}},
		{"failover-redis-wait", "failover", Options{On: []string{flagWait}}},
		{"failover-etcd", "failover", Options{Service: "etcd"}},
		{"failover-etcd-fenced", "failover", Options{Service: "etcd", Store: Fenced}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, transcript(t, tt.lab, tt.options))
		})
	}
}

// transcript plays a story and writes its steps, what happened, and the verdict.
func transcript(t *testing.T, lab string, o Options) string {
	t.Helper()
	s := start(t, lab, o)
	story, err := s.Story()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, step := range story.steps {
		fmt.Fprintf(&b, "> %s\n", step.Action)
	}
	if err := story.play(context.Background()); err != nil {
		logEvents(t, s.History().Events())
		t.Fatal(err)
	}
	r := s.Result()
	for _, e := range r.Events {
		b.WriteString(told(e))
	}
	for _, c := range r.Verdict.Checks {
		fmt.Fprintf(&b, "%s %s\n", c.Name, c.Verdict)
	}
	fmt.Fprintf(&b, "late write %s\n", r.Verdict.LateWrite)
	for _, l := range r.Verdict.Lost {
		fmt.Fprintf(&b, "lost %s of %s, by %s\n", l.Value, l.Writer, l.By)
	}
	return b.String()
}

var (
	tokens  = regexp.MustCompile(`token \d+`)
	moments = regexp.MustCompile(`\b\d+ ms\b`)
	members = regexp.MustCompile(`etcd-\d`)
)

// told is an event without what differs from run to run, or "".
func told(e Event) string {
	if e.Op == OpRenew || e.Op == OpStart || e.Op == OpVanish { // the lab sees what is gone when it looks
		return ""
	}
	line := fmt.Sprintf("%s %s %s: %s\n", e.Process, e.Op, e.Type, Explain(e))
	line = tokens.ReplaceAllString(line, "token T")
	line = moments.ReplaceAllString(line, "N ms")
	return members.ReplaceAllString(line, "etcd-N")
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"acquire":                             "f.txt:1: acquire takes a client",
		"\n# why\nacquire A B":                "f.txt:3: acquire takes a client",
		"aquire A":                            `f.txt:1: no action is called "aquire"; did you mean "acquire"?`,
		"frobnicate A":                        `f.txt:1: no action is called "frobnicate"`,
		"write A":                             "f.txt:1: write takes a client and a value",
		"fence it":                            "f.txt:1: fence takes nothing after it",
		"kill":                                "f.txt:1: kill takes a node or a client",
		"until":                               "f.txt:1: until takes a condition",
		"until expird A":                      `f.txt:1: nothing can be waited for that is called "expird"; did you mean "expired"?`,
		"until expired":                       "f.txt:1: until expired takes a client",
		"until elected A":                     "f.txt:1: surplus words after until elected: A",
		"until expired A B":                   "f.txt:1: surplus words after until expired: B",
		"\ufeffacquire A\r\nacquire":          "f.txt:2: acquire takes a client",
		strings.Repeat("fence\n", maxSteps+1): fmt.Sprintf("f.txt:%d: more than %d actions", maxSteps+1, maxSteps),
	} {
		_, err := ParseScenario("f.txt", text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
}

// An action is spelled as it is read.
func TestActionsAreSpelledAsRead(t *testing.T) {
	files, err := scenarioFiles.ReadDir("scenarios")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		steps, err := builtin(strings.TrimSuffix(f.Name(), ".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			again, err := ParseAction(step.Action.String())
			if err != nil || again != step.Action {
				t.Errorf("%s:%d: %v is read back as %v, %v", f.Name(), step.Line, step.Action, again, err)
			}
		}
	}
}

func FuzzParseScenario(f *testing.F) {
	f.Add("acquire A\nuntil expired A # why\n")
	f.Add("\ufeffwrite A 1\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		steps, err := ParseScenario("f", text)
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("no place in %v", err)
		}
		for _, s := range steps {
			if again, err := ParseAction(s.Action.String()); err != nil || again != s.Action {
				t.Errorf("%v is read back as %v, %v", s.Action, again, err)
			}
		}
	})
}
