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
		Services: []string{"redis", "etcd", "redis-incr", "redlock", "zookeeper"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{1, 2, 3},
		Flags: []Flag{
			{Name: flagCheckClock, Usage: "A looks at its own lease just before it writes"},
			{Name: flagNoClaim, Usage: "B reads without registering its token first", Services: []string{"etcd", "redis-incr", "zookeeper"}},
			tokenFlag(),
		},
		ttl: func(string) time.Duration { return defaultTTL },
		plan: func(o Options) plan {
			p := plan{scenario: "pause", members: 1}
			if w, ok := wrongTokens[o.value(flagToken)]; ok {
				p.members, p.split, p.ownServer = max(p.members, w.members), w.split, w.own
				if w.scenario != "" {
					p.scenario = w.scenario
				}
			}
			if o.has(flagNoClaim) {
				p.scenario = "pause-no-claim"
			}
			return p
		},
		handTTL:  func(string) time.Duration { return handTTL },
		opening:  func(Options) []string { return []string{"acquire A", "claim A", "read A"} },
		controls: func(Options) []Control { return clientControls() },
		question: pauseQuestion,
		say:      sayPause,
	}
}

func pauseQuestion(o Options) Question {
	if o.value(flagToken) != "header-revision" {
		return lateWriteQuestion()
	}
	return Question{
		Before: "write A 100",
		Text:   "A has held the lock all the time and sends its write of 100. What does the store do?",
		Answers: []Prediction{
			{"takes it", func(v Verdict) bool { return v.Check("holder-served").Verdict != Broken }},
			{"refuses it", func(v Verdict) bool { return v.Check("holder-served").Verdict == Broken }},
		},
	}
}

func sayPause(r Result) Lesson {
	if lesson, ok := sayToken(r); ok {
		return lesson
	}
	switch late := r.Verdict.LateWrite; {
	case late == "fenced" && r.Options.has(flagCheckClock):
		return Lesson{
			What: "A looked at its lease, saw time left, was stopped, and wrote too late. The store refused it.",
			Why:  "The look at the clock did not help: the pause fell after it. What helped was the store, which had seen B's higher token.",
			Room: "Checking the clock just before writing does not help; only the store can refuse.",
		}
	case late == "fenced":
		return Lesson{
			What: "A woke and wrote under a lease that had ended. The store refused it.",
			Why:  "The store had seen the higher token of B, and compared.",
			Room: "The lock service issues a number that only rises; the store turns the old one away.",
		}
	case late == "landed" && r.Options.has(flagNoClaim) && r.Options.Store == Unfenced:
		return Lesson{
			What: "A's late write landed, and B then wrote over it from what it had read before.",
			Why:  "This store compares nothing. A fenced one would have let it land, too: B had not shown its token before it read.",
			Room: "A new holder registers its token first, and reads after that.",
		}
	case late == "landed" && r.Options.has(flagNoClaim):
		return Lesson{
			What: "A's late write landed in a fenced store, and B then wrote from what it had read before.",
			Why:  "A fence works from the moment the store has seen the new token. B read before it showed its own.",
			Room: "A new holder registers its token first, and reads after that.",
		}
	case late == "landed" && r.Options.Store == Fenced:
		return Lesson{
			What: "A woke and wrote under a lease that had ended. The fenced store took it.",
			Why:  recipe(r.Options.Service) + " issues no token: A and B both carry 0, so there is nothing to compare.",
			Room: "A fence in the store needs a number from the lock service, and " + recipe(r.Options.Service) + " has none to give.",
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

// recipe is what people call a way of locking.
func recipe(service string) string {
	if service == "redlock" {
		return "Redlock"
	}
	return "SET NX EX"
}
