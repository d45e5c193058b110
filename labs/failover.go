package labs

import "time"

// failoverLab: the server that granted the lock dies.
func failoverLab() Lab {
	return Lab{
		Name:     "failover",
		Question: "Who holds the lock after the server that granted it died?",
		Services: []string{"redis", "etcd"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{3, 4},
		Flags: []Flag{
			{Name: flagWait, Usage: "a grant counts only once a replica has it (WAIT 1)", Services: []string{"redis"}},
		},
		ttl: func(service string) time.Duration {
			if service == "etcd" {
				return 2 * time.Second
			}
			return 30 * time.Second // nothing waits for it; a short one would end by itself before the promotion
		},
		plan: func(o Options) plan {
			switch {
			case o.Service == "etcd":
				return plan{scenario: "failover-etcd", members: 3}
			case o.has(flagWait):
				return plan{scenario: "failover-redis-wait", replicas: 3, wait: 1}
			}
			return plan{scenario: "failover-redis", replicas: 1}
		},
		say: sayFailover,
	}
}

func sayFailover(r Result) Lesson {
	broken := r.Verdict.Check("one-grant").Verdict == Broken
	switch {
	case r.Options.Service == "etcd" && !broken:
		return Lesson{
			What: "The leader died. The key, its token and its history survived: B was refused while A held.",
			Why:  "A majority had agreed on the grant. The new leader gave the lease its full time again, so it ended late, never early.",
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
