package drills

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockdrill/drills/deck"
)

// choices makes n Choice cards in three topics; the second option is right.
func choices(n int) []deck.Card {
	out := make([]deck.Card, n)
	for i := range out {
		out[i] = deck.Card{ID: fmt.Sprintf("q-%02d", i), Topic: fmt.Sprintf("t%d", i%3), Kind: deck.Choice, Lab: "pause",
			Option: []deck.Option{{Text: "no", Why: "because not"}, {Text: "yes", Right: true, Why: "because"}, {Text: "never"}}}
	}
	return out
}

// take answers every question with what pick says.
func take(t testing.TB, q *Quiz, pick func(Question) string) QuizResult {
	t.Helper()
	for question, ok := q.Next(); ok; question, ok = q.Next() {
		if _, err := q.Pick(t.Context(), pick(question), noonUTC, 0); err != nil {
			t.Fatal(err)
		}
	}
	result, err := q.Finish(t.Context(), noonUTC)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func asked(r QuizResult) (ids, topics []string) {
	for _, o := range r.Questions {
		ids, topics = append(ids, o.ID), append(topics, o.Topic)
	}
	return ids, topics
}

// A quiz that nobody answered leaves nothing in the record.
func TestAQuizWithoutAnAnswerIsNotRecorded(t *testing.T) {
	r := openIn(t, t.TempDir())
	for _, answers := range []int{0, 1} {
		q := NewQuiz(r, choices(3), QuizOptions{Questions: 3, Seed: 7})
		if answers > 0 {
			if _, err := q.Pick(t.Context(), "a", noonUTC, 0); err != nil {
				t.Fatal(err)
			}
		}
		q.Skip()
		if result, err := q.Finish(t.Context(), noonUTC); err != nil || result.Asked != 3 {
			t.Fatalf("%+v, %v", result, err)
		}
		var log bytes.Buffer
		if err := r.Export(t.Context(), &log); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "\"asked\":3"); got != (answers > 0) {
			t.Errorf("%d answered, recorded %t: %s", answers, got, log.String())
		}
	}
}

func TestAQuizIsRepeatable(t *testing.T) {
	r, pool := openIn(t, t.TempDir()), choices(30)
	right := func(q Question) string { return q.Right() }
	first := take(t, NewQuiz(r, pool, QuizOptions{Questions: 9, Seed: 7}), right)
	slices.Reverse(pool)
	second := take(t, NewQuiz(r, pool, QuizOptions{Questions: 9, Seed: 7}), right)
	if fmt.Sprint(first.Questions) != fmt.Sprint(second.Questions) {
		t.Errorf("the same seed gave\n%v\nand\n%v", first.Questions, second.Questions)
	}
	other := take(t, NewQuiz(r, pool, QuizOptions{Questions: 9, Seed: 8}), right)
	if fmt.Sprint(first.Questions) == fmt.Sprint(other.Questions) {
		t.Error("two seeds gave the same quiz")
	}
	if first.Asked != 9 || first.Right != 9 || first.Percent() != 100 || first.Weakest != nil {
		t.Errorf("all right: %+v", first)
	}
	ids, topics := asked(first)
	slices.Sort(ids)
	if repeats(topics) != 0 || len(slices.Compact(ids)) != 9 {
		t.Errorf("topics %v, ids %v", topics, ids)
	}
	if len(first.Topics) != 3 || first.Topics[0].Asked != 3 {
		t.Errorf("not mixed evenly: %+v", first.Topics)
	}
}

func TestOptionsAreShuffled(t *testing.T) {
	q := NewQuiz(openIn(t, t.TempDir()), choices(30), QuizOptions{Questions: 30, Seed: 1})
	at := map[string]int{}
	for question := range slices.Values(q.questions) {
		at[question.Right()]++
	}
	if at["a"] == 0 || at["b"] == 0 || at["c"] == 0 {
		t.Errorf("the right option stands at %v", at)
	}
}

func TestWeakestTopicAndReasons(t *testing.T) {
	q := NewQuiz(openIn(t, t.TempDir()), choices(12), QuizOptions{Questions: 12, Seed: 3})
	result := take(t, q, func(q Question) string {
		if q.Card.Topic == "t1" {
			return deck.Letter(slices.IndexFunc(q.Options, func(o deck.Option) bool { return o.Text == "no" }))
		}
		return q.Right()
	})
	if result.Weakest == nil || *result.Weakest != "t1" || result.Right != 8 {
		t.Fatalf("result %+v", result)
	}
	for _, o := range result.Questions {
		if want := map[bool]string{true: "because", false: "because not"}[o.Correct]; o.Why != want || o.Lab != "pause" {
			t.Errorf("%+v: why %q, want %q", o, o.Why, want)
		}
	}
}

func TestWhatIsNotAnsweredIsNotRight(t *testing.T) {
	r := openIn(t, t.TempDir())
	q := NewQuiz(r, choices(6), QuizOptions{Questions: 4, Seed: 1, Limit: time.Minute})
	first, _ := q.Next()
	if _, err := q.Pick(t.Context(), "z", noonUTC, 0); !errors.Is(err, ErrNotAnOption) {
		t.Errorf("an option that is not there: %v", err)
	}
	if _, err := q.Pick(t.Context(), first.Right(), noonUTC, time.Minute); err != nil {
		t.Fatal(err)
	}
	q.Skip()
	if _, err := q.Pick(t.Context(), "a", noonUTC, time.Minute+1); !errors.Is(err, ErrTimeUp) {
		t.Errorf("after the time: %v", err)
	}
	result, err := q.Finish(t.Context(), noonUTC)
	if err != nil || result.Asked != 4 || result.Right != 1 || result.Questions[1].Picked != "" || q.Past() != 2 || result.Percent() != 25 {
		t.Errorf("result %+v, %v", result, err)
	}
	if s := stats(t, r, choices(6), noonUTC); s.Topics[0].QuizAsked+s.Topics[1].QuizAsked+s.Topics[2].QuizAsked != 1 {
		t.Errorf("statistics %+v", s.Topics)
	}
}

func TestAnEmptyQuizHasEmptyLists(t *testing.T) {
	r := openIn(t, t.TempDir())
	q := NewQuiz(r, cards(3), QuizOptions{Questions: 5})
	result, err := q.Finish(t.Context(), noonUTC)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if want := `{"asked":0,"right":0,"topics":[],"weakest":null,"questions":[]}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
	if q.Len() != 0 || result.Percent() != 0 {
		t.Errorf("length %d, percent %v", q.Len(), result.Percent())
	}
}
