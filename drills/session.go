package drills

import (
	"context"
	"errors"
	"slices"
	"time"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// Session is one sitting of drilling cards. It shows what waited when it began,
// and in between the cards whose learning step ends while it lasts. It is not
// safe for use by several goroutines.
type Session struct {
	record *progress.Record
	filter Filter
	queue  Queue
	front  []Card // put back by an undo, the next one last
	soon   []Card // in a learning step
	last   string // topic shown last

	current *Card
	done    []answered
}

type answered struct {
	card   Card // as it was before the answer
	review progress.ID
}

// Errors of a session.
var (
	ErrNoCard   = errors.New("no card is shown: ask for the next one first")
	ErrFinished = errors.New("no card is left")
)

// NewSession begins a session with what waits at now.
func NewSession(ctx context.Context, r *progress.Record, cards []deck.Card, f Filter, now time.Time) (*Session, error) {
	memories, err := r.Memories(ctx)
	if err != nil {
		return nil, err
	}
	return &Session{record: r, filter: f, queue: Waiting(cards, memories, f, now)}, nil
}

// Left is what is still to be shown, the present card included. Cards in a
// learning step are not counted until their time has come.
func (s *Session) Left() Counts {
	c := s.queue.Counts()
	waiting := s.front
	if s.current != nil {
		waiting = append(slices.Clone(waiting), *s.current)
	}
	for _, card := range waiting {
		if card.Memory.Phase == progress.New {
			c.New++
		} else {
			c.Due++
		}
	}
	return c
}

// Done is how many answers of this session stand.
func (s *Session) Done() int { return len(s.done) }

// Soon is how many cards are in a learning step, and when the first of them
// comes back.
func (s *Session) Soon() (cards int, first time.Time) {
	for _, c := range s.soon {
		if first.IsZero() || c.Memory.Due.Before(first) {
			first = c.Memory.Due
		}
	}
	return len(s.soon), first
}

// Next is the card to show at now; ErrFinished if there is none. A card that
// another program answered meanwhile is passed over.
func (s *Session) Next(ctx context.Context, now time.Time) (Card, error) {
	if s.current != nil {
		return *s.current, nil
	}
	for {
		c, ok := s.take(now)
		if !ok {
			return Card{}, ErrFinished
		}
		memory, err := s.record.Memory(ctx, c.ID)
		if err != nil {
			return Card{}, err
		}
		if memory.Reps != c.Memory.Reps && memory.Phase != progress.New && !memory.DueBy(now) {
			continue
		}
		c.Memory = memory
		s.current, s.last = &c, c.Topic
		return c, nil
	}
}

func (s *Session) take(now time.Time) (Card, bool) {
	if n := len(s.front); n > 0 {
		c := s.front[n-1]
		s.front = s.front[:n-1]
		return c, true
	}
	if s.filter.Limit > 0 && len(s.done) >= s.filter.Limit {
		return Card{}, false
	}
	for i, c := range s.soon {
		if c.Memory.DueBy(now) {
			s.soon = slices.Delete(s.soon, i, i+1)
			return c, true
		}
	}
	return s.queue.next(s.last)
}

// Intervals are the times until the present card comes back, for each grade in
// the order of progress.Grades.
func (s *Session) Intervals(now time.Time) ([4]time.Duration, error) {
	if s.current == nil {
		return [4]time.Duration{}, ErrNoCard
	}
	return s.current.Memory.Intervals(now)
}

// Grade saves the answer to the present card; it is on disk when it returns.
// Took is the time since the card was shown.
func (s *Session) Grade(ctx context.Context, g progress.Grade, now time.Time, took time.Duration) error {
	if s.current == nil {
		return ErrNoCard
	}
	v, err := s.record.Answer(ctx, progress.Answer{Card: s.current.ID, Grade: g, At: now, Took: took})
	if err != nil {
		return err
	}
	card := *s.current
	s.done = append(s.done, answered{card: card, review: v.ID})
	s.current = nil
	if v.Memory.Phase != progress.Reviewing {
		card.Memory = v.Memory
		s.soon = append(s.soon, card)
	}
	return nil
}

// Undo takes the last answer of this session back and shows its card again;
// progress.ErrNothingToUndo if there is none.
func (s *Session) Undo(ctx context.Context, now time.Time) (Card, error) {
	n := len(s.done)
	if n == 0 {
		return Card{}, progress.ErrNothingToUndo
	}
	back := s.done[n-1]
	v, err := s.record.Undo(ctx, back.review, now)
	if err != nil && !errors.Is(err, progress.ErrNothingToUndo) {
		return Card{}, err
	}
	if err != nil { // another program took it back already
		v.Memory = back.card.Memory
	}
	if s.current != nil {
		s.front = append(s.front, *s.current)
	}
	s.done = s.done[:n-1]
	s.soon = slices.DeleteFunc(s.soon, func(c Card) bool { return c.ID == back.card.ID })
	back.card.Memory = v.Memory
	s.current, s.last = &back.card, back.card.Topic
	return back.card, nil
}
