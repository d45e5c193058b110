package tui

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
)

// points lists the six talking points; what to say to one is shown when asked
// for, so that it can be tried without.
type points struct {
	env    *Env
	chosen int
	told   bool // what to say is shown
	stats  []drills.PointStats
	scroll scroll
}

type pointsRead []drills.PointStats

func newPoints(env *Env, chosen int) screen { return &points{env: env, chosen: chosen} }

func (p *points) init() tea.Cmd {
	e := p.env
	return send(p, func() tea.Msg {
		s, err := drills.ReadStats(e.Ctx, e.Record, e.Material, e.Points, e.Clock.Now())
		if err != nil {
			return err
		}
		return pointsRead(s.Points)
	})
}

var (
	pointsTell  = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "what to say"))
	pointsHide  = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "hide"))
	pointsTyped = key.NewBinding(key.WithKeys("t"), key.WithHelp("t", "say it typed"))
	pointsAloud = key.NewBinding(key.WithKeys("a"), key.WithHelp("a", "say it aloud"))
)

func (p *points) keys() []key.Binding {
	tell := pointsTell
	if p.told {
		tell = pointsHide
	}
	keys := []key.Binding{pointsTyped, pointsAloud, tell, keyUp}
	if p.scroll.moves() {
		keys = append(keys, keyPageUp)
	}
	return keys
}

func (p *points) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pointsRead:
		p.stats = msg
	case tea.WindowSizeMsg:
		p.scroll.of = 0 // the key for paging takes room, so it waits for what does not fit without it
	case tea.KeyPressMsg:
		return p.press(msg)
	}
	return nil
}

func (p *points) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keyUp):
		p.choose(p.chosen - 1)
	case key.Matches(msg, keyDown):
		p.choose(p.chosen + 1)
	case key.Matches(msg, pointsTell):
		p.told = !p.told
	case key.Matches(msg, pointsTyped):
		return open(newRecall(p.env, p.env.Points[p.chosen]))
	case key.Matches(msg, pointsAloud):
		return open(newAloud(p.env, p.env.Points[p.chosen], aloudTime))
	case p.scroll.press(msg):
	}
	return nil
}

func (p *points) choose(i int) {
	p.chosen = max(0, min(len(p.env.Points)-1, i))
	p.told, p.scroll = false, scroll{}
}

func (p *points) title() (string, string) { return "points", "say them, then look" }
func (p *points) typing() bool            { return false }
func (p *points) close()                  {}

// back hides what to say first, then leaves.
func (p *points) back() (bool, tea.Cmd) { return true, nil }

func (p *points) body(w, h int) string {
	var lines []string
	for i, point := range p.env.Points {
		mark, look := " ", p.env.styles.plain
		if i == p.chosen {
			mark, look = p.env.styles.accent.Render("▸"), p.env.styles.strong
		}
		title := left(point.Title, max(10, min(w-14, 60)))
		lines = append(lines, mark+look.Render(strconv.Itoa(point.Number)+"  "+title)+right(p.said(i), 8))
	}
	lines = append(lines, "", p.env.rule(w), "")
	return strings.Join(lines, "\n") + "\n" + p.env.pages(&p.scroll, p.detail(w), w, max(1, h-len(lines)))
}

func (p *points) said(i int) string {
	if i >= len(p.stats) {
		return "–"
	}
	return said(p.stats[i])
}

// detail is what to say to the chosen point, or how it went last time.
func (p *points) detail(w int) []string {
	e, point := p.env, p.env.Points[p.chosen]
	var lines []string
	if p.told {
		for _, l := range wrap(point.Say, measure(w)) {
			lines = append(lines, e.styles.strong.Render(l))
		}
		lines = append(lines, "")
		for _, idea := range point.Ideas {
			lines = append(lines, e.hanging("–", idea.Name+": "+idea.Hint, measure(w))...)
		}
		return indent(lines, 3)
	}
	lines = append(lines, "Say it in the room: a minute, in your own words.")
	switch {
	case p.chosen >= len(p.stats):
	case p.stats[p.chosen].Attempts == 0:
		lines = append(lines, "", e.styles.label.Render(fmt.Sprintf("It has %d ideas. You have not said it yet.", len(point.Ideas))))
	default:
		s := p.stats[p.chosen]
		lines = append(lines, "", e.styles.label.Render(fmt.Sprintf("Last time %d of %d ideas, at best %d.", s.Found, s.Of, s.Best)))
		if what := missing(e, p.chosen, s); what != "" {
			for _, l := range wrap("You "+what+".", measure(w)) {
				lines = append(lines, e.styles.label.Render(l))
			}
		}
	}
	return indent(lines, 3)
}

// hanging wraps text behind a mark, its later lines set in.
func (e *Env) hanging(mark, text string, w int) []string {
	lines := wrap(text, w-2)
	for i, l := range lines {
		if i == 0 {
			lines[i] = mark + " " + l
		} else {
			lines[i] = "  " + l
		}
	}
	return lines
}
