package labs

import "time"

// partitionLab: the holder cannot reach the lock service, and goes on.
func partitionLab() Lab {
	return Lab{
		Name:     "partition",
		Question: "What does a holder do that the lock service cannot reach?",
		Services: []string{"redis", "etcd", "redis-incr", "redlock", "zookeeper"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{1, 4},
		Flags: []Flag{{Name: flagIsolate, Services: []string{"etcd"},
			Usage: "not A but the leader that it speaks to is cut off, from the other members"}},
		ttl:     func(string) time.Duration { return defaultTTL },
		handTTL: func(string) time.Duration { return handTTL },
		plan:    partitionPlan,
		opening: func(Options) []string { return []string{"acquire A", "claim A", "read A"} },
		controls: func(o Options) []Control {
			if o.has(flagIsolate) {
				return append([]Control{
					control("c", "cut the leader off", "cut leader", "until elected"), control("k", "ask A's member", "peek A"),
				}, clientControls()...)
			}
			return append([]Control{control("c", "cut A off", "cut A"), control("m", "mend it", "mend A")}, clientControls()...)
		},
		question: func(Options) Question {
			q := lateWriteQuestion()
			q.Before, q.Text = "write A 100", "A was never stopped. It cannot reach the lock service, but it can reach the store, and writes 100. What does the store do?"
			return q
		},
		say: sayPartition,
	}
}

func partitionPlan(o Options) plan {
	if o.has(flagIsolate) {
		return plan{scenario: "partition-leader", members: 3, split: splitLeader}
	}
	return plan{scenario: "partition", members: 1}
}

func sayPartition(r Result) Lesson {
	if lesson, ok := sayIsolated(r); ok {
		return lesson
	}
	switch late := r.Verdict.LateWrite; {
	case late == "fenced":
		return Lesson{
			What: "A was cut off and kept running. Its write reached the store and was refused.",
			Why:  "The store had seen B's higher token. Nobody had to reach A for that.",
			Room: "You cannot take a lease back from a machine that you cannot reach; the store can refuse it.",
		}
	case late == "landed" && r.Options.Store == Fenced:
		return Lesson{
			What: "A was cut off and kept running. Its write reached the fenced store and landed.",
			Why:  "Redis issues no token, so both writes carry 0 and there is nothing to compare.",
			Room: "A fence without a number from the lock service fences nothing.",
		}
	case late == "landed":
		return Lesson{
			What: "A was cut off and kept running. Its write reached the store and landed, after B's.",
			Why:  "The service gave the lease to B in its time. It could not tell A, and the store asked nobody.",
			Room: "The network between holder and lock service is not the one between holder and data.",
		}
	}
	return Lesson{What: "No write came late in this run."}
}
