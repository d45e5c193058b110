package drills

import (
	"testing"

	"pgregory.net/rapid"
)

func dealAll(topics []string, limit int) []string {
	m := newMixer(topics, func(t string) string { return t }, limit)
	var out []string
	for t, ok := m.next(); ok; t, ok = m.next() {
		out = append(out, t)
	}
	return out
}

func repeats(topics []string) int {
	n := 0
	for i := 1; i < len(topics); i++ {
		if topics[i] == topics[i-1] {
			n++
		}
	}
	return n
}

// Of a topic that has more than every second place, the surplus must follow one
// another; nothing else may.
func TestNoTopicComesTwiceRunningWhereAvoidable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topics := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 40).Draw(t, "topics")
		limit := rapid.IntRange(0, 45).Draw(t, "limit")
		count, most := map[string]int{}, 0
		for _, topic := range topics {
			count[topic]++
			most = max(most, count[topic])
		}
		dealt := dealAll(topics, limit)
		places := min(limit, len(topics))
		if len(dealt) != places {
			t.Fatalf("dealt %d of %d", len(dealt), places)
		}
		others := len(topics) - most
		if want := max(0, places-2*others-1); repeats(dealt) != want {
			t.Fatalf("%v: %d repeats, %d unavoidable", dealt, repeats(dealt), want)
		}
	})
}

func TestDealtInOrderOtherwise(t *testing.T) {
	m := newMixer([]string{"a1", "a2", "b1", "c1", "b2"}, func(s string) string { return s[:1] }, -1)
	var got string
	for s, ok := m.next(); ok; s, ok = m.next() {
		got += s + " "
	}
	if want := "a1 b1 a2 c1 b2 "; got != want {
		t.Errorf("dealt %s, want %s", got, want)
	}
}
