package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/deck"
)

// stats shows the numbers of lockdrill stats.
type stats struct {
	env    *Env
	known  *drills.Stats // nil until it was read
	scroll scroll
}

func newStats(env *Env) screen { return &stats{env: env} }

func (s *stats) init() tea.Cmd {
	e := s.env
	return send(s, func() tea.Msg {
		known, err := drills.ReadStats(e.Ctx, e.Record, e.Material, e.Points, e.Clock.Now())
		if err != nil {
			return err
		}
		return known
	})
}

func (s *stats) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case drills.Stats:
		s.known = &msg
	case tea.KeyPressMsg:
		s.scroll.press(msg)
	}
	return nil
}

func (s *stats) keys() []key.Binding {
	if s.scroll.page == 0 {
		return nil
	}
	return []key.Binding{keyScroll, keyPageUp}
}

func (s *stats) title() (string, string) { return "stats", "" }
func (s *stats) typing() bool            { return false }
func (s *stats) back() (bool, tea.Cmd)   { return true, nil }
func (s *stats) close()                  {}

func (s *stats) body(w, h int) string {
	s.scroll.page = 0
	if s.known == nil {
		return ""
	}
	lines := s.days()
	for _, t := range []table{s.points(w), s.topics(), s.labs()} {
		if len(t.rows) > 0 {
			lines = append(lines, "")
			lines = append(lines, t.lines(s.env, w)...)
		}
	}
	if len(lines) <= h {
		return strings.Join(lines, "\n")
	}
	return s.env.pages(&s.scroll, lines, w, h)
}

// days are the reviews, over all days.
func (s *stats) days() []string {
	k := s.known
	label := func(t string) string { return "   " + s.env.styles.label.Render(left(t, 12)) }
	return []string{
		label("waiting") + fmt.Sprintf("%d due, %d new", k.Due, k.New),
		label("answered") + fmt.Sprintf("%d today, %d in all, %.0f minutes", k.Today, k.Reviews, k.Minutes),
		label("days") + drills.Plural(k.Streak, "day") + " in a row",
		label("retention") + percent(k.Retention),
	}
}

// table is rows under a head. The first column is text, as wide as there is
// room; the others are numbers, or words where a width is negative.
type table struct {
	head   []string
	widths []int // of all columns but the first
	rows   [][]string
}

func (t table) lines(e *Env, w int) []string {
	first := w - 6
	for _, n := range t.widths {
		first -= 2 + max(n, -n)
	}
	first = max(12, min(first, 48))
	lines := []string{"   " + e.styles.label.Render(t.row(t.head, first))}
	for _, r := range t.rows {
		lines = append(lines, "   "+t.row(r, first))
	}
	return lines
}

func (t table) row(cells []string, first int) string {
	var b strings.Builder
	b.WriteString(left(cells[0], first))
	for i, c := range cells[1:] {
		b.WriteString("  ")
		if n := t.widths[i]; n > 0 {
			b.WriteString(right(c, n))
		} else {
			b.WriteString(left(c, -n))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func (s *stats) points(w int) table {
	t := table{head: []string{"The six points", "said", "best", "quiz", "ready"}, widths: []int{5, 5, 5, 6}}
	for _, p := range s.known.Points {
		best := "–"
		if p.Attempts > 0 {
			best = fmt.Sprintf("%d/%d", p.Best, p.Of)
		}
		t.rows = append(t.rows, []string{fmt.Sprintf("%d  %s", p.Point, p.Title), said(p), best,
			score(p.QuizRight, p.QuizAsked), readiness(p.Readiness)})
	}
	if w < 76 { // the titles are worth more
		t.drop(2)
	}
	return t
}

// drop leaves a column out.
func (t *table) drop(i int) {
	t.head, t.widths = slices.Delete(t.head, i, i+1), slices.Delete(t.widths, i-1, i)
	for r := range t.rows {
		t.rows[r] = slices.Delete(t.rows[r], i, i+1)
	}
}

func (s *stats) topics() table {
	t := table{head: []string{"Topics", "cards", "due", "new", "quiz", "ready"}, widths: []int{5, 4, 5, 5, 6}}
	for _, p := range s.known.Topics {
		t.rows = append(t.rows, []string{deck.CleanLine(p.Topic), fmt.Sprint(p.Cards), fmt.Sprint(p.Due), fmt.Sprint(p.New),
			score(p.QuizRight, p.QuizAsked), readiness(&p.Readiness)})
	}
	return t
}

func (s *stats) labs() table {
	t := table{head: []string{"Labs", "runs", "verdict", "late write"}, widths: []int{4, -8, -10}}
	for _, l := range s.known.Labs {
		t.rows = append(t.rows, []string{fmt.Sprintf("%s, %s, %s", l.Lab, l.Service, l.Store), fmt.Sprint(l.Runs), l.Verdict, l.LateWrite})
	}
	return t
}
