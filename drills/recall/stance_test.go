package recall

import (
	"slices"
	"strings"
	"testing"
)

// said is an answer to a point and the ids that it must and must not earn.
type said struct {
	point           int
	answer          string
	ideas, notIdeas []int
	wrong           []int // exactly these
}

func checkSaid(t *testing.T, cases []said) {
	t.Helper()
	for _, c := range cases {
		ideas, wrong := mark(t, example{Point: c.point, Answer: c.answer})
		for _, id := range c.ideas {
			if !slices.Contains(ideas, id) {
				t.Errorf("point %d: idea %d not found in %q", c.point, id, c.answer)
			}
		}
		for _, id := range c.notIdeas {
			if slices.Contains(ideas, id) {
				t.Errorf("point %d: idea %d found in %q", c.point, id, c.answer)
			}
		}
		if !slices.Equal(wrong, c.wrong) {
			t.Errorf("point %d: wrong statements %v, want %v in %q", c.point, wrong, c.wrong, c.answer)
		}
	}
}

func TestRoles(t *testing.T) {
	checkSaid(t, []said{
		{1, "The lock service checks the token on each write.", nil, []int{3}, []int{1}},
		{1, "The store checks the token on each write.", []int{3}, nil, nil},
		{1, "Late writes are rejected by the lock service.", nil, []int{3}, []int{1}},
		{1, "Late writes are rejected by the database.", []int{3}, nil, nil},
		{1, "The lock service issues the number and the database refuses lower ones.", []int{3, 4}, nil, nil},
		{1, "The database server turns down a smaller token.", []int{3}, nil, nil},
		{1, "Each write goes to the table. It compares the token and refuses a lower one.", []int{3}, nil, nil},
		{1, "etcd refuses a second client while the lease runs.", nil, []int{3}, nil},
		{1, "It's a lease with ttl and a token that only goes up, the lock service hands it out; the database rejects old ones", []int{1, 2, 3, 4}, nil, nil},
		{1, "The number only rises and the store compares it. It comes from the lock manager.", []int{2, 3, 4}, nil, nil},
		{1, "A number that rises, and a lease. The lock service hands it out and takes it back.", []int{1, 2}, []int{4}, nil},
		{1, "Not the lock service but the store rejects the old number.", []int{3}, nil, nil},
	})
}

func TestNegation(t *testing.T) {
	checkSaid(t, []said{
		{2, "A longer TTL fixes it.", nil, nil, []int{1}},
		{2, "A longer TTL doesn't fix it.", nil, nil, nil},
		{2, "A longer TTL fixes it. No, it doesn't.", nil, nil, nil},
		{2, "It is not true that a longer TTL fixes it.", nil, nil, nil},
		{2, "A longer TTL never fixes it.", nil, nil, nil},
		{2, "Set the TTL to an hour and this can't happen.", nil, nil, []int{1}},
		{3, "Redlock solves pauses.", nil, nil, []int{1}},
		{3, "Redlock does not solve pauses.", nil, nil, nil},
		{3, "Nobody should say that Redlock solves pauses.", nil, nil, nil},
		{3, "With compare-and-delete two clients can never write at once.", []int{4}, nil, []int{2}},
		{3, "Compare-and-delete does not stop two clients from writing at once.", []int{4}, nil, nil},
		{4, "With etcd you need no fencing.", nil, []int{4}, []int{1}},
		{4, "Even with etcd you need fencing.", []int{4}, nil, nil},
		{4, "It isn't true that with etcd you need no fencing.", nil, nil, nil},
		{4, "The ephemeral node is gone, so the process has stopped.", nil, nil, []int{2}},
		{4, "The ephemeral node is gone, which does not mean that the process has stopped.", []int{3}, nil, nil},
		{5, "The lock guarantees that the job runs exactly once.", nil, nil, []int{1}},
		{5, "The lock does not guarantee exactly once.", nil, nil, nil},
		{5, "Never generate a new key for a retry.", []int{3}, nil, nil},
		{5, "Generate a new key for each retry.", nil, []int{3}, []int{2}},
		{6, "Lock the page while the user edits.", nil, nil, []int{1}},
		{6, "Don't lock the page while the user edits.", nil, nil, nil},
	})
}

func TestStance(t *testing.T) {
	checkSaid(t, []said{
		{2, "People say a longer TTL fixes it.", nil, nil, nil},
		{2, "I used to think that a longer TTL fixes it.", nil, nil, nil},
		{2, `"Check the clock before each write and you are safe" is what I hear a lot.`, nil, nil, nil},
		{2, "Check the clock before writing and you're safe? The pause can come after the check.", []int{1}, nil, nil},
		{2, "Just make the TTL long enough. That is wrong, of course.", nil, nil, nil},
		{4, "You need no fencing with etcd, they say. Nonsense.", nil, nil, nil},
		{5, "Does the lock guarantee exactly once? No.", nil, nil, nil},
		{5, "Wrong: a new key for each retry.", nil, nil, nil},
		{6, "We used to lock the page while somebody edited it, until one went on holiday. Now we compare the version on save.", []int{1}, nil, nil},
		{1, "It would be nice if the lock service could reject the late write.", nil, nil, nil},
	})
}

func TestTyposAndShortForms(t *testing.T) {
	checkSaid(t, []said{
		{1, "teh databse rejcts wriets wiht a lowr tokn", []int{3}, nil, nil},
		{1, "leese exipres, lock servce hands out incresing nubmers", []int{1, 2, 4}, nil, nil},
		{2, "A pasues, its leese exipres, B aquires teh lock", []int{1, 2}, nil, nil},
		{5, "idemp. key per inv, teh smae key on evry rerty", []int{2, 3}, nil, nil},
		{3, "dont del blindly, chk its ur own val 1st", []int{4}, nil, nil},
		{4, "raft qourum, createRevision = tokn, db chekcs it", []int{1, 2, 4}, nil, nil},
		{6, "retrys -> idemp key; hot key -> shrad it", []int{2, 4}, nil, nil},
		{3, "CAN\u2019T HELP WHEN THE HOLDER IS FROZEN PAST THE TTL", []int{2}, nil, nil},
	})
}

func TestVocabularyIsNotAnIdea(t *testing.T) {
	checkSaid(t, []said{
		{1, "lease, token, store, lock service, expiry, fencing", nil, []int{1, 2, 3, 4}, nil},
		{1, "The resource server validates the access token's signature.", nil, []int{3}, nil},
		{2, "Two locks taken in different orders are a deadlock.", nil, []int{1, 2, 3, 4}, nil},
		{5, "idempotency", nil, []int{2}, nil},
		{6, "We shard the payments database for retries.", nil, []int{2, 4}, nil},
	})
}

func TestQuoteIsTheLearnersWords(t *testing.T) {
	points, err := Points()
	if err != nil {
		t.Fatal(err)
	}
	answer := "Well, first of all: the lease expires; the lock server numbers its grants upward, and PG won't take a lower one."
	m := points[0].Mark(answer)
	for _, want := range []struct {
		id    int
		quote string
	}{{1, "the lease expires"}, {2, "the lock server numbers its grants upward"}} {
		if got := m.Ideas[want.id-1]; got.Quote != want.quote {
			t.Errorf("idea %d: quote %q, want %q", want.id, got.Quote, want.quote)
		}
	}
}

func TestTooLong(t *testing.T) {
	points, err := Points()
	if err != nil {
		t.Fatal(err)
	}
	if m := points[0].Mark(strings.Repeat("ä", MaxAnswer)); m.TooLong {
		t.Errorf("%d characters called too long", MaxAnswer)
	}
	m := points[0].Mark(strings.Repeat("a lease expires ", MaxAnswer/15))
	if !m.TooLong || m.Found() != 0 || len(m.Ideas) != len(points[0].Ideas) || m.Wrong == nil {
		t.Errorf("an answer over %d characters was marked: %+v", MaxAnswer, m)
	}
}
