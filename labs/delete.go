package labs

import "time"

const flagCompare = "compare"

// deleteLab: a holder whose lease has ended gives the lock up, and it is
// somebody else's by now.
func deleteLab() Lab {
	return Lab{
		Name:     "delete",
		Question: "Whose lock does a late DEL remove?",
		Services: []string{"redis", "redis-incr"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{2, 3},
		Flags:    []Flag{{Name: flagCompare, Usage: "A gives the lock up by the script that compares the owner first"}},
		// Long enough for B to be inside when C comes, on any machine.
		ttl:     func(string) time.Duration { return time.Second },
		handTTL: func(string) time.Duration { return handTTL },
		plan: func(o Options) plan {
			p := plan{scenario: "delete", clients: []string{"A", "B", "C"}}
			if o.has(flagCompare) {
				p.scenario = "delete-compare"
			}
			return p
		},
		opening: func(Options) []string { return []string{"acquire A", "claim A", "read A"} },
		controls: func(Options) []Control {
			return append([]Control{
				control("d", "A sends DEL", "delete A"), control("x", "A compares, deletes", "release A"),
				control("c", "C tries", "acquire C", "claim C", "read C"), control("i", "C writes", "write C 300"),
			}, clientControls()...)
		},
		question: func(Options) Question {
			return Question{
				Before: "acquire C",
				Text:   "B has the lock and is working. C asks for it. What is C told?",
				Answers: []Prediction{
					{"OK, it is yours", func(v Verdict) bool { return v.Check("one-grant").Verdict == Broken }},
					{"no, B holds it", func(v Verdict) bool { return v.Check("one-grant").Verdict != Broken }},
				},
			}
		},
		say: sayDelete,
	}
}

func sayDelete(r Result) Lesson {
	switch {
	case r.Verdict.Check("one-grant").Verdict == Broken:
		return Lesson{
			What: "A's DEL removed B's lock, and C was let in while B was inside.",
			Why:  "DEL asks for a key, not for an owner. A's own lease had ended long before.",
			Room: "Release by compare-and-delete, in one script, with a value that is unique to the grant.",
		}
	case r.Options.has(flagCompare):
		return Lesson{
			What: "A's compare-and-delete returned 0: the key was B's by then. C was refused.",
			Why:  "The script compares the random value of the grant and deletes in one step; nothing fits in between.",
			Room: "Compare-and-delete protects the key, never the resource: a late write needs a fence all the same.",
		}
	}
	return Lesson{What: "Nobody's lock was removed in this run."}
}
