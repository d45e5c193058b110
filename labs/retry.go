package labs

import "time"

// flagGuard is what stands between two tries; each lab has its own words for it.
const flagGuard = "guard"

// retryLab: a client times out and sends its request again.
func retryLab() Lab {
	return Lab{
		Name:     "retry",
		Question: "A client timed out and sent its request again. How often is it charged?",
		Services: []string{"redis", "etcd"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{5, 6},
		Flags: []Flag{{Name: flagGuard, Values: []string{"lock", "intent"}, Default: "lock",
			Usage: "what the handler does first: take a lock, or write an intent row"}},
		ttl:     func(string) time.Duration { return defaultTTL },
		handTTL: func(string) time.Duration { return handTTL },
		plan: func(o Options) plan {
			return plan{scenario: "retry-" + o.value(flagGuard), members: 1, noRenew: true, vendor: true, lockless: true, unpaid: []string{"44"}}
		},
		controls: func(Options) []Control {
			return []Control{
				control("s", "stall the vendor", "stall"), control("v", "vendor answers", "answer"),
				control("a", "A locks", "acquire A"), control("i", "A writes its intent", "intend A 44"), control("c", "A charges", "charge A 44"),
				control("b", "B locks", "acquire B"), control("j", "B writes its intent", "intend B 44"), control("d", "B charges", "charge B 44"),
			}
		},
		question: func(o Options) Question {
			return Question{
				Before: map[string]string{"lock": "acquire B", "intent": "intend B 44"}[o.value(flagGuard)],
				Text:   "The retry has reached another server, B, while A still waits for the vendor. Is the customer charged again?",
				Answers: []Prediction{
					{"yes", func(v Verdict) bool { return v.Check("effect-once").Verdict == Broken }},
					{"no", func(v Verdict) bool { return v.Check("effect-once").Verdict == Held }},
				},
			}
		},
		say: sayRetry,
	}
}

func sayRetry(r Result) Lesson {
	once := r.Verdict.Check("effect-once").Verdict
	switch {
	case once == Broken && r.Verdict.LateWrite == "fenced":
		return Lesson{
			What: "The vendor took the money twice. The fence refused A's late note of it, and the money was gone all the same.",
			Why:  "The vendor was slower than the lease, and it knows no fencing token.",
			Room: "A token cannot undo a call that was already sent: write the intent first, and give the vendor a key.",
		}
	case once == Broken:
		return Lesson{
			What: "The vendor took the money twice: once for the request, once for its retry.",
			Why:  "The vendor was slower than the lease. The lock was free again while the first call was still out.",
			Room: "A lock around the handler is no answer to retries; a row with a unique key, written first, is.",
		}
	case once == Held && r.Options.value(flagGuard) == "intent":
		return Lesson{
			What: "The vendor took the money once. The retry found the intent row and was told: it is under way.",
			Why:  "The row outlives every lease, and the primary key lets one insert win.",
			Room: "Record the intent under a unique key before the call; a retry finds it and waits for the outcome.",
		}
	}
	return Lesson{What: "Nobody was charged twice in this run."}
}
