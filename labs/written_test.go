package labs

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestWrittenErrors(t *testing.T) {
	tests := map[string]string{
		"":                              "f.txt: no action in it",
		"# only a comment":              "f.txt: no action in it",
		"acquire A\npuase A":            `f.txt:2: no action is called "puase"; did you mean "pause"?`,
		"acquire Bob":                   `f.txt:1: no client is called "Bob": clients are A to Z`,
		"acquire A\nkill reddis-1":      `f.txt:2: nobody is called "reddis-1"`,
		"kill redis-9":                  `f.txt:1: nobody is called "redis-9"`,
		"acquire A\n\nuntil exspired A": `f.txt:3: nothing can be waited for that is called "exspired"; did you mean "expired"?`,
		"run":                           "f.txt:1: run is for the labs of this program",
		"jump redis-1 soon":             "f.txt:1: jump takes",
		strings.Repeat("acquire A\n", maxSteps+1):                                                           "f.txt:1001: more than 1000 actions",
		"acquire A\nacquire B\nacquire C\nacquire D\nacquire E\nacquire F\nacquire G\nacquire H\nacquire I": "f.txt:9: client I would be one more than 8",
	}
	for text, want := range tests {
		_, err := Written("f.txt", text, time.Second)
		if !strings.HasPrefix(textOf(err), want) {
			t.Errorf("%.40q: %q, want %q", text, textOf(err), want)
		}
	}
}

// What a scenario needs is read off its lines.
func TestWrittenNeeds(t *testing.T) {
	tests := []struct {
		text     string
		service  string
		clients  string
		replicas int
		members  int
	}{
		{"acquire B\nacquire A", "redis", "AB", 0, 1},
		{"acquire A\nkill redis-1\npromote redis-3", "redis", "A", 2, 1},
		{"acquire A\nkill leader\nuntil elected", "etcd", "A", 0, 3},
		{"acquire A\njump redis-3 9s", "redlock", "A", 2, 1},
	}
	for _, tt := range tests {
		l, err := Written("f.txt", tt.text, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		p := l.plan(Options{})
		if l.Services[0] != tt.service || strings.Join(p.clients, "") != tt.clients || p.replicas != tt.replicas || p.members != tt.members {
			t.Errorf("%q: services %v, plan %+v", tt.text, l.Services, p)
		}
	}
}

// A wait that cannot come true ends with what was awaited.
func TestWrittenWaitInVain(t *testing.T) {
	t.Parallel()
	l, err := Written("f.txt", "# in vain\nacquire A\nuntil gone A\n", 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_, err = playOnce(context.Background(), l, Options{})
	if !strings.HasPrefix(textOf(err), "f.txt:3: until gone A: waited") {
		t.Error(err)
	}
}

func TestShown(t *testing.T) {
	for _, l := range All() {
		text, err := Shown(l.Name)
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		if strings.HasSuffix(text, verbRun+"\n") {
			continue
		}
		if _, err := Written(l.Name+".txt", text, time.Second); err != nil {
			t.Errorf("what is shown of %s is no scenario: %v", l.Name, err)
		}
	}
	if _, err := Shown("puase"); !strings.Contains(textOf(err), `did you mean "pause"?`) {
		t.Error(err)
	}
}
