package labs

import "lockdrill/labs/lock"

// flagToken chooses the number that goes with the writes.
const flagToken = "token"

func tokenFlag() Flag {
	by := map[string][]string{}
	var services []string
	for _, s := range []string{"redis-incr", "etcd", "zookeeper"} {
		services = append(services, s)
		by[s] = lock.TokensOf(s)
	}
	return Flag{Name: flagToken, Usage: "the number that is taken for the fencing token", Services: services, By: by}
}

// A wrong number: the story in which it fails, what it needs, and the reason.
type wrongToken struct {
	scenario string // "" = the lab's usual one
	members  int    // etcd
	split    string
	own      bool // it rests on how lockdrill sets the server up
	lesson   Lesson
}

// wrongTokens are the numbers that are no fencing tokens.
var wrongTokens = map[string]wrongToken{
	"lease-id": {
		members: 3, split: splitLeases, own: true,
		lesson: Lesson{
			What: "B held the lock and its write was refused. A's came late and landed.",
			Why:  "A lease id begins with the number of the member that gave it. A's member gives higher ids than B's, whoever comes first.",
			Room: "A token must come out of the one order that the whole cluster agrees on, as the key's create revision does.",
		},
	},
	"header-revision": {
		scenario: "pause-header-revision",
		lesson: Lesson{
			What: "A held the lock all the time, nobody else got in, and A's own write was refused.",
			Why:  "Header().Revision is how far the whole store had come. A locked again on its session, got a higher number for the same grant, and its older write looked stale.",
			Room: "A token belongs to the grant: take the key's create revision, which stays, not the header of the last reply.",
		},
	},
	"election-header": {
		scenario: "pause-election-header",
		lesson: Lesson{
			What: "B was elected and its write was refused. A's came late and landed.",
			Why:  "Election.Header() is of the last proposal. Every Proclaim of A raised A's number past the one that B got when it stood in line.",
			Room: "In an election the token is Election.Rev(), the create revision of the leader's key.",
		},
	},
	"sequence": {
		scenario: "pause-sequence", own: true,
		lesson: Lesson{
			What: "B held the lock and its write was refused. A's came late and landed.",
			Why:  "The suffix is counted by the parent. The parent was removed once it was empty, and the next one began again.",
			Room: "The czxid is counted by the whole ensemble; the sequence suffix is good for standing in line and for nothing else.",
		},
	},
	"version": {
		lesson: Lesson{
			What: "A's late write landed in a fenced store: it carried the same number as B's.",
			Why:  "A node's version counts the changes of that node. Each grant makes a node of its own, and each begins again.",
			Room: "A version is compared for equality, a token for order: take the czxid.",
		},
	},
}

// sayToken explains a run that a wrong number made go wrong.
func sayToken(r Result) (Lesson, bool) {
	wrong, ok := wrongTokens[r.Options.value(flagToken)]
	failed := r.Verdict.LateWrite == "landed" || r.Verdict.Check("holder-served").Verdict == Broken
	return wrong.lesson, ok && failed && r.Options.Store == Fenced
}
