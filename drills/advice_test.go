package drills

import (
	"testing"
	"time"

	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
)

var labNames = []string{"pause", "failover"}

// saidAll has every point said in full.
func saidAll(points []recall.Point) []PointStats {
	var out []PointStats
	for _, p := range points {
		out = append(out, PointStats{Point: p.Number, Attempts: 1, Found: len(p.Ideas), Of: len(p.Ideas)})
	}
	return out
}

func TestAdvise(t *testing.T) {
	points, err := recall.Points()
	if err != nil {
		t.Fatal(err)
	}
	all := saidAll(points)
	lacking := saidAll(points)
	lacking[2].Found, lacking[2].Missing = 4, []int{4}
	ran := []LabStats{{Lab: "pause"}}
	both := append(ran, LabStats{Lab: "failover"})
	for _, c := range []struct {
		name  string
		stats Stats
		do    Do
		text  string
	}{
		{"first run", Stats{New: 130}, DoLab, "Run the pause lab. Two minutes, and the rest makes sense."},
		{"no lab run yet", Stats{New: 130, Reviews: 20, Today: 9, Points: lacking}, DoLab, "Run the pause lab. Two minutes, and the rest makes sense."},
		{"due before any lab", Stats{Due: 14, New: 9, Reviews: 20}, DoDue, "14 cards are due, about 6 minutes"},
		{"due", Stats{Due: 14, Labs: ran, New: 9, Reviews: 20}, DoDue, "14 cards are due, about 6 minutes"},
		{"one due", Stats{Due: 1, Reviews: 20}, DoDue, "1 card is due, about a minute"},
		{"new", Stats{New: 130, Labs: ran}, DoNew, "10 new cards to learn, about 4 minutes"},
		{"enough for today", Stats{New: 130, Today: 20, Reviews: 20, Labs: ran, Points: lacking}, DoPoint, "Say point 3, about 2 minutes"},
		{"a lab is left", Stats{Reviews: 20, Labs: ran, Points: all}, DoLab, "Run the failover lab, about 2 minutes"},
		{"all done", Stats{Reviews: 20, Labs: both, Points: all}, DoQuiz, "A quiz of ten, about 5 minutes"},
	} {
		if got := Advise(c.stats, points, labNames, 0); got.Do != c.do || got.Text != c.text {
			t.Errorf("%s: %d %q, want %d %q", c.name, got.Do, got.Text, c.do, c.text)
		}
	}
}

func TestWeakest(t *testing.T) {
	points, err := recall.Points()
	if err != nil {
		t.Fatal(err)
	}
	lacking := saidAll(points)
	lacking[2].Found, lacking[2].Missing = 4, []int{4}
	quizzed := saidAll(points)
	for i := range quizzed {
		quizzed[i].QuizAsked, quizzed[i].QuizRight = 4, 4
	}
	quizzed[4].QuizRight = 1
	unsaid := saidAll(points)
	unsaid[1] = PointStats{Point: 2}
	evidence := saidAll(points)
	evidence[1] = PointStats{Point: 2}
	evidence[3].QuizAsked, evidence[3].QuizRight = 4, 1
	evidence[2].Found, evidence[2].Missing = 2, []int{1, 2, 4}
	for _, c := range []struct {
		name  string
		stats []PointStats
		point int
		why   string
	}{
		{"nothing done", []PointStats{{Point: 1}}, 0, ""},
		{"an idea lacks", lacking, 3, "you left out: delete only your own"},
		{"the quiz", quizzed, 5, "1 of 4 right in the quiz"},
		{"not said", unsaid, 2, "not said yet"},
		{"what was seen before what was not said", evidence, 4, "1 of 4 right in the quiz"},
		{"nothing is wrong", saidAll(points), 0, ""},
	} {
		if p, why := (Stats{Points: c.stats}).Weakest(points); p != c.point || why != c.why {
			t.Errorf("%s: point %d, %q; want %d, %q", c.name, p, why, c.point, c.why)
		}
	}
}

func TestMinutesFollowThePace(t *testing.T) {
	r := openIn(t, t.TempDir())
	if pace, err := r.Pace(t.Context()); pace != 0 || err != nil {
		t.Errorf("the pace of nothing: %v, %v", pace, err)
	}
	for i, took := range []time.Duration{time.Second, time.Second, time.Minute, time.Hour, time.Hour} {
		if _, err := r.Answer(t.Context(), progress.Answer{Card: "c", Grade: progress.Good, At: noonUTC.Add(time.Duration(i) * time.Hour), Took: took}); err != nil {
			t.Fatal(err)
		}
	}
	pace, err := r.Pace(t.Context())
	if err != nil || Minutes(3, pace) != 3 {
		t.Errorf("pace %v, %d minutes, %v", pace, Minutes(3, pace), err)
	}
}
