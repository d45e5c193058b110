package tui

import (
	"context"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
)

// tonight is the one ordered path for the evening before the interview.
type tonight struct {
	env    *Env
	path   *drills.Tonight // nil until it was read
	chosen int             // -1: the next one
	busy   bool
}

type tonightRead struct{ path *drills.Tonight }

func newTonight(env *Env) screen { return &tonight{env: env, chosen: -1} }

// init reads where the path stands, also after each stop of it.
func (t *tonight) init() tea.Cmd {
	e := t.env
	t.chosen = -1
	return send(t, func() tea.Msg {
		path, err := drills.LoadTonight(e.Ctx, e.Record, e.Points, e.Clock.Now())
		if err != nil {
			return err
		}
		return tonightRead{path}
	})
}

var (
	tonightGo    = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "go"))
	tonightSkip  = key.NewBinding(key.WithKeys("space"), key.WithHelp("space", "skip"))
	tonightAnew  = key.NewBinding(key.WithKeys("n"), key.WithHelp("n", "begin anew"))
	tonightReady = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "done"))
)

func (t *tonight) keys() []key.Binding {
	if t.path == nil {
		return nil
	}
	if _, more := t.path.Next(); !more && t.chosen < 0 {
		return []key.Binding{tonightReady, tonightAnew, keyUp}
	}
	return []key.Binding{tonightGo, keyUp, tonightSkip, tonightAnew}
}

func (t *tonight) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tonightRead:
		t.path, t.busy = msg.path, false
	case tea.KeyPressMsg:
		if t.path != nil && !t.busy {
			return t.press(msg)
		}
	}
	return nil
}

func (t *tonight) press(msg tea.KeyPressMsg) tea.Cmd {
	last := len(t.path.Stops()) - 1
	switch {
	case key.Matches(msg, keyUp):
		t.chosen = max(0, t.at()-1)
	case key.Matches(msg, keyDown):
		t.chosen = min(last, t.at()+1)
	case key.Matches(msg, tonightGo):
		if t.at() < 0 {
			return leave
		}
		return t.start(t.path.Stops()[t.at()])
	case key.Matches(msg, tonightSkip) && t.at() >= 0:
		name := t.path.Stops()[t.at()].Name
		return t.change(func(path *drills.Tonight) { path.Skip(name) })
	case key.Matches(msg, tonightAnew):
		return t.anew()
	}
	return nil
}

// at is the stop that enter goes to: the chosen one, else the next; -1 when all
// are done.
func (t *tonight) at() int {
	if t.chosen >= 0 {
		return t.chosen
	}
	for i, s := range t.path.Stops() {
		if !s.Done {
			return i
		}
	}
	return -1
}

// start opens a stop. That the path was begun is on disk before it opens.
func (t *tonight) start(s drills.Stop) tea.Cmd {
	e := t.env
	var next screen
	switch s.Name {
	case "points":
		p, more := t.path.Unsaid()
		if !more {
			p = e.Points[0]
		}
		next = newAloud(e, p, aloudTime)
	case "quiz":
		next = newQuiz(e, quizOf{QuizOptions: drills.QuizOptions{Questions: 10}, then: t.quizzed})
	case "again":
		misses := t.path.Misses(e.Material.Cards)
		if len(misses) == 0 {
			return func() tea.Msg { return failedMsg{fmt.Errorf("there are no misses: take the quiz first")} }
		}
		next = newQuiz(e, quizOf{QuizOptions: drills.QuizOptions{Questions: len(misses)}, cards: misses, then: t.again})
	}
	t.busy = true
	path := t.path
	return func() tea.Msg {
		if err := path.Save(e.Ctx, e.Record, e.Clock.Now()); err != nil {
			return failedMsg{err}
		}
		if s.Lab != "" {
			return openLab(e, s.Lab, false)()
		}
		return openMsg{next}
	}
}

// quizzed and again note what a quiz of the path ended in.
func (t *tonight) quizzed(ctx context.Context, r drills.QuizResult) error {
	return t.note(ctx, func(path *drills.Tonight) { path.Quiz(r) })
}

func (t *tonight) again(ctx context.Context, _ drills.QuizResult) error {
	return t.note(ctx, func(path *drills.Tonight) { path.Again = true })
}

func (t *tonight) note(ctx context.Context, change func(*drills.Tonight)) error {
	e := t.env
	path, err := drills.LoadTonight(ctx, e.Record, e.Points, e.Clock.Now())
	if err != nil {
		return err
	}
	change(path)
	return path.Save(ctx, e.Record, e.Clock.Now())
}

// change notes something and reads the path again.
func (t *tonight) change(change func(*drills.Tonight)) tea.Cmd {
	e := t.env
	again := t.init()
	return func() tea.Msg {
		if err := t.note(e.Ctx, change); err != nil {
			return failedMsg{err}
		}
		return again()
	}
}

func (t *tonight) anew() tea.Cmd {
	e := t.env
	again := t.init()
	return func() tea.Msg {
		path, err := drills.BeginTonight(e.Ctx, e.Record, e.Points, e.Clock.Now())
		if err == nil {
			err = path.Save(e.Ctx, e.Record, e.Clock.Now())
		}
		if err != nil {
			return failedMsg{err}
		}
		return again()
	}
}

func (t *tonight) title() (string, string) {
	if t.path == nil {
		return "tonight", ""
	}
	left := 0
	for _, s := range t.path.Stops() {
		if !s.Done {
			left += s.Minutes
		}
	}
	if left == 0 {
		return "tonight", "done"
	}
	return "tonight", fmt.Sprintf("about %d minutes left", left)
}

func (t *tonight) typing() bool          { return false }
func (t *tonight) back() (bool, tea.Cmd) { return true, nil }
func (t *tonight) close()                {}

func (t *tonight) body(w, h int) string {
	e := t.env
	lines := wrap("Interview tomorrow. One path, half an hour; leave it and come back when you like.", measure(w))
	lines = append(indent(lines, 3), "")
	if t.path == nil {
		return strings.Join(lines, "\n")
	}
	gap := h >= 14
	for i, s := range t.path.Stops() {
		at, look, sign := " ", e.styles.plain, " "
		if i == t.at() {
			at, look = e.styles.accent.Render("▸"), e.styles.strong
		}
		minutes := fmt.Sprintf("%d min", s.Minutes)
		if s.Done {
			sign, minutes, look = signFound, "done", e.styles.label
		}
		width := max(10, min(w-17, 52))
		lines = append(lines, " "+at+" "+sign+" "+look.Render(left(s.Text, width))+e.styles.label.Render(right(minutes, 8)))
		if gap {
			lines = append(lines, "")
		}
	}
	if t.at() < 0 {
		lines = append(lines, "", "   "+e.styles.strong.Render("That was the path. Rest now; you know it."))
	}
	return strings.Join(lines, "\n")
}
