package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills/progress"
	"lockdrill/labs"
)

// labList offers the labs: the question each answers, against what, and what was
// seen of it last.
type labList struct {
	env     *Env
	all     []labs.Lab
	at      int
	service []int // by lab: the service chosen
	fenced  bool
	seen    map[string]progress.LabResult
}

type labsSeenMsg map[string]progress.LabResult

func newLabList(env *Env) screen {
	all := labs.All()
	return &labList{env: env, all: all, service: make([]int, len(all))}
}

func (l *labList) init() tea.Cmd {
	return send(l, func() tea.Msg {
		results, err := l.env.Record.Labs(l.env.Ctx)
		if err != nil {
			return err
		}
		seen := labsSeenMsg{}
		for _, r := range results {
			if r.At.After(seen[r.Lab].At) {
				seen[r.Lab] = r
			}
		}
		return seen
	})
}

var (
	keyUpDown  = key.NewBinding(key.WithKeys("up", "down", "k", "j"), key.WithHelp("↑↓", "choose"))
	keyOpenLab = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "open"))
	keyFence   = key.NewBinding(key.WithKeys("f"), key.WithHelp("f", "store"))
)

func (l *labList) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case labsSeenMsg:
		l.seen = msg
	case tea.KeyPressMsg:
		return l.press(msg)
	}
	return nil
}

func (l *labList) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keyOpenLab):
		return open(newLab(l.env, l.all[l.at], l.options()))
	case key.Matches(msg, keyService):
		l.service[l.at] = (l.service[l.at] + 1) % len(l.all[l.at].Services)
	case key.Matches(msg, keyFence):
		l.fenced = !l.fenced
	case msg.String() == "up" || msg.String() == "k":
		l.at = max(0, l.at-1)
	case msg.String() == "down" || msg.String() == "j":
		l.at = min(len(l.all)-1, l.at+1)
	}
	return nil
}

func (l *labList) options() labs.Options {
	spec := l.all[l.at]
	o := labs.Options{Service: spec.Services[l.service[l.at]], Store: labs.Unfenced}
	if l.fenced {
		o.Store = labs.Fenced
	}
	return o
}

func (l *labList) title() (string, string) {
	return "labs", fmt.Sprintf("%d of %d seen", len(l.seen), len(l.all))
}

func (l *labList) body(w, h int) string {
	var lines []string
	for i, spec := range l.all {
		lines = append(lines, l.row(i, spec))
	}
	lines, place := visible(lines, l.at, h-7)
	spec := l.all[l.at]
	lines = append(lines, l.env.toRight(place, w), l.env.rule(w))
	for _, part := range wrap(spec.Question, w-2) {
		lines = append(lines, " "+l.env.styles.strong.Render(part))
	}
	o := l.options()
	lines = append(lines, "", " "+l.env.styles.label.Render("against ")+o.Service+
		l.env.styles.label.Render("   of "+strings.Join(spec.Services, ", ")),
		" "+l.env.styles.label.Render("store   ")+o.Store)
	return strings.Join(lines, "\n")
}

func (l *labList) row(i int, spec labs.Lab) string {
	st := l.env.styles
	mark, name := "   ", fmt.Sprintf("%-18s", spec.Name)
	if i == l.at {
		mark, name = st.accent.Render(" ▸ "), st.strong.Render(name)
	}
	last := "–"
	if r, ok := l.seen[spec.Name]; ok {
		last = r.Service + ", " + r.Store + ": " + seenAs(r)
	}
	return mark + name + st.label.Render(last)
}

// seenAs says what a run showed in a word or two.
func seenAs(r progress.LabResult) string {
	if r.LateWrite == "none" || r.LateWrite == "" {
		return r.Verdict
	}
	return "late write " + r.LateWrite
}

// visible is the part of a list of lines, at most n long, that shows line at, and
// says which part that is if it is not all.
func visible(lines []string, at, n int) (shown []string, place string) {
	s := scroll{top: at - n/2}
	shown = s.window(lines, max(1, n))
	return shown, s.place(len(lines))
}

func (l *labList) keys() []key.Binding {
	all := []key.Binding{keyUpDown, keyOpenLab, keyFence}
	if len(l.all[l.at].Services) > 1 {
		all = append(all, keyService)
	}
	return all
}

func (l *labList) typing() bool          { return false }
func (l *labList) back() (bool, tea.Cmd) { return true, nil }
func (l *labList) close()                {}
