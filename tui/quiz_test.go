package tui

import (
	"strings"
	"testing"
	"time"

	"lockdrill/drills"
)

// quizzed is a quiz over the test deck, whose order is known.
func quizzed(o drills.QuizOptions) func(*Env) *App {
	o.Questions, o.Seed = max(2, o.Questions), 1
	return func(env *Env) *App { return NewQuiz(env, o, func(drills.QuizResult) {}) }
}

func (d *driver) quiz() *quiz {
	d.Helper()
	q, ok := d.app.top().(*quiz)
	if !ok {
		d.Fatalf("the screen is a %T", d.app.top())
	}
	return q
}

// wrongLetter is a letter that is not right.
func (d *driver) wrongLetter() string {
	if d.quiz().question.Right() == "a" {
		return "b"
	}
	return "a"
}

func TestQuizScreens(t *testing.T) {
	drive(t, nil, quizzed(drills.QuizOptions{}), func(d *driver) {
		goldenScreen(t, "quiz-asked", d.app)
		d.press(d.wrongLetter())
		goldenScreen(t, "quiz-wrong", d.app)
		d.press("enter", "esc")
		goldenScreen(t, "quiz-leave", d.app)
		d.press("n")
		d.press(d.quiz().question.Right())
		goldenScreen(t, "quiz-right", d.app)
		d.press("enter")
		goldenScreen(t, "quiz-over", d.app)
		d.press("enter")
		if !d.over {
			t.Error("done does not leave")
		}
	})
}

func TestQuizStart(t *testing.T) {
	drive(t, nil, New, func(d *driver) {
		d.press("z")
		goldenScreen(t, "quiz-start", d.app)
		d.press("left", "down", "right", "down", "right", "down", "right", "enter")
		want := drills.QuizOptions{Questions: 5, Topic: "redis-missed-cases", Exam: true, Limit: 5 * time.Minute, Seed: d.quiz().of.Seed}
		if got := d.quiz().of.QuizOptions; got != want {
			t.Errorf("options %+v, want %+v", got, want)
		}
	})
	drive(t, nil, New, func(d *driver) {
		d.press("z", "enter")
		if o := d.quiz().of; o.Questions != 10 || o.Topic != "" || o.Exam || o.Limit != 0 {
			t.Errorf("enter alone starts %+v", o)
		}
	})
}

// A16 for the quiz: enter on a verdict, held, typed ahead or pasted.
func TestQuizTypeAhead(t *testing.T) {
	drive(t, nil, quizzed(drills.QuizOptions{}), func(d *driver) {
		d.ahead("a", "enter", "b", "enter", "enter")
		d.drain()
		if d.quiz().number != 1 || d.quiz().stage != quizVerdict {
			t.Errorf("question %d, stage %d after keys at once", d.quiz().number, d.quiz().stage)
		}
		d.settle()
		d.press("enter")
		if d.quiz().number != 2 || d.quiz().stage != quizAsked {
			t.Errorf("question %d, stage %d after enter", d.quiz().number, d.quiz().stage)
		}
	})
}

func TestExamTellsAtTheEnd(t *testing.T) {
	drive(t, nil, quizzed(drills.QuizOptions{Exam: true}), func(d *driver) {
		d.press(d.wrongLetter())
		if d.quiz().stage != quizAsked || d.quiz().number != 2 {
			t.Errorf("stage %d, question %d", d.quiz().stage, d.quiz().number)
		}
		d.press("tab")
		if q := d.quiz(); q.stage != quizOver || q.result.Asked != 2 || q.result.Right != 0 || len(q.missed) != 2 {
			t.Errorf("stage %d, result %+v", q.stage, q.result)
		}
	})
}

func TestQuizTimeIsUp(t *testing.T) {
	drive(t, nil, quizzed(drills.QuizOptions{Limit: 10 * time.Second}), func(d *driver) {
		goldenScreen(t, "quiz-timed", d.app)
		for range 12 {
			time.Sleep(time.Second)
			d.drain()
		}
		if d.quiz().stage != quizOver {
			t.Errorf("after the time the stage is %d:\n%s", d.quiz().stage, d.screen())
		}
	})
}

// The path is one list; each stop opens, and what was done shows when one is back.
func TestTonight(t *testing.T) {
	drive(t, nil, New, func(d *driver) {
		d.press("i")
		goldenScreen(t, "tonight", d.app)
		for range 6 {
			d.press("enter", "enter", "enter") // begin, said it, keep
		}
		if s := d.screen(); !strings.Contains(s, "✓ Say the 6 points aloud") {
			t.Fatalf("after six points:\n%s", s)
		}
		d.press("space", "space", "enter") // the labs are skipped; the quiz
		d.press(d.wrongLetter(), "enter")
		d.press(d.quiz().question.Right(), "enter", "enter")
		goldenScreen(t, "tonight-quizzed", d.app)
		d.press("esc", "i") // left and resumed
		if s := d.screen(); !strings.Contains(s, "The misses again: 1 question") {
			t.Fatalf("resumed:\n%s", s)
		}
		d.press("enter")
		d.press(d.quiz().question.Right(), "enter", "enter")
		goldenScreen(t, "tonight-done", d.app)
		d.press("n")
		if s := d.screen(); strings.Contains(s, "✓") {
			t.Errorf("begun anew:\n%s", s)
		}
	})
}

func TestStatsScreen(t *testing.T) {
	drive(t, nil, New, func(d *driver) {
		d.press("s")
		goldenScreen(t, "stats-first", d.app)
	})
	drive(t, someDays, New, func(d *driver) {
		d.press("s")
		goldenScreen(t, "stats", d.app)
		d.press("pgdown")
		goldenScreen(t, "stats-scrolled", d.app)
	})
}
