package labs

import "time"

// failoverLab: the server that granted the lock dies.
func failoverLab() Lab {
	return Lab{
		Name:     "failover",
		Question: "Who holds the lock after the server that granted it died?",
		Services: []string{"redis", "etcd", "redis-incr"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{3, 4},
		Flags: []Flag{
			{Name: flagWait, Usage: "a grant counts only once a replica has it (WAIT 1)", Services: []string{"redis"}},
		},
		ttl:     failoverTTL,
		handTTL: failoverTTL,
		plan: func(o Options) plan {
			switch {
			case o.Service == "etcd":
				return plan{scenario: "failover-etcd", members: 3}
			case o.Service == "redis-incr":
				return plan{scenario: "failover-redis-incr", replicas: 1}
			case o.has(flagWait):
				return plan{scenario: "failover-redis-wait", replicas: 3, wait: 1}
			}
			return plan{scenario: "failover-redis", replicas: 1}
		},
		opening:  failoverOpening,
		controls: failoverControls,
		question: failoverQuestion,
		say:      sayFailover,
	}
}

// failoverTTL: nothing waits for the Redis lease, and a short one would end by
// itself before the promotion.
func failoverTTL(service string) time.Duration {
	if service == "etcd" {
		return 2 * time.Second
	}
	return 30 * time.Second
}

func failoverOpening(o Options) []string {
	grab := []string{"acquire A", "claim A", "read A"}
	switch {
	case o.Service == "etcd":
		return grab
	case o.has(flagWait):
		return append([]string{"lag redis-3", "lag redis-4"}, grab...)
	}
	return append([]string{"lag redis-2"}, grab...)
}

func failoverControls(o Options) []Control {
	nodes := []Control{control("k", "kill the leader", "kill leader", "until elected")}
	switch {
	case o.Service == "redis" && o.has(flagWait):
		nodes = []Control{
			control("c", "cut off redis-2", "cut redis-2"), control("k", "kill the primary", "kill redis-1"),
			control("o", "promote redis-3", "promote redis-3"),
		}
	case o.Service != "etcd":
		nodes = []Control{control("k", "kill the primary", "kill redis-1"), control("o", "promote redis-2", "promote redis-2")}
	}
	return append(nodes, clientControls()...)
}

func failoverQuestion(Options) Question {
	return Question{
		Before: "acquire B",
		Text:   "B asks for the lock that A was given. What is B told?",
		Answers: []Prediction{
			{"OK, it is yours", func(v Verdict) bool { return v.Check("one-grant").Verdict == Broken }},
			{"no, A holds it", func(v Verdict) bool { return v.Check("one-grant").Verdict != Broken }},
		},
	}
}

func sayFailover(r Result) Lesson {
	broken := r.Verdict.Check("one-grant").Verdict == Broken
	again := r.Verdict.Check("tokens-rise").Verdict == Broken
	switch {
	case again && r.Verdict.Check("holder-served").Verdict == Broken:
		return Lesson{
			What: "After the failover B was given a token that had been given before. The fenced store refused B, the holder, and took A's late write.",
			Why:  "The counter lives where the lock lives: the promoted replica had heard of neither, and counted again from the start.",
			Room: "INCR gives fencing tokens for as long as the counter survives, and a failover may lose it.",
		}
	case again:
		return Lesson{
			What: "After the failover the lock was granted twice, and the second time with a token that had been given before.",
			Why:  "The counter lives where the lock lives: the promoted replica had heard of neither, and counted again from the start.",
			Room: "INCR gives fencing tokens for as long as the counter survives, and a failover may lose it.",
		}
	case r.Options.Service == "etcd" && !broken:
		return Lesson{
			What: "The leader died. The key, its token and its history survived: B was refused while A held.",
			Why:  "A majority had agreed on the grant. " + r.leaseEnd(),
			Room: "etcd survives the failover because a majority knows; the store must still check the revision.",
		}
	case broken && r.Options.has(flagWait):
		return Lesson{
			What: "WAIT 1 was obeyed, and the lock was granted twice all the same.",
			Why:  "The replica that had the key could not be reached, and the lagging one was promoted. Sentinel prefers the most advanced replica, of those it can reach.",
			Room: "WAIT makes the loss of a lock less likely; it does not make Redis a consensus system.",
		}
	case broken:
		return Lesson{
			What: "A was told OK, the primary died before its replica had the key, and B was told OK too.",
			Why:  "Redis answers before it replicates; the promoted replica had never heard of A.",
			Room: "On failover the promoted replica may lack the key, and two clients hold one lock.",
		}
	}
	return Lesson{What: "The lock was granted once in this run."}
}

// leaseEnd says when the first lease ended, against what had been promised: a new
// leader gives every lease its full time again, so that it never ends early.
func (r Result) leaseEnd() string {
	const rule = "A new leader gives every lease its full time again: it may end late, never early"
	promised := time.Duration(0)
	for _, e := range r.Events {
		switch {
		case e.Grant == 1 && e.Type == OK && promises(e.Op):
			promised = max(promised, e.Until)
		case e.Grant == 1 && e.Op == OpExpire:
			return rule + "; here it ended " + Span((e.At - promised).Round(time.Millisecond)) + " after the end that A was promised."
		}
	}
	return rule + "."
}
