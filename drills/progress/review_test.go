package progress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var noonUTC = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func openIn(t testing.TB, dir string) *Record {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func answer(t testing.TB, r *Record, card string, g Grade, at time.Time) Review {
	t.Helper()
	v, err := r.Answer(t.Context(), Answer{Card: card, Grade: g, At: at, Took: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// numbersOf is everything that a screen could show of a record.
func numbersOf(t testing.TB, r *Record) string {
	t.Helper()
	memories, err := r.Memories(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	days, err := r.Days(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(memories, days)
}

func TestUndoRestoresEveryNumberAcrossRestarts(t *testing.T) {
	dir := t.TempDir()
	r := openIn(t, dir)
	for i := range 4 {
		answer(t, r, fmt.Sprint("card-", i%3), Grades[i], noonUTC.Add(time.Duration(i)*time.Hour))
	}
	before := numbersOf(t, r)
	for i := range 5 {
		answer(t, r, fmt.Sprint("card-", i), Again, noonUTC.Add(30*time.Hour))
	}
	for range 5 {
		r.Close()
		r = openIn(t, dir)
		if _, err := r.UndoLast(t.Context(), noonUTC.Add(50*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if after := numbersOf(t, r); after != before {
		t.Errorf("after five undos:\n%s\nbefore:\n%s", after, before)
	}
}

func TestUndoWithNothingLeftSaysSo(t *testing.T) {
	r := openIn(t, t.TempDir())
	if _, err := r.UndoLast(t.Context(), noonUTC); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("an empty record: %v", err)
	}
	v := answer(t, r, "a", Good, noonUTC)
	if _, err := r.Undo(t.Context(), v.ID, noonUTC); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Undo(t.Context(), v.ID, noonUTC); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("the same answer twice: %v", err)
	}
	if _, err := r.UndoLast(t.Context(), noonUTC); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("after the only answer: %v", err)
	}
}

// Two programs answer the same card; each takes back its own answer.
func TestUndoTakesBackTheAnswerItNames(t *testing.T) {
	dir := t.TempDir()
	a, b := openIn(t, dir), openIn(t, dir)
	first := answer(t, a, "card", Again, noonUTC)
	second := answer(t, b, "card", Good, noonUTC.Add(time.Minute))
	if _, err := a.Undo(t.Context(), first.ID, noonUTC.Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	want, err := Memory{}.After(Good, second.Answer.At)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Memory(t.Context(), "card")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is left is not the other's answer alone:\n%s", diff)
	}
}

// Whatever is answered and undone, by clocks that jump back and forth, the
// numbers shown are those that the log gives when it is replayed (A28).
func TestTheCacheIsWhatTheLogSays(t *testing.T) {
	dir := t.TempDir()
	r := openIn(t, dir)
	now := noonUTC
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 12).Draw(t, "actions") {
			now = now.Add(time.Duration(rapid.IntRange(-100, 5000).Draw(t, "minutes")) * time.Minute)
			var err error
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				_, err = r.UndoLast(context.Background(), now)
			} else {
				_, err = r.Answer(context.Background(), Answer{
					Card:  rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "card"),
					Grade: rapid.SampledFrom(Grades[:]).Draw(t, "grade"), At: now})
			}
			if err != nil && !errors.Is(err, ErrNothingToUndo) {
				t.Fatal(err)
			}
		}
	})
	before := numbersOf(t, r)
	if err := r.Rebuild(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if after := numbersOf(t, r); after != before {
		t.Errorf("rebuilt:\n%s\nshown:\n%s", after, before)
	}
}

func TestTimeSpentIsNeverNegative(t *testing.T) {
	r := openIn(t, t.TempDir())
	_, err := r.Answer(t.Context(), Answer{Card: "a", Grade: Good, At: noonUTC, Took: -10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	days, err := r.Days(t.Context())
	if err != nil || len(days) != 1 || days[0].Took != 0 {
		t.Errorf("days %+v, error %v", days, err)
	}
}

// A card that is 90 days late and answered well is next due after today (A15).
func TestNextDueIsCountedFromToday(t *testing.T) {
	r := openIn(t, t.TempDir())
	answer(t, r, "late", Easy, noonUTC)
	today := noonUTC.AddDate(0, 4, 0)
	v := answer(t, r, "late", Good, today)
	if !v.Memory.Due.After(endOfDay(today)) {
		t.Errorf("answered on %v, due %v", today, v.Memory.Due)
	}
}

// The clock is set back between two answers: the second is kept, and the card
// does not become due in the past of the first.
func TestAClockSetBackLosesNothing(t *testing.T) {
	r := openIn(t, t.TempDir())
	first := answer(t, r, "a", Good, noonUTC)
	second := answer(t, r, "a", Good, noonUTC.Add(-3*time.Hour))
	if second.Memory.Reps != 2 || second.Memory.Due.Before(first.Memory.Due) {
		t.Errorf("after a clock set back: %+v", second.Memory)
	}
}

// Days are those of the place where the answer was given (A11): reading them
// elsewhere does not move them.
func TestPastDaysKeepTheirDates(t *testing.T) {
	dir := t.TempDir()
	r := openIn(t, dir)
	losAngeles := time.Date(2026, 11, 28, 17, 30, 0, 0, inZone(t, "America/Los_Angeles")) // the 29th in UTC
	answer(t, r, "a", Good, losAngeles)
	tokyo := losAngeles.Add(20 * time.Hour).In(inZone(t, "Asia/Tokyo")) // the 30th there
	answer(t, r, "b", Good, tokyo)
	days, err := r.Days(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(days) != 2 || days[0].Day != "2026-11-28" || days[1].Day != "2026-11-30" {
		t.Errorf("days %+v", days)
	}
}

func TestIntervalsAreThoseThatAreGiven(t *testing.T) {
	r := openIn(t, t.TempDir())
	at := noonUTC
	for i := range 6 {
		m, err := r.Memory(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		shown, err := m.Intervals(at)
		if err != nil {
			t.Fatal(err)
		}
		g := Grades[(i+2)%4]
		v := answer(t, r, "a", g, at)
		if got := v.Memory.Due.Sub(at); got != shown[g-1] {
			t.Errorf("answer %d, %s: shown %v, given %v", i, g, shown[g-1], got)
		}
		at = v.Memory.Due
	}
}

func TestExportHoldsTheWholeLog(t *testing.T) {
	ctx, r := t.Context(), openIn(t, t.TempDir())
	v := answer(t, r, "a", Good, noonUTC.In(inZone(t, "Asia/Kolkata")))
	quiz := NewID()
	for _, err := range []error{
		func() error { _, err := r.Undo(ctx, v.ID, noonUTC); return err }(),
		r.AddQuizAnswer(ctx, QuizAnswer{Quiz: quiz, Card: "q", Topic: "t", Picked: "b", Correct: true, At: noonUTC}),
		r.AddQuizRun(ctx, QuizRun{ID: quiz, Seed: 1, Asked: 1, Correct: 1, At: noonUTC}),
		r.AddRecall(ctx, RecallAttempt{Point: 3, Found: 1, Of: 5, Ideas: []int{2}, At: noonUTC}),
		r.AddLab(ctx, LabResult{Lab: "pause", Service: "redis", Store: "unfenced", Verdict: "broken", LateWrite: "landed", At: noonUTC}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var doc struct {
		Schema  int
		Reviews []struct {
			ID, Answered string
			Undoes       *string
			Took         int `json:"took_ms"`
		}
		Answers []struct{ Correct bool } `json:"quiz_answers"`
		Quizzes []struct{ Right int }
		Recalls []struct{ Ideas, Wrong []int }
		Labs    []struct{ Verdict string }
	}
	var out bytes.Buffer
	if err := r.Export(ctx, &out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v in %s", err, &out)
	}
	if len(doc.Reviews) != 2 || *doc.Reviews[1].Undoes != doc.Reviews[0].ID || doc.Reviews[0].Took != 3000 ||
		doc.Reviews[0].Answered != "2026-11-29T17:30:00+05:30" {
		t.Errorf("reviews %+v", doc.Reviews)
	}
	if !doc.Answers[0].Correct || doc.Quizzes[0].Right != 1 || doc.Labs[0].Verdict != "broken" ||
		doc.Recalls[0].Ideas[0] != 2 || doc.Recalls[0].Wrong == nil {
		t.Errorf("exported %s", &out)
	}
}

func TestExportOfNothingHasEmptyLists(t *testing.T) {
	var out bytes.Buffer
	if err := openIn(t, t.TempDir()).Export(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"reviews":[],"quiz_answers":[],"quizzes":[],"recalls":[],"labs":[]}`
	if got := string(bytes.ReplaceAll(bytes.TrimSpace(out.Bytes()), []byte("\n"), nil)); got != want {
		t.Errorf("got %s", got)
	}
}

func TestWhatWasSavedIsLoaded(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	var step int
	if there, err := openIn(t, dir).Load(ctx, "tonight", &step); there || err != nil {
		t.Errorf("loaded before anything was saved: %v, %v", there, err)
	}
	if err := openIn(t, dir).Save(ctx, noonUTC, "tonight", 3); err != nil {
		t.Fatal(err)
	}
	r := openIn(t, dir)
	if there, err := r.Load(ctx, "tonight", &step); !there || err != nil || step != 3 {
		t.Errorf("loaded %d, %v, %v", step, there, err)
	}
	if err := r.Forget(ctx, noonUTC, "tonight"); err != nil {
		t.Fatal(err)
	}
	if there, err := r.Load(ctx, "tonight", &step); there || err != nil {
		t.Errorf("loaded after it was forgotten: %v, %v", there, err)
	}
}

func TestAttemptsAreReadBack(t *testing.T) {
	ctx, r := t.Context(), openIn(t, t.TempDir())
	recall := RecallAttempt{Point: 2, Aloud: true, Found: 3, Of: 4, Ideas: []int{1, 2, 4}, Wrong: []int{}, Overruled: []int{4}, At: noonUTC}
	lab := LabResult{Lab: "pause", Service: "etcd", Store: "fenced", Verdict: "held", LateWrite: "fenced", Predicted: "landed", Confidence: 2, At: noonUTC}
	if err := errors.Join(r.AddRecall(ctx, recall), r.AddLab(ctx, lab)); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := r.AddQuizAnswer(ctx, QuizAnswer{Topic: "t", Correct: i > 0, At: noonUTC}); err != nil {
			t.Fatal(err)
		}
	}
	recalls, err := r.Recalls(ctx)
	same := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	if diff := cmp.Diff([]RecallAttempt{recall}, recalls, same); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	labs, err := r.Labs(ctx)
	if diff := cmp.Diff([]LabResult{lab}, labs, same); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	quiz, err := r.QuizByTopic(ctx)
	if diff := cmp.Diff(map[string]Tally{"t": {Asked: 3, Right: 2}}, quiz); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
