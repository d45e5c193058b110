package progress

import (
	"fmt"
	"time"

	"github.com/open-spaced-repetition/go-fsrs/v4"
)

// Grade is how well a card was recalled.
type Grade int

// The four grades, as in FSRS.
const (
	Again Grade = 1 + iota
	Hard
	Good
	Easy
)

// Grades in the order they are offered.
var Grades = [4]Grade{Again, Hard, Good, Easy}

// String is the grade's name in words.
func (g Grade) String() string {
	switch g {
	case Again, Hard, Good, Easy:
		return [...]string{"again", "hard", "good", "easy"}[g-1]
	}
	return fmt.Sprintf("grade %d", int(g))
}

// Phase is the stage a card is in.
type Phase int

// The phases, numbered as FSRS numbers its states.
const (
	New        Phase = iota // never answered
	Learning                // in the steps of its first day
	Reviewing               // scheduled in whole days
	Relearning              // forgotten, and back in a step
)

// Memory is what the scheduler knows about one card. The zero value is a card
// that was never answered. It is a cache: replaying the card's answers gives
// the same value.
type Memory struct {
	Phase      Phase
	Due        time.Time
	Stability  float64 // days until recall falls to 90 %
	Difficulty float64 // 1 (easy) to 10 (hard)
	Reps       int     // answers in all
	Lapses     int     // answers Again to a card that was Reviewing
	Steps      int     // learning steps left
	Last       time.Time
}

// DueBy reports whether the card is to be shown at now. A card scheduled in
// days is due from the start of its study day on, one in a learning step from
// its minute on. A new card is never due: it is new.
func (m Memory) DueBy(now time.Time) bool {
	switch m.Phase {
	case Reviewing:
		return m.Due.Before(endOfDay(now))
	case Learning, Relearning:
		return !m.Due.After(now)
	}
	return false
}

// schedulerVersion names the algorithm and its parameters. A record whose cache
// was built by another version is rebuilt from its log.
const schedulerVersion = "fsrs-6 default steps 1m 10m relearn 10m retention 0.9"

// scheduler runs FSRS-6 with its default weights, a target recall of 90 %, no
// fuzz (the interval shown is the interval given, and a rebuild gives the same
// numbers), and the usual short steps: a new card comes back after 1 or 10
// minutes before it is scheduled in days, a forgotten one after 10.
//
// Elapsed time is counted in UTC calendar days as ts-fsrs does, so the numbers
// agree with every other FSRS tool; what is due today is a local question and
// is answered by Memory.DueBy.
var scheduler = newScheduler()

func newScheduler() *fsrs.FSRS {
	p := fsrs.DefaultParam()
	// NewFSRS replaces bad parameters without a word.
	if err := p.Validate(); err != nil {
		panic("progress: the built-in FSRS parameters do not validate: " + err.Error())
	}
	return fsrs.NewFSRS(p)
}

// After is the memory of a card once it was answered with g at now.
func (m Memory) After(g Grade, now time.Time) (Memory, error) {
	info, err := scheduler.Next(m.card(), m.notBefore(now), fsrs.Rating(g))
	if err != nil {
		return Memory{}, fmt.Errorf("schedule an answer of %s: %w", g, err)
	}
	return asTSFSRS(m, memoryOf(info.Card), g), nil
}

// Intervals are the times until the card comes back for each of the four
// grades, in the order of Grades.
func (m Memory) Intervals(now time.Time) ([4]time.Duration, error) {
	at := m.notBefore(now)
	next, err := scheduler.Repeat(m.card(), at)
	if err != nil {
		return [4]time.Duration{}, fmt.Errorf("preview the intervals: %w", err)
	}
	var out [4]time.Duration
	for i, g := range Grades {
		out[i] = next[fsrs.Rating(g)].Card.Due.Sub(at)
	}
	return out, nil
}

// Recall is the predicted chance, 0 to 1, that the card is recalled at t; 0 for
// a new card.
func (m Memory) Recall(t time.Time) float64 {
	p, err := scheduler.Retrievability(m.card(), m.notBefore(t))
	if err != nil {
		return 0
	}
	return p
}

// notBefore keeps time from running backwards for a card: the clock of a
// machine can be set back between two answers, and the scheduler refuses that.
func (m Memory) notBefore(now time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	if m.Phase != New && now.Before(m.Last) {
		return m.Last
	}
	return now
}

func (m Memory) card() fsrs.Card {
	return fsrs.Card{
		Due: m.Due, Stability: m.Stability, Difficulty: m.Difficulty,
		Reps: uint64(m.Reps), Lapses: uint64(m.Lapses),
		State: fsrs.State(m.Phase), LastReview: m.Last, RemainingSteps: m.Steps,
	}
}

func memoryOf(c fsrs.Card) Memory {
	return Memory{
		Phase: Phase(c.State), Due: c.Due, Stability: c.Stability, Difficulty: c.Difficulty,
		Reps: int(c.Reps), Lapses: int(c.Lapses), Steps: c.RemainingSteps, Last: c.LastReview,
	}
}
