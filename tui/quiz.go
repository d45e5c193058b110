package tui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/deck"
)

// quizOf says what a quiz asks, of which cards, and who is told the result.
type quizOf struct {
	drills.QuizOptions                                                // Seed 0 draws one
	cards              []deck.Card                                    // nil: all
	then               func(context.Context, drills.QuizResult) error // in a command; nil for nobody
}

// quiz asks its questions one by one and ends in a score.
type quiz struct {
	env  *Env
	of   quizOf
	quiz *drills.Quiz
	gate gate

	stage    quizStage
	question drills.Question
	outcome  drills.Outcome
	number   int // of the question, from 1
	busy     bool
	asking   bool      // whether to leave
	began    time.Time // by a clock that is never set back
	left     time.Duration
	result   drills.QuizResult
	missed   []drills.Outcome
	at       int // the miss chosen
	moved    bool
	scroll   scroll
}

type quizStage int

const (
	quizAsked quizStage = iota
	quizVerdict
	quizOver
)

type (
	quizPicked   struct{ outcome drills.Outcome }
	quizFinished struct{ result drills.QuizResult }
	quizError    struct{ err error }
	quizClock    struct{}
)

func newQuiz(env *Env, of quizOf) screen {
	if of.Seed == 0 {
		of.Seed = uint64(1 + rand.Int64N(999_999)) // short enough to type again
	}
	if of.cards == nil {
		of.cards = env.Material.Cards
	}
	q := &quiz{env: env, of: of, quiz: drills.NewQuiz(env.Record, of.cards, of.QuizOptions), left: of.Limit}
	q.gate.of = q
	return q
}

// init asks the first question, or comes back from a lab.
func (q *quiz) init() tea.Cmd {
	if !q.began.IsZero() {
		return q.gate.shut()
	}
	q.began = time.Now()
	if q.of.Limit > 0 {
		return tea.Batch(q.next(), q.tick())
	}
	return q.next()
}

func (q *quiz) tick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return toMsg{q, quizClock{}} })
}

// next asks the next question, or ends the quiz.
func (q *quiz) next() tea.Cmd {
	question, ok := q.quiz.Next()
	if !ok {
		return q.finish()
	}
	q.stage, q.question, q.number, q.scroll = quizAsked, question, q.quiz.Past()+1, scroll{}
	return q.gate.shut()
}

func (q *quiz) finish() tea.Cmd {
	q.busy = true
	then := q.of.then
	return send(q, q.env.record(func(ctx context.Context, now time.Time) tea.Msg {
		result, err := q.quiz.Finish(ctx, now)
		if err == nil && then != nil {
			err = then(ctx, result)
		}
		if err != nil {
			return quizError{err}
		}
		return quizFinished{result}
	}))
}

var (
	quizSkip   = key.NewBinding(key.WithKeys("tab"), key.WithHelp("tab", "skip"))
	quizNext   = key.NewBinding(key.WithKeys("enter", "space"), key.WithHelp("enter", "next"))
	quizDone   = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "done"))
	quizLab    = key.NewBinding(key.WithKeys("l"), key.WithHelp("l", "see it in the lab"))
	quizLeave  = key.NewBinding(key.WithKeys("y"), key.WithHelp("y", "leave"))
	quizGoOn   = key.NewBinding(key.WithKeys("n", "enter"), key.WithHelp("n", "go on"))
	quizChoose = key.NewBinding(key.WithKeys("up", "down"), key.WithHelp("↑↓", "choose"))
)

// letters are the keys that answer.
func (q *quiz) letters() key.Binding {
	var letters []string
	for i := range q.question.Options {
		letters = append(letters, deck.Letter(i))
	}
	return letterKeys(letters, "answer")
}

// letterKeys are the keys of options; none if there are no letters.
func letterKeys(letters []string, does string) key.Binding {
	if len(letters) == 0 {
		return key.NewBinding()
	}
	return key.NewBinding(key.WithKeys(letters...), key.WithHelp(letters[0]+"–"+letters[len(letters)-1], does))
}

func (q *quiz) keys() []key.Binding {
	var keys []key.Binding
	switch {
	case q.asking:
		return []key.Binding{quizLeave, quizGoOn}
	case q.busy:
		return nil
	case q.stage == quizAsked:
		keys = []key.Binding{q.letters(), quizSkip}
	case q.stage == quizVerdict:
		keys = []key.Binding{quizNext}
		if q.outcome.Lab != "" {
			keys = append(keys, quizLab)
		}
	case q.stage == quizOver:
		keys = []key.Binding{quizDone}
		if q.missLab() != "" {
			keys = append(keys, quizLab)
		}
		if len(q.missed) > 1 {
			return append(keys, quizChoose)
		}
	}
	if q.scroll.page > 0 {
		keys = append(keys, keyScroll)
	}
	return keys
}

func (q *quiz) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case gateMsg:
		q.gate.tick(msg)
	case quizPicked:
		return q.picked(msg.outcome)
	case quizFinished:
		return q.over(msg.result)
	case quizError:
		q.busy = false
		if errors.Is(msg.err, drills.ErrTimeUp) {
			return q.finish()
		}
		return func() tea.Msg { return failedMsg(msg) }
	case quizClock:
		return q.clock()
	case tea.KeyPressMsg:
		return q.press(msg)
	}
	return nil
}

// clock shows the time that is left; when it is over, the quiz is.
func (q *quiz) clock() tea.Cmd {
	if q.stage == quizOver {
		return nil
	}
	q.left = max(0, q.of.Limit-time.Since(q.began)).Round(time.Second)
	switch {
	case q.left > 0 || q.busy:
		return q.tick()
	case q.stage == quizVerdict: // read it first
		return nil
	}
	return q.finish()
}

func (q *quiz) press(msg tea.KeyPressMsg) tea.Cmd {
	if q.asking {
		return q.answer(msg)
	}
	if q.busy {
		return nil
	}
	if q.stage != quizOver && q.scroll.press(msg) { // moving answers nothing
		q.moved = true
		return nil
	}
	if ok, wait := q.gate.pass(); !ok {
		return wait
	}
	switch q.stage {
	case quizAsked:
		return q.choose(msg)
	case quizVerdict:
		return q.verdict(msg)
	}
	return q.review(msg)
}

func (q *quiz) choose(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, q.letters()):
		return q.pick(msg.String())
	case key.Matches(msg, quizSkip):
		q.quiz.Skip()
		return q.next()
	}
	return nil
}

func (q *quiz) verdict(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, quizNext):
		if q.of.Limit > 0 && q.left == 0 {
			return q.finish()
		}
		return q.next()
	case key.Matches(msg, quizLab) && q.outcome.Lab != "":
		return openLab(q.env, q.outcome.Lab, q.outcome.Topic == etcdTopic)
	}
	return nil
}

// review moves through the misses at the end.
func (q *quiz) review(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, quizDone):
		return leave
	case key.Matches(msg, quizLab) && q.missLab() != "":
		return openLab(q.env, q.missLab(), q.missed[q.at].Topic == etcdTopic)
	case len(q.missed) == 0:
		q.scroll.press(msg)
		return nil
	case key.Matches(msg, keyUp):
		q.at = max(0, q.at-1)
	case key.Matches(msg, keyDown) && q.moved:
		q.at = min(len(q.missed)-1, q.at+1)
	case key.Matches(msg, keyPageUp), key.Matches(msg, keyPageDown):
		q.scroll.press(msg)
		return nil
	case !key.Matches(msg, keyDown):
		return nil
	}
	q.moved = true
	return nil
}

func (q *quiz) pick(letter string) tea.Cmd {
	q.busy = true
	elapsed := time.Since(q.began)
	return send(q, q.env.record(func(ctx context.Context, now time.Time) tea.Msg {
		outcome, err := q.quiz.Pick(ctx, letter, now, elapsed)
		if err != nil {
			return quizError{err}
		}
		return quizPicked{outcome}
	}))
}

// picked shows the verdict, or in an exam the next question.
func (q *quiz) picked(o drills.Outcome) tea.Cmd {
	q.busy, q.outcome, q.moved = false, o, false
	if q.of.Exam {
		return q.next()
	}
	q.stage, q.scroll = quizVerdict, scroll{}
	return q.gate.shut()
}

func (q *quiz) over(r drills.QuizResult) tea.Cmd {
	q.busy, q.asking, q.stage, q.result, q.scroll = false, false, quizOver, r, scroll{}
	q.moved, q.missed = false, nil
	for _, o := range r.Questions {
		if !o.Correct {
			q.missed = append(q.missed, o)
		}
	}
	return q.gate.shut()
}

// missLab is the lab of the chosen miss.
func (q *quiz) missLab() string {
	if q.at < len(q.missed) {
		return q.missed[q.at].Lab
	}
	return ""
}

// answer decides whether to leave; no other key counts.
func (q *quiz) answer(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, quizLeave):
		return leave
	case key.Matches(msg, quizGoOn):
		q.asking = false
		return q.gate.shut()
	}
	return nil
}

func (q *quiz) title() (string, string) {
	if q.stage == quizOver {
		return "quiz", ""
	}
	if q.number == 0 {
		return "quiz", ""
	}
	where := fmt.Sprintf("%d of %d", q.number, q.quiz.Len())
	if q.of.Limit > 0 {
		where += fmt.Sprintf("    %d:%02d", int(q.left.Minutes()), int(q.left/time.Second)%60)
	}
	return "quiz    " + deck.CleanLine(q.question.Card.Topic), where
}

func (q *quiz) typing() bool { return false }
func (q *quiz) close()       {}

// back asks first while there is a score to lose.
func (q *quiz) back() (bool, tea.Cmd) {
	if q.stage == quizOver || q.quiz.Past() == 0 {
		return true, nil
	}
	q.asking = !q.asking
	return false, q.gate.shut()
}

// confirms says that a question about leaving is open.
func (q *quiz) confirms() bool { return q.asking }
