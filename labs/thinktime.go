package labs

import "time"

// thinkTimeLab: a person edits for longer than any lease should last.
func thinkTimeLab() Lab {
	return Lab{
		Name:     "think-time",
		Question: "A person edits for twenty minutes. What keeps two edits apart?",
		Services: []string{"redis", "etcd"},
		Stores:   []string{Unfenced},
		Points:   []int{6},
		Flags: []Flag{{Name: flagGuard, Values: []string{"lease", "renew", "version"}, Default: "lease",
			Usage: "a lease that ends, a lease that is renewed while the person thinks, or a version that is compared at the save"}},
		ttl:     func(string) time.Duration { return defaultTTL },
		handTTL: func(string) time.Duration { return handTTL },
		plan: func(o Options) plan {
			g := o.value(flagGuard)
			return plan{scenario: "think-time-" + g, members: 1, noRenew: g == "lease", lockless: g == "version"}
		},
		controls: func(o Options) []Control {
			if o.value(flagGuard) == "version" {
				return []Control{
					control("a", "A opens", "read A"), control("b", "B opens", "read B"),
					control("w", "A saves", "save A text-of-A"), control("e", "B saves", "save B text-of-B"),
				}
			}
			return []Control{
				control("a", "A opens", "acquire A", "read A"), control("b", "B opens", "acquire B", "read B"),
				control("w", "A saves", "write A text-of-A"), control("e", "B saves", "write B text-of-B"), control("x", "A closes", "release A"),
			}
		},
		question: func(o Options) Question {
			q := Question{
				Before: map[string]string{"lease": "write A text-of-A", "renew": "acquire B", "version": "save A text-of-A"}[o.value(flagGuard)],
				Text:   "A opened the document first and is still thinking. What becomes of the two texts?",
				Answers: []Prediction{
					{"one is lost", func(v Verdict) bool { return len(v.Lost) > 0 }},
					{"none is lost", func(v Verdict) bool { return len(v.Lost) == 0 }},
				},
			}
			return q
		},
		say: sayThinkTime,
	}
}

func sayThinkTime(r Result) Lesson {
	refused := lastOf(r.Events, func(e Event) bool { return e.Op == OpWrite && e.Err == versionMoved })
	blocked := lastOf(r.Events, func(e Event) bool { return e.Op == OpAcquire && e.Type == Fail })
	switch {
	case len(r.Verdict.Lost) > 0:
		l := r.Verdict.Lost[0]
		return Lesson{
			What: l.By + " thought for longer than its lease, saved, and overwrote " + l.Writer + "'s " + l.Value + ".",
			Why:  "The lease ended while a person was thinking; nobody asked at the save what the text was made from.",
			Room: "A lease is for machines that work for seconds, not for people who go to lunch.",
		}
	case refused.Seq > 0:
		theirs := lastOf(r.Events[:refused.Seq-1], func(e Event) bool { return e.Op == OpWrite && e.Process == StoreName && e.Type == OK })
		return Lesson{
			What: "The second save was refused. To be merged: " + refused.Value + ", and " + theirs.Value + " in the store.",
			Why:  "The save said which version it was made from, and the store compared: 0 rows.",
			Room: "For think time use a version: nobody waits, nobody is overwritten unseen, and a conflict shows both texts.",
		}
	case blocked.Seq > 0:
		return Lesson{
			What: blocked.Process + " was refused for as long as the other was thinking.",
			Why:  "The lease was renewed in the background, whether anybody typed or not.",
			Room: "A lock that is held through think time blocks all on the slowest person.",
		}
	}
	return Lesson{What: "The two edits did not meet in this run."}
}

// lastOf is the last event that matches, or the zero event.
func lastOf(events []Event, match func(Event) bool) Event {
	for i := len(events) - 1; i >= 0; i-- {
		if match(events[i]) {
			return events[i]
		}
	}
	return Event{}
}
