package tui

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/deck"
)

// quizStart chooses what a quiz asks. Enter alone starts ten mixed questions.
type quizStart struct {
	env    *Env
	at     int
	fields []quizField
}

// quizField is one choice, and what there is to choose from.
type quizField struct {
	name   string
	values []string
	chosen int
}

// Choices of the start screen, in the order of their names below.
var (
	quizSizes  = []int{5, 10, 20}
	quizLimits = []time.Duration{0, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute}
)

func newQuizStart(env *Env) screen {
	topics := []string{"all, mixed"}
	for _, t := range quizTopics(env.Material) {
		topics = append(topics, deck.CleanLine(t))
	}
	return &quizStart{env: env, fields: []quizField{
		{"questions", []string{"5", "10", "20"}, 1},
		{"topic", topics, 0},
		{"verdicts", []string{"after each", "at the end, as in an exam"}, 0},
		{"time", []string{"no limit", "5 minutes", "10 minutes", "20 minutes"}, 0},
	}}
}

// quizTopics are the topics that have a question.
func quizTopics(m drills.Material) []string {
	var topics []string
	for _, c := range m.Cards {
		if c.Kind == deck.Choice {
			topics = append(topics, c.Topic)
		}
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}

func (q *quizStart) options() drills.QuizOptions {
	o := drills.QuizOptions{Questions: quizSizes[q.fields[0].chosen], Exam: q.fields[2].chosen == 1, Limit: quizLimits[q.fields[3].chosen]}
	if i := q.fields[1].chosen; i > 0 {
		o.Topic = quizTopics(q.env.Material)[i-1]
	}
	return o
}

var (
	quizBegin = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "start"))
	quizLess  = key.NewBinding(key.WithKeys("left", "h"), key.WithHelp("←→", "change"))
	quizMore  = key.NewBinding(key.WithKeys("right", "l", "space"))
)

func (q *quizStart) init() tea.Cmd           { return nil }
func (q *quizStart) title() (string, string) { return "quiz", "" }
func (q *quizStart) typing() bool            { return false }
func (q *quizStart) back() (bool, tea.Cmd)   { return true, nil }
func (q *quizStart) close()                  {}
func (q *quizStart) keys() []key.Binding     { return []key.Binding{quizBegin, keyUp, quizLess} }

func (q *quizStart) update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	f := &q.fields[q.at]
	switch {
	case key.Matches(press, quizBegin):
		return open(newQuiz(q.env, quizOf{QuizOptions: q.options()}))
	case key.Matches(press, keyUp):
		q.at = max(0, q.at-1)
	case key.Matches(press, keyDown):
		q.at = min(len(q.fields)-1, q.at+1)
	case key.Matches(press, quizLess):
		f.chosen = (f.chosen + len(f.values) - 1) % len(f.values)
	case key.Matches(press, quizMore):
		f.chosen = (f.chosen + 1) % len(f.values)
	}
	return nil
}

func (q *quizStart) body(w, _ int) string {
	e := q.env
	var lines []string
	for i, f := range q.fields {
		at, look := " ", e.styles.plain
		if i == q.at {
			at, look = e.styles.accent.Render("▸"), e.styles.strong
		}
		value := f.values[f.chosen]
		if i == q.at {
			value = "‹ " + value + " ›"
		}
		lines = append(lines, " "+at+" "+e.styles.label.Render(left(f.name, 12))+look.Render(left(value, max(8, w-18))), "")
	}
	note := "Each has one right answer; every wrong one is a mistake that people make."
	for _, l := range wrap(note, measure(w)) {
		lines = append(lines, "   "+e.styles.label.Render(l))
	}
	return strings.Join(lines, "\n")
}
