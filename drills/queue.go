package drills

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// Filter narrows what is drilled.
type Filter struct {
	Topic string // "" for all
	Limit int    // cards at most; 0 for no limit
}

// Counts says how many cards wait. Every number of that kind, in a header, a
// badge or a document, comes from Waiting.
type Counts struct {
	Due int // answered before, and due
	New int // never answered
}

// Total is the number of cards that wait.
func (c Counts) Total() int { return c.Due + c.New }

// Card is a card with what is known about it.
type Card struct {
	deck.Card
	Memory progress.Memory
}

// Question is the front as it is shown, in Markdown. Options and lines are
// shuffled anew each time, so that their places are not what is learnt.
func (c Card) Question() string { return c.Prompt(c.seed()) }

func (c Card) seed() uint64 { return uint64(c.Memory.Reps) }

// Answer is the back as it is shown after Question, in Markdown: it begins with
// the letters of the right option, or of the lines in the right order.
func (c Card) Answer() string {
	letters := make([]string, len(c.Shuffled(c.seed())))
	for shown, i := range c.Shuffled(c.seed()) {
		letters[i] = deck.Letter(shown)
	}
	switch c.Kind {
	case deck.Order:
		return "In order: " + strings.Join(letters, ", ") + "\n\n" + c.Back
	case deck.Choice:
		right := slices.IndexFunc(c.Option, func(o deck.Option) bool { return o.Right })
		return letters[right] + ") " + c.Back
	}
	return c.Back
}

// Letters are those of the options of a Choice card, as Question shows them; nil
// for other cards.
func (c Card) Letters() []string {
	if c.Kind != deck.Choice {
		return nil
	}
	var letters []string
	for i := range c.Option {
		letters = append(letters, deck.Letter(i))
	}
	return letters
}

// Picked says whether the option under one of the Letters is right, as one line.
func (c Card) Picked(letter string) string {
	for shown, i := range c.Shuffled(c.seed()) {
		if deck.Letter(shown) == letter && c.Option[i].Right {
			return "You picked " + letter + ", which is right."
		}
	}
	return "You picked " + letter + ", which is not so."
}

// Queue is what waits at one moment, in the order in which it is shown: due
// cards, then new ones, each mixed over the topics.
type Queue struct {
	due, fresh *mixer[Card]
}

// Waiting is the one answer to the question what is due at now.
func Waiting(cards []deck.Card, memories map[string]progress.Memory, f Filter, now time.Time) Queue {
	var due, fresh []Card
	for _, c := range cards {
		if f.Topic != "" && c.Topic != f.Topic {
			continue
		}
		m, answered := memories[c.ID]
		switch {
		case !answered:
			fresh = append(fresh, Card{Card: c})
		case m.DueBy(now):
			due = append(due, Card{Card: c, Memory: m})
		}
	}
	sortDue(due, now)
	if f.Limit > 0 {
		due = due[:min(len(due), f.Limit)]
		fresh = fresh[:min(len(fresh), f.Limit-len(due))]
	}
	topic := func(c Card) string { return c.Topic }
	return Queue{due: newMixer(due, topic, -1), fresh: newMixer(fresh, topic, -1)}
}

// sortDue puts cards in a learning step first, whose minute has come, and then
// those that are most likely forgotten.
func sortDue(due []Card, now time.Time) {
	recall := make(map[string]float64, len(due))
	for _, c := range due {
		if c.Memory.Phase == progress.Reviewing {
			recall[c.ID] = c.Memory.Recall(now)
		}
	}
	slices.SortStableFunc(due, func(a, b Card) int {
		return cmp.Or(cmp.Compare(recall[a.ID], recall[b.ID]), a.Memory.Due.Compare(b.Memory.Due), cmp.Compare(a.ID, b.ID))
	})
}

// Counts is what has not been taken yet.
func (q Queue) Counts() Counts { return Counts{Due: q.due.left, New: q.fresh.left} }

// next takes the next card, which is not of the topic last if that can be
// avoided.
func (q Queue) next(last string) (Card, bool) {
	from := q.due
	if from.left == 0 {
		from = q.fresh
	}
	from.last = last
	return from.next()
}
