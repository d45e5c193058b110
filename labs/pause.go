package labs

import "time"

// Flags of the labs.
const (
	flagCheckClock = "check-clock"
	flagNoClaim    = "no-claim"
	flagWait       = "wait"
)

// defaultTTL is short, so that a lab is, too; etcd grants whole seconds.
const defaultTTL = 400 * time.Millisecond

// pauseLab: a holder is stopped until its lease has ended, and wakes to write.
func pauseLab() Lab {
	return Lab{
		Name:     "pause",
		Question: "What does a holder do that was stopped until its lease ended?",
		Services: []string{"redis", "etcd"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{1, 2, 3},
		Flags: []Flag{
			{Name: flagCheckClock, Usage: "A looks at its own lease just before it writes"},
			{Name: flagNoClaim, Usage: "B reads without registering its token first", Services: []string{"etcd"}},
		},
		ttl: func(string) time.Duration { return defaultTTL },
		plan: func(o Options) plan {
			p := plan{scenario: "pause", members: 1}
			if o.has(flagNoClaim) {
				p.scenario = "pause-no-claim"
			}
			return p
		},
		handTTL:  func(string) time.Duration { return handTTL },
		opening:  func(Options) []string { return []string{"acquire A", "claim A", "read A"} },
		controls: func(Options) []Control { return clientControls() },
		question: func(Options) Question { return lateWriteQuestion() },
		say:      sayPause,
	}
}

func sayPause(r Result) Lesson {
	switch late := r.Verdict.LateWrite; {
	case late == "fenced":
		return Lesson{
			What: "A woke and wrote under a lease that had ended. The store refused it.",
			Why:  "The store had seen the higher token of B, and compared.",
			Room: "The lock service issues a number that only rises; the store turns the old one away.",
		}
	case late == "landed" && r.Options.has(flagNoClaim):
		return Lesson{
			What: "A's late write landed in a " + r.Options.Store + " store, and B then wrote from what it had read before.",
			Why:  "A fence works from the moment the store has seen the new token. B read before it showed its own.",
			Room: "A new holder registers its token first, and reads after that.",
		}
	case late == "landed" && r.Options.Store == Fenced:
		return Lesson{
			What: "A woke and wrote under a lease that had ended. The fenced store took it.",
			Why:  "Redis issues no token: A and B both carry 0, so there is nothing to compare.",
			Room: "A fence in the store needs a number from the lock service, and SET NX EX has none to give.",
		}
	case late == "landed" && r.Options.has(flagCheckClock):
		return Lesson{
			What: "A looked at its lease, saw time left, and was stopped before it wrote. The write landed.",
			Why:  "A pause fits between any look at the clock and the write after it.",
			Room: "Checking the clock just before writing does not help; only the store can refuse.",
		}
	case late == "landed":
		return Lesson{
			What: "A woke and wrote under a lease that had ended. The store took it.",
			Why:  "The lock service was right and A was wrong; nothing stood between A and the store.",
			Room: "Expiry without a token is how two holders both write.",
		}
	}
	return Lesson{What: "No write came late in this run."}
}
