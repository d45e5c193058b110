package labs

import "time"

const flagFault = "fault"

// The faults of lab redlock.
const (
	faultPause      = "pause"
	faultEarlyPause = "early-pause"
	faultClockJump  = "clock-jump"
	faultRestart    = "restart"
)

// redlockLab: five independent nodes, a majority, and a clock.
func redlockLab() Lab {
	return Lab{
		Name:     "redlock",
		Question: "Five independent Redis nodes grant by majority. What does that survive?",
		Services: []string{"redlock", "redis", "redis-incr"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{3},
		Flags: []Flag{{Name: flagFault, Default: faultPause,
			Values: []string{faultPause, faultClockJump, faultRestart, faultEarlyPause},
			Usage:  "the holder is stopped, one node's clock jumps, one node restarts without its memory, or the holder is stopped before it looks at its clock"}},
		ttl:      func(string) time.Duration { return defaultTTL },
		ttlFor:   redlockTTL,
		handTTL:  func(string) time.Duration { return 10 * time.Second },
		plan:     redlockPlan,
		opening:  redlockOpening,
		controls: redlockControls,
		question: redlockQuestion,
		say:      sayRedlock,
	}
}

func redlockPlan(o Options) plan {
	p := plan{scenario: "redlock-" + o.value(flagFault), ownServer: true}
	switch fault := o.value(flagFault); {
	case fault == faultPause:
		p.scenario = "pause"
	case fault == faultEarlyPause && o.Service != "redlock":
		p.scenario = "pause" // one node has no majority that could answer too late
	case o.Service != "redlock":
		p.scenario = "redis-" + fault
	}
	return p
}

// redlockTTL: nothing waits for the end of a lease that a fault ends.
func redlockTTL(o Options) time.Duration {
	switch o.value(flagFault) {
	case faultClockJump, faultRestart:
		return 10 * time.Second
	case faultEarlyPause:
		return 2 * time.Second // so that the nodes have answered before it is over, on any machine
	}
	return defaultTTL
}

func redlockOpening(o Options) []string {
	grab := []string{"acquire A", "claim A", "read A"}
	if o.Service == "redlock" && (o.value(flagFault) == faultClockJump || o.value(flagFault) == faultRestart) {
		return append([]string{"cut redis-4", "cut redis-5"}, append(grab, "mend redis-4", "mend redis-5")...)
	}
	return grab
}

func redlockControls(o Options) []Control {
	node := "redis-3"
	if o.Service != "redlock" {
		node = "redis-1"
	}
	return append([]Control{
		control("j", node+" jumps 11 s", "jump "+node+" 11s"), control("s", node+" restarts", "restart "+node),
	}, clientControls()...)
}

func redlockQuestion(o Options) Question {
	if f := o.value(flagFault); f == faultPause || f == faultEarlyPause {
		return lateWriteQuestion()
	}
	return Question{
		Before: "wait B",
		Text:   "A has its majority and time left. B asks all nodes. What is B told?",
		Answers: []Prediction{
			{"OK, it is yours", func(v Verdict) bool { return v.Check("one-grant").Verdict == Broken }},
			{"no, A holds it", func(v Verdict) bool { return v.Check("one-grant").Verdict != Broken }},
		},
	}
}

func sayRedlock(r Result) Lesson {
	fault, late := r.Options.value(flagFault), r.Verdict.LateWrite
	two := r.Verdict.Check("one-grant").Verdict == Broken
	switch {
	case two && fault == faultClockJump:
		return Lesson{
			What: "One node's clock jumped, A's key ended there, and B got a majority while A still had time left.",
			Why:  "A majority is three of five. The node that A and B share had forgotten A, by its own clock.",
			Room: "Redlock counts on five clocks that run alike; a step of one of them is a second holder.",
		}
	case two && fault == faultRestart:
		return Lesson{
			What: "One node restarted without its memory, and B got a majority while A still had time left.",
			Why:  "What was never on disk is gone with the process. The node said OK twice.",
			Room: "A node that comes back empty must stay away for the longest lease, or write every key to disk first.",
		}
	case fault == faultEarlyPause && late == "none":
		return Lesson{
			What: "A had its five OKs and was stopped before it looked at its clock. It woke, looked, and believed nothing.",
			Why:  "Redlock takes the time it needed off the lease, after the answers: A saw that none was left.",
			Room: "Redlock catches a pause before its check of the clock, and none after it.",
		}
	case late == "landed":
		return Lesson{
			What: "A had its majority, was stopped after its check, and woke too late. Its write landed.",
			Why:  "Five nodes issue no token, so a store, fenced or not, has nothing to compare.",
			Room: "Redlock makes a lost lock less likely than one node does; a pause after the check goes through all the same.",
		}
	case late == "fenced":
		return Lesson{
			What: "A woke too late, and the store refused its write.",
			Why:  "This service counted its grants, and the store had seen B's number.",
			Room: "The refusal is the store's doing, and it needs a number.",
		}
	}
	return Lesson{What: "Nobody came late in this run."}
}
