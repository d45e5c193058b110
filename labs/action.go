package labs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Action is one thing done to a running lab. A key, a line of a scenario file
// and a line of a test are the same action.
type Action struct {
	Verb  string // "acquire", "pause", "kill", "until", …
	Actor string // a client, a node, or "leader"; with until, what is awaited of whom
	Arg   string // write, work: the value; until: the condition
}

// String is the action as a scenario file spells it.
func (a Action) String() string {
	if a.Verb == verbUntil {
		return strings.TrimSpace("until " + a.Arg + " " + a.Actor)
	}
	return strings.TrimSpace(strings.Join([]string{a.Verb, a.Actor, a.Arg}, " "))
}

const verbUntil = "until"

// A verb's words after it.
type form int

const (
	formBare        form = iota // fence
	formClient                  // acquire A
	formClientValue             // write A 100
	formNode                    // kill redis-1
	formNodeSpan                // jump redis-3 9s
	formUntil                   // until expired A
)

// verbs are all verbs and their forms.
var verbs = map[string]form{
	"acquire": formClient, "wait": formClient, "release": formClient, "claim": formClient, "read": formClient,
	"write": formClientValue, "work": formClientValue,
	"pause": formClient, "resume": formClient,
	"queue": formClient, "peek": formClient, "restart": formNode, "jump": formNodeSpan,
	"kill": formNode, "promote": formNode, "lag": formNode, "cut": formNode, "mend": formNode,
	"enter": formClient, "delete": formClient, "save": formClientValue, "charge": formClientValue, "intend": formClientValue,
	"check": formClientValue, "mark": formClientValue, "stall": formBare, "answer": formBare, verbRun: formBare,
	"fence": formBare, "unfence": formBare, "hang": formBare,
	verbUntil: formUntil,
}

// conditions are what until can wait for, and whether of somebody.
var conditions = map[string]bool{
	"renewed": true, // the client renewed its lease since the last action
	"ready":   true, // the client stands before its write
	"gone":    true, // the service forgot the client's lease before its end
	"expired": true, // the client's last lease has ended
	"wrote":   true, // the store decided on the client's last write
	"granted": true, // the client has what it waits for
	// The client's number changed while it held: what it takes for its token.
	"renumbered": true,
	"answered":   true, // the client's last attempt to acquire has come to something
	"elected":    false,
	"free":       false, // the service says that nobody holds the lock
	"swept":      false, // ZooKeeper removed the emptied parent of the lock nodes
}

// ParseAction reads one line of a scenario file.
func ParseAction(line string) (Action, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return Action{}, errors.New("no action")
	}
	a, rest := Action{Verb: words[0]}, words[1:]
	f, ok := verbs[a.Verb]
	if !ok {
		return Action{}, fmt.Errorf("no action is called %q%s", a.Verb, suggestVerb(a.Verb))
	}
	if f == formUntil {
		return parseUntil(a, rest)
	}
	want := map[form]int{formBare: 0, formClient: 1, formClientValue: 2, formNode: 1, formNodeSpan: 2}[f]
	if len(rest) != want {
		return Action{}, fmt.Errorf("%s takes %s", a.Verb, usage[f])
	}
	if want > 0 {
		a.Actor = rest[0]
	}
	if want > 1 {
		a.Arg = rest[1]
	}
	if f == formNodeSpan {
		return a, a.checkSpan()
	}
	return a, nil
}

// checkSpan says what is wrong with the length of time of an action.
func (a Action) checkSpan() error {
	if d, err := time.ParseDuration(a.Arg); err != nil || d <= 0 {
		return fmt.Errorf("%s takes %s; %q is no length of time to go forward by", a.Verb, usage[formNodeSpan], a.Arg)
	}
	return nil
}

// span is the length of time of an action, checked by ParseAction.
func (a Action) span() time.Duration {
	d, _ := time.ParseDuration(a.Arg)
	return d
}

var usage = map[form]string{
	formBare: "nothing after it", formClient: "a client, as in A", formClientValue: "a client and a value, as in A 100",
	formNode: "a node or a client, as in redis-1", formNodeSpan: "a node and a length of time, as in redis-3 9s",
}

func parseUntil(a Action, rest []string) (Action, error) {
	if len(rest) == 0 {
		return Action{}, errors.New("until takes a condition, as in until expired A")
	}
	ofWhom, ok := conditions[rest[0]]
	if !ok {
		return Action{}, fmt.Errorf("nothing can be waited for that is called %q%s", rest[0], suggest(rest[0], sortedKeys(conditions)))
	}
	a.Arg, rest = rest[0], rest[1:]
	if ofWhom {
		if len(rest) == 0 {
			return Action{}, fmt.Errorf("until %s takes a client, as in until %s A", a.Arg, a.Arg)
		}
		a.Actor, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		return Action{}, fmt.Errorf("surplus words after until %s: %s", a.Arg, strings.Join(rest, " "))
	}
	return a, nil
}

func sortedKeys[V any](m map[string]V) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// synonyms are other words for verbs: those on the keys, and what people say.
var synonyms = map[string]string{
	"stop": "pause", "suspend": "pause", "freeze": "pause", "wake": "resume", "continue": "resume",
	"try": "acquire", "take": "acquire", "lock": "acquire", "unlock": "release",
	"crash": "kill", "disconnect": "cut", "reconnect": "mend",
}

func suggestVerb(word string) string {
	if verb, ok := synonyms[word]; ok {
		return fmt.Sprintf("; did you mean %q?", verb)
	}
	return suggest(word, sortedKeys(verbs))
}

// suggest finds the known word nearest to one that is not known.
func suggest(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
