package drills

import (
	"context"
	"math"
	"slices"
	"time"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
)

// Stats is what the record says at one moment. Ratios are null before there is
// anything to divide by.
type Stats struct {
	Due       int          `json:"due"`
	New       int          `json:"new"`
	Reviews   int          `json:"reviews"`   // answers that stand
	Retention *float64     `json:"retention"` // share of them graded hard or better, 0 to 1
	Today     int          `json:"today"`     // reviews of this study day
	Streak    int          `json:"streak"`    // study days in a row, up to today or yesterday
	Minutes   float64      `json:"minutes"`   // spent on reviews, to the hundredth
	Points    []PointStats `json:"points"`
	Topics    []TopicStats `json:"topics"`
	Labs      []LabStats   `json:"labs"`
}

// PointStats is what was said and shown of one talking point.
type PointStats struct {
	Point     int      `json:"point"`
	Title     string   `json:"title"`
	Attempts  int      `json:"attempts"`
	Found     int      `json:"found"`   // ideas in the latest attempt
	Of        int      `json:"of"`      // ideas there are
	Best      int      `json:"best"`    // ideas in the best attempt
	Missing   []int    `json:"missing"` // ideas that the latest attempt lacked, by number
	QuizAsked int      `json:"quiz_asked"`
	QuizRight int      `json:"quiz_right"`
	Readiness *float64 `json:"readiness"` // predicted recall of its cards, 0 to 1; null if it has none
	Topics    []string `json:"topics"`    // whose cards belong to it
}

// TopicStats is how the cards of one topic stand.
type TopicStats struct {
	Topic     string  `json:"topic"`
	Cards     int     `json:"cards"`
	Due       int     `json:"due"`
	New       int     `json:"new"`
	QuizAsked int     `json:"quiz_asked"`
	QuizRight int     `json:"quiz_right"`
	Readiness float64 `json:"readiness"` // predicted recall, 0 to 1; a new card counts as 0
}

// LabStats is what the runs of one lab, service and store ended in.
type LabStats struct {
	Lab        string `json:"lab"`
	Service    string `json:"service"`
	Store      string `json:"store"`
	Runs       int    `json:"runs"`
	Verdict    string `json:"verdict"`    // of the latest
	LateWrite  string `json:"late_write"` // of the latest
	Predicted  string `json:"predicted"`  // before the latest; "" if nothing was asked
	Confidence int    `json:"confidence"` // 1 to 3; 0 if nothing was asked
	At         string `json:"at"`         // the latest, RFC 3339

	late []string // what became of late writes, over all runs
}

// LateWrites is what became of late writes in the runs, each outcome once.
func (l LabStats) LateWrites() []string { return l.late }

// pointTopics are the topics whose cards belong to a talking point.
var pointTopics = map[int][]string{
	1: {"lease-vs-token", "fencing-in-the-store"},
	2: {"lease-vs-token", "failure-detection"},
	3: {"redis-missed-cases", "redlock"},
	4: {"etcd-zookeeper", "leader-roles", "costs-and-numbers"},
	5: {"must-not-run-twice"},
	6: {"when-not-to-lock", "optimistic-vs-pessimistic"},
}

// ReadStats counts the cards, the points and the record at now.
func ReadStats(ctx context.Context, r *progress.Record, m Material, points []recall.Point, now time.Time) (Stats, error) {
	n, err := ReadNumbers(ctx, r)
	if err != nil {
		return Stats{}, err
	}
	return n.Stats(m, points, now), nil
}

// Numbers is what statistics take from the record.
type Numbers struct {
	memories map[string]progress.Memory
	days     []progress.DayTotal
	quiz     map[string]progress.Tally
	recalls  []progress.RecallAttempt
	labs     []progress.LabResult
}

// ReadNumbers reads the record; the cards can be read at the same time.
func ReadNumbers(ctx context.Context, r *progress.Record) (n Numbers, err error) {
	if n.memories, err = r.Memories(ctx); err != nil {
		return n, err
	}
	if n.days, err = r.Days(ctx); err != nil {
		return n, err
	}
	if n.quiz, err = r.QuizByTopic(ctx); err != nil {
		return n, err
	}
	if n.recalls, err = r.Recalls(ctx); err != nil {
		return n, err
	}
	n.labs, err = r.Labs(ctx)
	return n, err
}

// Stats counts the cards and the points with these numbers at now.
func (n Numbers) Stats(m Material, points []recall.Point, now time.Time) Stats {
	waiting := Waiting(m.Cards, n.memories, Filter{}, now).Counts()
	s := Stats{Due: waiting.Due, New: waiting.New, Labs: labStats(n.labs)}
	s.addDays(n.days, progress.DayOf(now))
	s.Topics = topicStats(m, n.memories, n.quiz, now)
	s.Points = pointStats(points, n.recalls, s.Topics)
	return s
}

func (s *Stats) addDays(days []progress.DayTotal, today progress.Day) {
	right, took := 0, time.Duration(0)
	on := map[progress.Day]int{}
	for _, d := range days {
		s.Reviews += d.Reviews
		right += d.Right
		took += d.Took
		on[d.Day] = d.Reviews
	}
	s.Today, s.Minutes = on[today], math.Round(100*took.Minutes())/100
	s.Retention = ratio(right, s.Reviews)
	day := today
	if on[day] == 0 { // today may still come
		day = day.Before()
	}
	for ; on[day] > 0; day = day.Before() {
		s.Streak++
	}
}

// ratio is part of whole, nil if there is no whole.
func ratio(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}

func topicStats(m Material, memories map[string]progress.Memory, quiz map[string]progress.Tally, now time.Time) []TopicStats {
	out := []TopicStats{}
	byTopic := map[string][]deck.Card{}
	for _, c := range m.Cards {
		byTopic[c.Topic] = append(byTopic[c.Topic], c)
	}
	for _, topic := range m.Topics() {
		cards := byTopic[topic]
		counts := Waiting(cards, memories, Filter{}, now).Counts()
		known := 0.0
		for _, c := range cards {
			known += memories[c.ID].Recall(now)
		}
		out = append(out, TopicStats{Topic: topic, Cards: len(cards), Due: counts.Due, New: counts.New,
			QuizAsked: quiz[topic].Asked, QuizRight: quiz[topic].Right, Readiness: known / float64(len(cards))})
	}
	return out
}

func pointStats(points []recall.Point, recalls []progress.RecallAttempt, topics []TopicStats) []PointStats {
	out := []PointStats{}
	for _, p := range points {
		s := PointStats{Point: p.Number, Title: p.Title, Of: len(p.Ideas), Missing: []int{}, Topics: pointTopics[p.Number]}
		if s.Topics == nil {
			s.Topics = []string{}
		}
		for _, a := range recalls {
			if a.Point == p.Number {
				s.addAttempt(a)
			}
		}
		s.addTopics(topics)
		out = append(out, s)
	}
	return out
}

func (s *PointStats) addAttempt(a progress.RecallAttempt) {
	s.Attempts++
	s.Found, s.Of = a.Found, a.Of
	s.Best = max(s.Best, a.Found)
	found := map[int]bool{}
	for _, id := range a.Ideas {
		found[id] = true
	}
	s.Missing = []int{}
	for id := 1; id <= a.Of; id++ {
		if !found[id] {
			s.Missing = append(s.Missing, id)
		}
	}
}

func (s *PointStats) addTopics(topics []TopicStats) {
	cards, known := 0, 0.0
	for _, t := range topics {
		for _, mine := range s.Topics {
			if t.Topic != mine {
				continue
			}
			s.QuizAsked += t.QuizAsked
			s.QuizRight += t.QuizRight
			cards += t.Cards
			known += t.Readiness * float64(t.Cards)
		}
	}
	if cards > 0 {
		known /= float64(cards)
		s.Readiness = &known
	}
}

func labStats(results []progress.LabResult) []LabStats {
	out := []LabStats{}
	at := map[[3]string]int{}
	for _, r := range results {
		key := [3]string{r.Lab, r.Service, r.Store}
		i, seen := at[key]
		if !seen {
			i = len(out)
			at[key] = i
			out = append(out, LabStats{Lab: r.Lab, Service: r.Service, Store: r.Store})
		}
		l := &out[i]
		l.Runs++
		l.Verdict, l.LateWrite, l.Predicted, l.Confidence = r.Verdict, r.LateWrite, r.Predicted, r.Confidence
		l.At = r.At.Format(time.RFC3339)
		if !slices.Contains(l.late, r.LateWrite) {
			l.late = append(l.late, r.LateWrite)
		}
	}
	return out
}
