package drills

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

var noonUTC = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func openIn(t testing.TB, dir string) *progress.Record {
	t.Helper()
	r, err := progress.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// cards makes n cards in two topics, in turn.
func cards(n int) []deck.Card {
	out := make([]deck.Card, n)
	for i := range out {
		out[i] = deck.Card{ID: fmt.Sprintf("card-%d", i), Topic: fmt.Sprintf("topic-%d", i%2), Kind: deck.QA}
	}
	return out
}

func session(t testing.TB, r *progress.Record, c []deck.Card, f Filter, now time.Time) *Session {
	t.Helper()
	s, err := NewSession(t.Context(), r, c, f, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func answer(t testing.TB, r *progress.Record, card string, g progress.Grade, at time.Time) {
	t.Helper()
	if _, err := r.Answer(t.Context(), progress.Answer{Card: card, Grade: g, At: at}); err != nil {
		t.Fatal(err)
	}
}

// drill answers every card with g and gives the ids in the order shown.
func drill(t testing.TB, s *Session, g progress.Grade, now time.Time) []string {
	t.Helper()
	var shown []string
	for {
		c, err := s.Next(t.Context(), now)
		if errors.Is(err, ErrFinished) {
			return shown
		}
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, c.ID)
		if err := s.Grade(t.Context(), g, now, time.Second); err != nil {
			t.Fatal(err)
		}
	}
}

func stats(t testing.TB, r *progress.Record, c []deck.Card, now time.Time) Stats {
	t.Helper()
	s, err := ReadStats(t.Context(), r, Material{Cards: c}, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// One card is three days late, one is due today, one is new: statistics,
// session and what is shown agree (A8).
func TestEverybodyCountsTheSame(t *testing.T) {
	r := openIn(t, t.TempDir())
	answer(t, r, "card-0", progress.Easy, noonUTC)                  // due in 8 days
	answer(t, r, "card-1", progress.Easy, noonUTC.AddDate(0, 0, 3)) // due in 11
	now := noonUTC.AddDate(0, 0, 11).Add(-2 * time.Hour)
	three := cards(3)
	want := Counts{Due: 2, New: 1}
	if s := stats(t, r, three, now); s.Due != want.Due || s.New != want.New {
		t.Errorf("statistics say %d due, %d new", s.Due, s.New)
	}
	s := session(t, r, three, Filter{}, now)
	if s.Left() != want {
		t.Errorf("the session says %+v", s.Left())
	}
	if shown := drill(t, s, progress.Good, now); len(shown) != want.Total() || shown[2] != "card-2" {
		t.Errorf("shown %q", shown)
	}
	if s.Left().Total() != 0 || s.Done() != 3 {
		t.Errorf("left %+v, done %d", s.Left(), s.Done())
	}
}

// The queue of a study day changes at four in the morning, local time (A9).
func TestTheQueueTurnsAtFour(t *testing.T) {
	for _, zone := range []string{"Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		r := openIn(t, t.TempDir())
		evening := time.Date(2026, 11, 20, 20, 0, 0, 0, loc)
		answer(t, r, "card-0", progress.Easy, evening) // due on the 28th
		for _, c := range []struct{ hour, minute, due int }{{3, 30, 0}, {4, 1, 1}} {
			now := time.Date(2026, 11, 28, c.hour, c.minute, 0, 0, loc)
			if got := stats(t, r, cards(1), now).Due; got != c.due {
				t.Errorf("%s %02d:%02d: %d due, want %d", zone, c.hour, c.minute, got, c.due)
			}
		}
	}
}

// A review counts for the same day in every statistic, and moving to another
// zone breaks no streak (A11).
func TestTodayAndStreak(t *testing.T) {
	losAngeles, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	r := openIn(t, t.TempDir())
	now := time.Date(2026, 11, 29, 17, 30, 0, 0, losAngeles) // the 30th in UTC
	for day := range 3 {
		answer(t, r, "card-0", progress.Good, now.AddDate(0, 0, day-2))
	}
	for _, c := range []struct {
		name          string
		now           time.Time
		today, streak int
	}{
		{"the same evening", now, 1, 3},
		{"the next morning, nothing yet", now.Add(14 * time.Hour), 0, 3},
		{"one day missed", now.AddDate(0, 0, 2), 0, 0},
		{"read from Tokyo a day later", now.Add(10 * time.Hour).In(time.FixedZone("JST", 9*3600)), 0, 3},
	} {
		if s := stats(t, r, cards(1), c.now); s.Today != c.today || s.Streak != c.streak {
			t.Errorf("%s: today %d, streak %d", c.name, s.Today, s.Streak)
		}
	}
}

// Everything is as before after five answers are taken back, in the session and
// after a restart; one more undo says that there is nothing (A17).
func TestUndoInASession(t *testing.T) {
	dir := t.TempDir()
	r := openIn(t, dir)
	answer(t, r, "card-5", progress.Again, noonUTC.AddDate(0, 0, -1))
	all := cards(6)
	before := stats(t, r, all, noonUTC)
	s := session(t, r, all, Filter{}, noonUTC)
	waiting := s.Left()
	for range 5 {
		if _, err := s.Next(t.Context(), noonUTC); err != nil {
			t.Fatal(err)
		}
		if err := s.Grade(t.Context(), progress.Good, noonUTC, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		if _, err := s.Undo(t.Context(), noonUTC); err != nil {
			t.Fatal(err)
		}
	}
	if s.Left() != waiting || s.Done() != 0 {
		t.Errorf("left %+v, want %+v; done %d", s.Left(), waiting, s.Done())
	}
	if _, err := s.Undo(t.Context(), noonUTC); !errors.Is(err, progress.ErrNothingToUndo) {
		t.Errorf("a sixth undo: %v", err)
	}
	r.Close()
	if diff := cmp.Diff(before, stats(t, openIn(t, dir), all, noonUTC)); diff != "" {
		t.Errorf("before and after:\n%s", diff)
	}
}

func TestAnUndoneCardIsShownAgainBeforeTheNext(t *testing.T) {
	r := openIn(t, t.TempDir())
	s := session(t, r, cards(3), Filter{}, noonUTC)
	first := mustNext(t, s, noonUTC)
	if err := s.Grade(t.Context(), progress.Again, noonUTC, 0); err != nil {
		t.Fatal(err)
	}
	second := mustNext(t, s, noonUTC)
	if _, err := s.Undo(t.Context(), noonUTC); err != nil {
		t.Fatal(err)
	}
	if again := mustNext(t, s, noonUTC); again.ID != first.ID || again.Memory != first.Memory {
		t.Errorf("after the undo %+v is shown, not %+v", again, first)
	}
	if err := s.Grade(t.Context(), progress.Easy, noonUTC, 0); err != nil {
		t.Fatal(err)
	}
	if next := mustNext(t, s, noonUTC); next.ID != second.ID {
		t.Errorf("then %s, not %s", next.ID, second.ID)
	}
}

func mustNext(t testing.TB, s *Session, now time.Time) Card {
	t.Helper()
	c, err := s.Next(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A card in a learning step comes back once its minute has come, and is not
// waited for.
func TestLearningStepsComeBackWithinTheSession(t *testing.T) {
	r := openIn(t, t.TempDir())
	s := session(t, r, cards(2), Filter{}, noonUTC)
	forgotten := mustNext(t, s, noonUTC)
	if err := s.Grade(t.Context(), progress.Again, noonUTC, 0); err != nil {
		t.Fatal(err)
	}
	if other := mustNext(t, s, noonUTC.Add(time.Minute)); other.ID != forgotten.ID {
		t.Errorf("after a minute %s is shown, not %s", other.ID, forgotten.ID)
	}
	if err := s.Grade(t.Context(), progress.Good, noonUTC.Add(time.Minute), 0); err != nil {
		t.Fatal(err)
	}
	drill(t, s, progress.Easy, noonUTC.Add(2*time.Minute))
	if n, first := s.Soon(); n != 1 || !first.Equal(noonUTC.Add(11*time.Minute)) {
		t.Errorf("%d cards come back, the first at %v", n, first)
	}
}

func TestLimitAndTopic(t *testing.T) {
	r := openIn(t, t.TempDir())
	answer(t, r, "card-3", progress.Again, noonUTC.AddDate(0, 0, -1))
	for _, c := range []struct {
		filter Filter
		want   Counts
	}{
		{Filter{}, Counts{1, 9}},
		{Filter{Limit: 3}, Counts{1, 2}},
		{Filter{Limit: 1}, Counts{1, 0}},
		{Filter{Topic: "topic-0"}, Counts{0, 5}},
		{Filter{Topic: "topic-1", Limit: 2}, Counts{1, 1}},
		{Filter{Topic: "nothing"}, Counts{0, 0}},
	} {
		if got := session(t, r, cards(10), c.filter, noonUTC).Left(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.filter, got, c.want)
		}
	}
	s := session(t, r, cards(10), Filter{Limit: 3}, noonUTC)
	if shown := drill(t, s, progress.Again, noonUTC); len(shown) != 3 || shown[0] != "card-3" {
		t.Errorf("shown %q", shown)
	}
}

// Two sessions at once, answering in turn: ten answers are there, and no card
// was shown to both after one had answered it (F2).
func TestTwoSessionsAtOnce(t *testing.T) {
	dir := t.TempDir()
	a, b := openIn(t, dir), openIn(t, dir)
	one, two := session(t, a, cards(10), Filter{}, noonUTC), session(t, b, cards(10), Filter{}, noonUTC)
	shown := map[string]bool{}
	for range 5 {
		for _, s := range []*Session{one, two} {
			c := mustNext(t, s, noonUTC)
			if shown[c.ID] {
				t.Errorf("%s is shown twice", c.ID)
			}
			shown[c.ID] = true
			if err := s.Grade(t.Context(), progress.Easy, noonUTC, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := stats(t, a, cards(10), noonUTC); got.Reviews != 10 || got.New != 0 {
		t.Errorf("statistics: %+v", got)
	}
}

func TestGradingNeedsACard(t *testing.T) {
	s := session(t, openIn(t, t.TempDir()), nil, Filter{}, noonUTC)
	if err := s.Grade(t.Context(), progress.Good, noonUTC, 0); !errors.Is(err, ErrNoCard) {
		t.Errorf("grade: %v", err)
	}
	if _, err := s.Intervals(noonUTC); !errors.Is(err, ErrNoCard) {
		t.Errorf("intervals: %v", err)
	}
}
