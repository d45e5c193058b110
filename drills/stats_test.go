package drills

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
)

// A fresh profile: no list is null, and no ratio is a number (A27, C7).
func TestStatsOfNothing(t *testing.T) {
	text, err := json.Marshal(stats(t, openIn(t, t.TempDir()), nil, noonUTC))
	want := `{"due":0,"new":0,"reviews":0,"retention":null,"today":0,"streak":0,"minutes":0,"points":[],"topics":[],"labs":[]}`
	if err != nil || string(text) != want {
		t.Errorf("got  %s, %v\nwant %s", text, err, want)
	}
}

func TestOneRightAndOneWrongIsHalf(t *testing.T) {
	r := openIn(t, t.TempDir())
	answer(t, r, "card-0", progress.Good, noonUTC)
	answer(t, r, "card-1", progress.Again, noonUTC)
	if s := stats(t, r, cards(2), noonUTC); s.Retention == nil || *s.Retention != 0.5 || s.Reviews != 2 {
		t.Errorf("statistics %+v", s)
	}
}

func TestStatsOfPointsAndLabs(t *testing.T) {
	m, err := Load(nil, []string{"pause"})
	if err != nil {
		t.Fatal(err)
	}
	points := []recall.Point{{Number: 1}, {Number: 2}, {Number: 3, Ideas: make([]recall.Idea, 5)}}
	ctx, r := t.Context(), openIn(t, t.TempDir())
	lab := progress.LabResult{Lab: "pause", Service: "redis", Store: "unfenced", Verdict: "broken", LateWrite: "landed", At: noonUTC}
	if err := errors.Join(
		r.AddRecall(ctx, progress.RecallAttempt{Point: 3, Found: 4, Of: 5, Ideas: []int{1, 2, 3, 4}, At: noonUTC}),
		r.AddRecall(ctx, progress.RecallAttempt{Point: 3, Found: 2, Of: 5, Ideas: []int{2, 5}, At: noonUTC}),
		r.AddQuizAnswer(ctx, progress.QuizAnswer{Topic: "redis-missed-cases", Correct: true, At: noonUTC}),
		r.AddLab(ctx, lab), r.AddLab(ctx, lab),
	); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStats(ctx, r, m, points, noonUTC)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Points) != len(points) {
		t.Fatalf("%d points of %d", len(s.Points), len(points))
	}
	p := s.Points[2]
	if p.Attempts != 2 || p.Found != 2 || p.Best != 4 || p.QuizRight != 1 || !cmp.Equal(p.Missing, []int{1, 3, 4}) || p.Readiness == nil {
		t.Errorf("point 3: %+v", p)
	}
	if len(s.Labs) != 1 || s.Labs[0].Runs != 2 || s.Labs[0].LateWrite != "landed" || s.Labs[0].At != "2026-11-29T12:00:00Z" {
		t.Errorf("labs %+v", s.Labs)
	}
	if text, err := json.Marshal(s); err != nil || strings.Contains(string(text), "null,\"points\":null") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestOnlyLabsThatExistAreShown(t *testing.T) {
	m, err := Load(nil, []string{"pause"})
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, c := range m.Cards {
		if c.Lab != "" && c.Lab != "pause" {
			t.Errorf("card %s shows the lab %s", c.ID, c.Lab)
		}
		if c.Lab == "pause" {
			shown++
		}
	}
	if shown == 0 {
		t.Error("no card shows the pause lab")
	}
}

func TestLoadRefusesTheSameDeckTwice(t *testing.T) {
	file := "../content/decks/lease-vs-token.md"
	if _, err := Load([]string{file, file}, nil); err == nil || !strings.Contains(err.Error(), "rename") {
		t.Errorf("error %v", err)
	}
}

func TestClock(t *testing.T) {
	c, err := NewClock("2026-11-29T03:30:00+05:30")
	if err != nil || !c.Now().Equal(time.Date(2026, 11, 28, 22, 0, 0, 0, time.UTC)) {
		t.Errorf("clock %v, %v", c.Now(), err)
	}
	if c, err := NewClock(""); err != nil || time.Since(c.Now()) > time.Hour {
		t.Errorf("the machine's clock: %v, %v", c.Now(), err)
	}
	if _, err := NewClock("tomorrow"); err == nil || !strings.Contains(err.Error(), NowVariable) {
		t.Errorf("error %v", err)
	}
}
