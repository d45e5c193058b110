package labs

import "time"

// leaderLab: the primary of a shard is taken for dead, and is not.
func leaderLab() Lab {
	return Lab{
		Name:     "leader",
		Question: "A shard's primary is taken for dead and comes back. Who stops it?",
		Services: []string{"etcd"},
		Stores:   []string{Fenced, Unfenced},
		Points:   []int{4},
		Flags: []Flag{{Name: flagToken, Values: []string{"election-rev", "election-header"}, Default: "election-rev",
			Usage: "the number that is taken for the term: Election.Rev(), or the revision in the header of the last proposal"}},
		ttl:     func(string) time.Duration { return defaultTTL },
		handTTL: func(string) time.Duration { return handTTL },
		plan: func(o Options) plan {
			if o.value(flagToken) == "election-header" {
				return plan{scenario: "pause-election-header", members: 1}
			}
			return plan{scenario: "leader", members: 1}
		},
		opening:  func(Options) []string { return []string{"acquire A", "claim A", "read A"} },
		controls: func(Options) []Control { return clientControls() },
		question: func(Options) Question {
			q := lateWriteQuestion()
			q.Text = "A led, hung, and was replaced by B. A wakes, believes that it leads, and sends its write of 100. What does the store do?"
			return q
		},
		say: sayLeader,
	}
}

func sayLeader(r Result) Lesson {
	late, refused := r.Verdict.LateWrite, r.Verdict.Check("holder-served").Verdict == Broken
	switch {
	case refused && late == "landed":
		return Lesson{
			What: "B was elected and its write was refused. A's, of the old term, landed.",
			Why:  "Election.Header() is of the last proposal: every Proclaim of A raised A's number past the one with which B stood in line.",
			Room: "The term is Election.Rev(), the create revision of the leader's key; it never changes while the term lasts.",
		}
	case late == "fenced":
		return Lesson{
			What: "A was taken for dead, woke, and acted for its old term. The store refused it.",
			Why:  "B's key was created later, so B's term is the higher number, and the store had seen it.",
			Room: "An election says who leads now; only the term, checked by what is led, stops who led before.",
		}
	case late == "landed":
		return Lesson{
			What: "A was taken for dead, woke, and acted for its old term. Its write landed beside B's.",
			Why:  "Two processes led at the same time, each by its own knowledge, and the store asked neither for its term.",
			Room: "At most one leader is an opinion of the election; without a term in every write there can be two.",
		}
	}
	return Lesson{What: "Nobody acted for an old term in this run."}
}
