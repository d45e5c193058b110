package labs

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Control is one thing that a person can do to a running lab.
type Control struct {
	Key   string // what to press
	Label string // what it does, as in "stop A"
	Do    []Action
}

// control makes one from lines of the scenario language.
func control(key, label string, lines ...string) Control {
	return Control{key, label, mustParse(lines)}
}

// mustParse reads actions that stand in this program.
func mustParse(lines []string) []Action {
	var all []Action
	for _, l := range lines {
		a, err := ParseAction(l)
		if err != nil {
			panic(fmt.Sprintf("built-in action %q: %v", l, err))
		}
		all = append(all, a)
	}
	return all
}

// Question is asked before the decisive moment of a story.
type Question struct {
	Before  string // the action before which it is asked
	Text    string
	Answers []Prediction
}

// Prediction is one thing that may happen, and whether it did.
type Prediction struct {
	Text string
	Came func(Verdict) bool
}

// Confidence is how sure a person is of a prediction.
var Confidence = [3]string{"a guess", "fairly sure", "sure"}

// ByHand are the options for a session whose keys a person presses: the lease is
// long enough to press them in.
func (l Lab) ByHand(o Options) Options {
	if o.Service == "" {
		o.Service = l.Services[0]
	}
	if o.TTL == 0 && l.handTTL != nil {
		o.TTL = l.handTTL(o.Service)
	}
	return o
}

// Controls are the things that can be done by hand in this session, as it
// stands: what a stopped client is told to do, it does later.
func (s *Session) Controls() []Control {
	if s.Lab.controls == nil {
		return runControl(s.Options)
	}
	all := s.Lab.controls(s.Options)
	for i, c := range all {
		if a := c.Do[0]; isOrder(a.Verb) && s.isAsleep(a.Actor) {
			all[i].Label += " when it wakes"
		}
	}
	return all
}

// isOrder says whether a client itself carries a verb out, so that one that is
// stopped does not.
func isOrder(verb string) bool {
	switch verb {
	case "pause", "resume", "queue", "peek":
		return false
	}
	return verbs[verb] == formClient || verbs[verb] == formClientValue
}

// Question is what to ask before the decisive moment of the lab's story; the zero
// Question if there is none.
func (s *Session) Question() Question {
	if s.Lab.question == nil {
		return Question{}
	}
	return s.Lab.question(s.Options)
}

// SetScene does what comes before a person takes over.
func (s *Session) SetScene(ctx context.Context) error {
	if s.Lab.opening == nil {
		return nil
	}
	return s.DoAll(ctx, mustParse(s.Lab.opening(s.Options)))
}

// DoAll carries out actions one after the other. It stops at one that the client
// was refused: what follows would rest on it.
func (s *Session) DoAll(ctx context.Context, actions []Action) error {
	for _, a := range actions {
		after := len(s.history.Events())
		if err := s.Do(ctx, a); err != nil {
			return err
		}
		if s.refused(a, after) {
			return nil
		}
	}
	return nil
}

func (s *Session) refused(a Action, after int) bool {
	op := s.orderOf(a).op
	return slices.ContainsFunc(s.history.Events()[after:], func(e Event) bool {
		return e.Process == a.Actor && e.Op == op && (e.Type == Fail || e.Type == Info)
	})
}

// Possible says why an action cannot be done now, or nil.
func (s *Session) Possible(a Action) error {
	if err := s.impossible(a); err != nil {
		return err
	}
	switch a.Verb {
	case "write", "read", "claim", "work", "release":
		if g := s.lease(a.Actor); g.Grant == 0 && !s.plan.lockless {
			return fmt.Errorf("%s has no lease: let it try first", a.Actor)
		}
		if a.Verb == "write" {
			return s.knowsBetter(a.Actor)
		}
	case "acquire", "wait":
		if s.isAsleep(a.Actor) {
			return fmt.Errorf("%s is stopped: wake it first", a.Actor)
		}
	case "fence":
		if s.store.Fenced() {
			return fmt.Errorf("the store is fenced already")
		}
	case "unfence":
		if !s.store.Fenced() {
			return fmt.Errorf("the store is not fenced")
		}
	case "kill", "promote", "lag", "cut":
		if _, isClient := s.clients[a.Actor]; !isClient {
			return s.site.possible(a)
		}
	}
	return nil
}

// knowsBetter says why a client would not write: it was told that its lease is
// gone. One that is stopped has not looked yet at whether it may.
func (s *Session) knowsBetter(name string) error {
	g := s.lease(name)
	told := s.last(func(e Event) bool {
		return e.Process == name && e.Op == OpRenew && e.Type == Fail && e.Grant == g.Grant
	})
	if told.Seq == 0 || s.plan.lockless || s.isAsleep(name) {
		return nil
	}
	return fmt.Errorf("%s knows that its lease is gone: it was told at %.1f s. Tell it to write while it is stopped, and it writes on waking",
		name, told.At.Seconds())
}

// Decided says whether the run has come to what it is about: a write that came
// late, a second grant, an effect that came twice, a lost value, or its figures.
func (v Verdict) Decided() bool {
	return v.LateWrite != "none" || v.Check("one-grant").Verdict == Broken ||
		v.Check("effect-once").Verdict == Broken || v.Check("holder-served").Verdict == Broken || len(v.Lost) > 0 || v.Measured
}

// Worst is the strongest verdict of the checks that a program can break by its
// own doing; where a service issues no tokens, that is not counted against it.
func (v Verdict) Worst() Outcome {
	worst := Held
	for _, c := range v.Checks {
		switch {
		case c.Name == "tokens-rise":
		case c.Verdict == Broken:
			return Broken
		case c.Verdict == Unknown:
			worst = Unknown
		}
	}
	return worst
}

// Decisive is the event that decided the run: the late write, else the second
// grant, the second effect, or the write that lost a value. False if there is
// none.
func (r Result) Decisive() (Event, bool) {
	for _, name := range []string{"no-late-write", "one-grant", "effect-once", "no-lost-update", "holder-served"} {
		c := r.Verdict.Check(name)
		late := name == "no-late-write" && r.Verdict.LateWrite != "none"
		if n := len(c.Witness); n > 0 && (late || c.Verdict == Broken) {
			return r.Events[c.Witness[n-1]-1], true
		}
	}
	return Event{}, false
}

// handTTL is what a person can keep up with.
const handTTL = 3 * time.Second

// clientControls are the things that every lab with two clients offers.
func clientControls() []Control {
	return []Control{
		control("p", "stop A", "pause A"), control("r", "wake A", "resume A"),
		control("a", "A tries", "acquire A", "claim A", "read A"),
		control("b", "B tries", "acquire B", "claim B", "read B"),
		control("w", "A writes", "write A 100"), control("e", "B writes", "write B 200"),
		control("f", "fence the store", "fence"), control("f", "unfence it", "unfence"),
	}
}

// lateWriteQuestion is asked before a stopped client wakes.
func lateWriteQuestion() Question {
	return Question{
		Before: "resume A",
		Text:   "A wakes and sends its write of 100. What does the store do?",
		Answers: []Prediction{
			{"takes it", func(v Verdict) bool { return v.LateWrite == "landed" }},
			{"refuses it", func(v Verdict) bool { return v.LateWrite == "fenced" }},
		},
	}
}
