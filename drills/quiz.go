package drills

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// QuizOptions say what is asked.
type QuizOptions struct {
	Questions int           // at most
	Topic     string        // "" for all
	Seed      uint64        // the same seed and cards give the same quiz
	Exam      bool          // no verdicts until the end
	Limit     time.Duration // for all questions together; 0 for none
}

// Question is a Choice card with its options in the order they are shown.
type Question struct {
	Card    deck.Card
	Options []deck.Option
}

// Right is the letter of the right option.
func (q Question) Right() string {
	return deck.Letter(slices.IndexFunc(q.Options, func(o deck.Option) bool { return o.Right }))
}

// Quiz asks multiple-choice questions and keeps the score. It is not safe for
// use by several goroutines.
type Quiz struct {
	options   QuizOptions
	record    *progress.Record
	id        progress.ID
	questions []Question
	picked    []string // of the questions answered so far
}

// Errors of a quiz.
var (
	ErrNotAnOption = errors.New("there is no such option")
	ErrTimeUp      = errors.New("the time is up")
)

// NewQuiz chooses the questions: from all topics in turn, and none twice
// running where that can be avoided.
func NewQuiz(r *progress.Record, cards []deck.Card, o QuizOptions) *Quiz {
	q := &Quiz{options: o, record: r, id: progress.NewID()}
	deal := newMixer(quizOrder(cards, o), func(c deck.Card) string { return c.Topic }, o.Questions)
	for c, ok := deal.next(); ok; c, ok = deal.next() {
		asked := Question{Card: c}
		for _, i := range c.Shuffled(o.Seed) {
			asked.Options = append(asked.Options, c.Option[i])
		}
		q.questions = append(q.questions, asked)
	}
	return q
}

// quizOrder is the Choice cards at random, such that the first of every topic
// come before the second of any.
func quizOrder(cards []deck.Card, o QuizOptions) []deck.Card {
	var pool []deck.Card
	for _, c := range cards {
		if c.Kind == deck.Choice && (o.Topic == "" || c.Topic == o.Topic) {
			pool = append(pool, c)
		}
	}
	// The order of the decks must not matter, only the cards.
	slices.SortFunc(pool, func(a, b deck.Card) int { return cmp.Compare(a.ID, b.ID) })
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	seen := map[string]int{}
	round := make(map[string]int, len(pool))
	for _, c := range pool {
		round[c.ID] = seen[c.Topic]
		seen[c.Topic]++
	}
	slices.SortStableFunc(pool, func(a, b deck.Card) int { return cmp.Compare(round[a.ID], round[b.ID]) })
	return pool
}

// Len is the number of questions.
func (q *Quiz) Len() int { return len(q.questions) }

// Past is the number of questions answered or skipped so far.
func (q *Quiz) Past() int { return len(q.picked) }

// Next is the question to ask; false when all are answered.
func (q *Quiz) Next() (Question, bool) {
	if len(q.picked) == len(q.questions) {
		return Question{}, false
	}
	return q.questions[len(q.picked)], true
}

// Pick answers the present question with a letter, a time after the quiz began.
// The answer is on disk when it returns. ErrTimeUp means that it came too late
// and does not count.
func (q *Quiz) Pick(ctx context.Context, letter string, now time.Time, elapsed time.Duration) (Outcome, error) {
	question, ok := q.Next()
	if !ok {
		return Outcome{}, ErrFinished
	}
	if q.options.Limit > 0 && elapsed > q.options.Limit {
		return Outcome{}, ErrTimeUp
	}
	if question.option(letter) < 0 {
		return Outcome{}, ErrNotAnOption
	}
	out := question.outcome(letter)
	err := q.record.AddQuizAnswer(ctx, progress.QuizAnswer{Quiz: q.id, Card: out.ID, Topic: out.Topic,
		Picked: letter, Correct: out.Correct, At: now})
	if err != nil {
		return Outcome{}, err
	}
	q.picked = append(q.picked, letter)
	return out, nil
}

// Skip leaves the present question unanswered.
func (q *Quiz) Skip() {
	if len(q.picked) < len(q.questions) {
		q.picked = append(q.picked, "")
	}
}

// option is the index of a letter's option, -1 if it has none.
func (q Question) option(letter string) int {
	for i := range q.Options {
		if deck.Letter(i) == letter {
			return i
		}
	}
	return -1
}

// Outcome is one question of a result.
type Outcome struct {
	ID      string `json:"id"`
	Topic   string `json:"topic"`
	Picked  string `json:"picked"` // "" if it was not answered
	Right   string `json:"right"`
	Correct bool   `json:"correct"`
	Why     string `json:"why"` // why the option picked is wrong, or why the right one is right
	Lab     string `json:"lab"` // the lab that shows it, "" for none
}

func (q Question) outcome(letter string) Outcome {
	out := Outcome{ID: q.Card.ID, Topic: q.Card.Topic, Picked: letter, Right: q.Right(), Lab: q.Card.Lab}
	out.Correct = letter == out.Right
	if i := q.option(letter); i >= 0 {
		out.Why = q.Options[i].Why
	}
	out.Why = cmp.Or(out.Why, q.Options[q.option(out.Right)].Why, q.Card.Back)
	return out
}

// TopicScore is the score in one topic.
type TopicScore struct {
	Topic string `json:"topic"`
	Asked int    `json:"asked"`
	Right int    `json:"right"`
}

// QuizResult is the score of a quiz. Questions that were not answered are
// counted as asked.
type QuizResult struct {
	Asked     int          `json:"asked"`
	Right     int          `json:"right"`
	Topics    []TopicScore `json:"topics"`  // in the order they came up
	Weakest   *string      `json:"weakest"` // the topic with the lowest share right; null if nothing was missed
	Questions []Outcome    `json:"questions"`
}

// Percent is the share right, 0 to 100; 0 if nothing was asked.
func (r QuizResult) Percent() float64 {
	if r.Asked == 0 {
		return 0
	}
	return 100 * float64(r.Right) / float64(r.Asked)
}

// Finish ends the quiz and saves its result, unless nobody answered anything.
func (q *Quiz) Finish(ctx context.Context, now time.Time) (QuizResult, error) {
	result := QuizResult{Topics: []TopicScore{}, Questions: []Outcome{}}
	for i, question := range q.questions {
		picked := ""
		if i < len(q.picked) {
			picked = q.picked[i]
		}
		result.add(question.outcome(picked))
	}
	result.Weakest = weakest(result.Topics)
	if !slices.ContainsFunc(q.picked, func(letter string) bool { return letter != "" }) {
		return result, nil
	}
	return result, q.record.AddQuizRun(ctx, progress.QuizRun{ID: q.id, Seed: int64(q.options.Seed),
		Exam: q.options.Exam, Asked: result.Asked, Correct: result.Right, At: now})
}

func (r *QuizResult) add(o Outcome) {
	i := slices.IndexFunc(r.Topics, func(t TopicScore) bool { return t.Topic == o.Topic })
	if i < 0 {
		i = len(r.Topics)
		r.Topics = append(r.Topics, TopicScore{Topic: o.Topic})
	}
	r.Asked++
	r.Topics[i].Asked++
	if o.Correct {
		r.Right++
		r.Topics[i].Right++
	}
	r.Questions = append(r.Questions, o)
}

// weakest is the topic with the lowest share right; of equals the one asked
// most.
func weakest(topics []TopicScore) *string {
	var worst *TopicScore
	for i := range topics {
		t := &topics[i]
		if t.Right == t.Asked {
			continue
		}
		if worst == nil || t.Right*worst.Asked < worst.Right*t.Asked ||
			t.Right*worst.Asked == worst.Right*t.Asked && t.Asked > worst.Asked {
			worst = t
		}
	}
	if worst == nil {
		return nil
	}
	return &worst.Topic
}
