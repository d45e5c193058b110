package drills

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
)

// tonightKey is where the path stands in the record.
const tonightKey = "tonight"

// Tonight is the short path for the evening before the interview: the points
// aloud, two labs, a quiz and its misses again. It can be left and resumed. What
// is done follows from the record as far as that knows.
type Tonight struct {
	Began   time.Time `json:"began"`
	Recalls int       `json:"recalls"` // attempts in the record when it began
	Labs    int       `json:"labs"`    // lab results in the record when it began
	Quizzed bool      `json:"quizzed"`
	Missed  []string  `json:"missed"` // card ids that the quiz missed
	Again   bool      `json:"again"`  // the misses were asked again
	Skipped []string  `json:"skipped"`

	points []recall.Point
	said   map[int]bool
	run    map[string]bool
}

// tonightLabs are the labs of the path.
var tonightLabs = []string{"pause", "failover"}

// Stop is a stop of the path.
type Stop struct {
	Name    string // "points", "pause", "failover", "quiz", "again"
	Text    string
	Minutes int // about
	Done    bool
	Lab     string // for a lab
}

// LoadTonight resumes the path of this study day, or begins one. Nothing is
// written until something is done.
func LoadTonight(ctx context.Context, r *progress.Record, points []recall.Point, now time.Time) (*Tonight, error) {
	t := &Tonight{}
	found, err := r.Load(ctx, tonightKey, t)
	if err != nil {
		return nil, err
	}
	if !found || progress.DayOf(t.Began.In(now.Location())) != progress.DayOf(now) {
		return BeginTonight(ctx, r, points, now)
	}
	t.points = points
	return t, t.read(ctx, r)
}

// BeginTonight begins the path anew. Nothing is written yet.
func BeginTonight(ctx context.Context, r *progress.Record, points []recall.Point, now time.Time) (*Tonight, error) {
	t := &Tonight{Began: now, points: points}
	recalls, err := r.Recalls(ctx)
	if err != nil {
		return nil, err
	}
	results, err := r.Labs(ctx)
	if err != nil {
		return nil, err
	}
	t.Recalls, t.Labs = len(recalls), len(results)
	return t, t.read(ctx, r)
}

// read takes from the record what was said and run since the path began.
func (t *Tonight) read(ctx context.Context, r *progress.Record) error {
	t.said, t.run = map[int]bool{}, map[string]bool{}
	recalls, err := r.Recalls(ctx)
	if err != nil {
		return err
	}
	for _, a := range recalls[min(t.Recalls, len(recalls)):] {
		t.said[a.Point] = true
	}
	results, err := r.Labs(ctx)
	if err != nil {
		return err
	}
	for _, l := range results[min(t.Labs, len(results)):] {
		t.run[l.Lab] = true
	}
	return nil
}

// Save keeps where the path stands.
func (t *Tonight) Save(ctx context.Context, r *progress.Record, now time.Time) error {
	return r.Save(ctx, now, tonightKey, t)
}

// Stops are the stops in order.
func (t *Tonight) Stops() []Stop {
	left := len(t.points) - len(t.said)
	text := fmt.Sprintf("Say the %d points aloud", len(t.points))
	if len(t.said) > 0 && left > 0 {
		text = fmt.Sprintf("Say the points aloud: %d of %d said", len(t.said), len(t.points))
	}
	stops := []Stop{{Name: "points", Text: text, Minutes: 2 * len(t.points), Done: left <= 0}}
	for _, lab := range tonightLabs {
		stops = append(stops, Stop{Name: lab, Text: "Run the " + lab + " lab", Minutes: 4, Done: t.run[lab], Lab: lab})
	}
	again := "The misses again"
	if t.Quizzed {
		again = fmt.Sprintf("The misses again: %s", Plural(len(t.Missed), "question"))
	}
	stops = append(stops, Stop{Name: "quiz", Text: "A quiz of ten", Minutes: 6, Done: t.Quizzed},
		Stop{Name: "again", Text: again, Minutes: 4, Done: t.Again || t.Quizzed && len(t.Missed) == 0})
	for i := range stops {
		stops[i].Done = stops[i].Done || slices.Contains(t.Skipped, stops[i].Name)
	}
	return stops
}

// Next is the first stop that is not done; false when all are. The misses need
// the quiz first.
func (t *Tonight) Next() (Stop, bool) {
	for _, s := range t.Stops() {
		if !s.Done {
			return s, true
		}
	}
	return Stop{}, false
}

// Unsaid is the first point that was not said yet; false if all were.
func (t *Tonight) Unsaid() (recall.Point, bool) {
	for _, p := range t.points {
		if !t.said[p.Number] {
			return p, true
		}
	}
	return recall.Point{}, false
}

// Skip counts a stop as done.
func (t *Tonight) Skip(name string) {
	if !slices.Contains(t.Skipped, name) {
		t.Skipped = append(t.Skipped, name)
	}
}

// Quiz is told the result of the quiz.
func (t *Tonight) Quiz(r QuizResult) {
	t.Quizzed, t.Missed, t.Again = true, []string{}, false
	for _, o := range r.Questions {
		if !o.Correct {
			t.Missed = append(t.Missed, o.ID)
		}
	}
}

// Misses are the cards that the quiz missed.
func (t *Tonight) Misses(cards []deck.Card) []deck.Card {
	var out []deck.Card
	for _, c := range cards {
		if slices.Contains(t.Missed, c.ID) {
			out = append(out, c)
		}
	}
	return out
}
