package labs

import "time"

// forgottenClientLab: somebody writes a script that does not know of the lock.
func forgottenClientLab() Lab {
	return Lab{
		Name:     "forgotten-client",
		Question: "What stops a new script that does not know of the lock?",
		Services: []string{"redis", "etcd"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{6},
		Flags: []Flag{{Name: flagGuard, Values: []string{"none", "version", "constraint"}, Default: "none",
			Usage: "what the database checks: nothing, the version at each save, or a unique row per run of the job"}},
		ttl:     func(string) time.Duration { return defaultTTL },
		handTTL: func(string) time.Duration { return handTTL },
		plan: func(o Options) plan {
			return plan{scenario: "forgotten-" + o.value(flagGuard), members: 1, clients: []string{"A", "S"}, lockless: true}
		},
		opening: func(Options) []string { return []string{"acquire A", "claim A", "read A"} },
		controls: func(o Options) []Control {
			verb := map[string]string{"none": "write", "version": "save", "constraint": "intend"}[o.value(flagGuard)]
			return []Control{
				control("a", "A locks", "acquire A", "claim A", "read A"), control("s", "the script reads", "read S"),
				control("e", "the script writes", verb+" S 300"), control("w", "A writes", verb+" A 100"),
			}
		},
		question: func(o Options) Question {
			return Question{
				Before: map[string]string{"none": "write S 300", "version": "save S 300", "constraint": "intend S 44"}[o.value(flagGuard)],
				Text:   "A holds the lock. S is a new script whose author never heard of it. What becomes of A's and S's work?",
				Answers: []Prediction{
					{"a value is lost", func(v Verdict) bool { return len(v.Lost) > 0 }},
					{"nothing is lost", func(v Verdict) bool { return len(v.Lost) == 0 }},
				},
			}
		},
		say: sayForgotten,
	}
}

func sayForgotten(r Result) Lesson {
	refused := lastOf(r.Events, func(e Event) bool { return e.Process == StoreName && e.Type == Fail })
	switch {
	case len(r.Verdict.Lost) > 0:
		l := r.Verdict.Lost[0]
		return Lesson{
			What: "The script took no lock, and " + l.Writer + "'s " + l.Value + " was lost under " + l.By + "'s write.",
			Why: "A lock binds those who ask for it. " + map[bool]string{
				true: "The script's write carried no token, and neither did A's: the fence had nothing to compare.", false: "The store asked nobody for anything.",
			}[r.Options.Store == Fenced],
			Room: "Every lock is advisory: what the database does not check will be forgotten by the next script.",
		}
	case refused.Op == OpIntend:
		return Lesson{
			What: "The script took no lock, and its insert was refused: the job's row was there.",
			Why:  "The unique key stands in the database, where every writer passes, also one that knows of no lock.",
			Room: "A constraint binds whoever writes; a lock binds whoever remembers it.",
		}
	case refused.Err == versionMoved:
		return Lesson{
			What: "The script took no lock, and the write that came second was refused: 0 rows.",
			Why:  "Each save says which version it was made from, and the store compares.",
			Room: "A version in the row protects it from those who never heard of the lock.",
		}
	case refused.Seq > 0:
		return Lesson{
			What: "The script took no lock, and the fenced store refused it: it had no token to show.",
			Why:  "The store had seen A's token, and 0 is lower than any.",
			Room: "A fence in the store is a check that a forgotten client cannot go round.",
		}
	}
	return Lesson{What: "The script and A did not meet in this run."}
}
