package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/recall"
)

// marks is the list of an attempt's marks: the ideas, then the wrong statements,
// one of which is chosen.
type marks struct {
	at     int
	moved  bool
	scroll scroll
}

// press moves by a key and reports whether it was one that moves.
func (m *marks) press(msg tea.KeyPressMsg, a *drills.Attempt) bool {
	last := len(a.Ideas) + len(a.Wrong) - 1
	switch {
	case key.Matches(msg, keyUp):
		m.at = max(0, m.at-1)
	case key.Matches(msg, keyDown):
		m.at = min(last, m.at+1)
	case key.Matches(msg, keyPageUp):
		m.at = 0
	case key.Matches(msg, keyPageDown):
		m.at = last
	default:
		return false
	}
	m.moved = true
	return true
}

// change turns the chosen mark round.
func (m *marks) change(a *drills.Attempt) {
	if w := m.wrong(a); w != nil {
		a.Dismiss(w.ID)
		return
	}
	a.Change(a.Ideas[m.at].ID)
	if a.Aloud && m.at < len(a.Ideas)-1 {
		m.at++ // down the list, tick by tick
		m.moved = true
	}
}

// wrong is the chosen wrong statement, nil if an idea is chosen.
func (m *marks) wrong(a *drills.Attempt) *recall.MarkedWrong {
	if i := m.at - len(a.Ideas); i >= 0 && i < len(a.Wrong) {
		return &a.Wrong[i]
	}
	return nil
}

// provingLab is the first lab that proves a point, "" for none.
func (e *Env) provingLab(point int) string {
	for _, l := range e.allLabs() {
		if slices.Contains(l.Points, point) {
			return l.Name
		}
	}
	return ""
}

func (s *saying) body(w, h int) string {
	e := s.env
	if s.asking {
		if s.stage == sayMarked {
			return e.question("Leave without keeping these marks?", "Nothing of this try is recorded yet.", w)
		}
		return e.question("Throw away what you typed?", "It is not marked yet, and nothing is recorded.", w)
	}
	switch s.stage {
	case sayTyping:
		s.text.SetWidth(measure(w))
		s.text.SetHeight(max(3, h-2))
		lines := indent(strings.Split(s.text.View(), "\n"), 3)
		return "   " + e.styles.label.Render("Say it as you would in the room.") + "\n\n" + strings.Join(lines, "\n")
	case sayAloud:
		return s.speaking(w, h)
	case sayMarked:
		return s.marked(w, h)
	}
	return ""
}

// question asks something across the screen; the keys below answer it.
func (e *Env) question(ask, more string, w int) string {
	var lines []string
	for _, l := range wrap(ask, measure(w)) {
		lines = append(lines, e.styles.strong.Render(l))
	}
	return strings.Join(indent(append(append(lines, ""), wrap(more, measure(w))...), 3), "\n")
}

// speaking is the clock, and nothing that helps.
func (s *saying) speaking(w, h int) string {
	e := s.env
	clock := fmt.Sprintf("%d:%02d", int(s.left.Minutes()), int(s.left/time.Second)%60)
	n := min(60, w-6)
	spent := n - int(float64(n)*float64(s.left)/float64(max(1, s.limit)))
	lines := make([]string, max(0, min(6, h/4-1)))
	lines = append(lines, e.styles.strong.Render(clock), "",
		strings.Repeat("▇", max(0, n-spent))+e.styles.rule.Render(strings.Repeat("░", max(0, spent))), "")
	lines = append(lines, wrap("Say it aloud, as you would in the room. Then tick what you said.", measure(w))...)
	return strings.Join(indent(lines, 3), "\n")
}

// marked is what was said with a mark for each idea and each wrong statement.
func (s *saying) marked(w, h int) string {
	e, a := s.env, s.attempt
	lines := []string{"   " + e.styles.label.Render("Tick what you said."), ""}
	if !a.Aloud {
		lines = append(s.quoted(w, max(2, h/3)), "")
	}
	first, last := 0, 0
	for i, idea := range a.Ideas {
		from := len(lines)
		lines = append(lines, s.idea(i, idea, w)...)
		if i == s.marks.at {
			first, last = from, len(lines)-1
		}
	}
	for i, wrong := range a.Wrong {
		from := len(lines)
		lines = append(lines, s.wrong(i+len(a.Ideas), wrong, w)...)
		if i+len(a.Ideas) == s.marks.at {
			first, last = from, len(lines)-1
		}
	}
	if len(lines) > h && s.marks.moved {
		s.marks.scroll.keep(first, last, h-1)
	}
	return e.pages(&s.marks.scroll, lines, w, h)
}

// quoted is what was typed, as much as n lines hold.
func (s *saying) quoted(w, n int) []string {
	var lines []string
	for _, part := range strings.Split(deck.Clean(s.said), "\n") {
		lines = append(lines, wrap(part, measure(w))...)
	}
	if len(lines) > n {
		lines = append(lines[:n-1], s.env.styles.label.Render(fmt.Sprintf("… and %d lines more", len(lines)-n+1)))
	}
	return indent(lines, 3)
}

// Signs of a mark. Each has its own shape, and the screen says the rest in words.
const (
	signFound   = "✓"
	signMissing = "–"
	signWrong   = "✗"
)

func (s *saying) idea(i int, idea recall.MarkedIdea, w int) []string {
	e := s.env
	sign, about := signMissing, s.hint(idea.ID)
	if idea.Found && !s.attempt.Aloud {
		sign, about = signFound, "“"+deck.CleanLine(idea.Quote)+"”"
	}
	if s.attempt.Aloud && idea.Found {
		sign = signFound
	}
	if s.attempt.Overruled(idea.ID) {
		about = "your own mark"
	}
	return s.row(i, sign, idea.Name, about, e.styles.plain.Render, w)
}

// row is one row of the list: sign, name and what there is to it.
func (s *saying) row(i int, sign, name, about string, look func(...string) string, w int) []string {
	e := s.env
	at, strong := " ", e.styles.plain
	if i == s.marks.at {
		at, strong = e.styles.accent.Render("▸"), e.styles.strong
	}
	names := s.names()
	head := " " + at + " " + sign + " " + strong.Render(left(name, names))
	if w < 76 { // no room for two columns
		lines := []string{" " + at + " " + sign + " " + strong.Render(name)}
		for _, l := range wrap(about, w-9) {
			lines = append(lines, "     "+e.styles.label.Render(l))
		}
		return lines
	}
	var lines []string
	for n, l := range wrap(about, min(w-7-names, 80)) {
		if n > 0 {
			head = strings.Repeat(" ", 5+names)
		}
		lines = append(lines, head+" "+look(l))
	}
	return lines
}

// wrong is a wrong statement: your words, why, and the lab that shows it.
func (s *saying) wrong(i int, m recall.MarkedWrong, w int) []string {
	why := m.Why
	if lab := s.env.Material.ShownLab(m.Lab); lab != "" {
		why += " See it in the lab " + lab + "."
	}
	sign := signWrong
	if s.attempt.Dismissed(m.ID) {
		sign, why = signMissing, "not what you meant"
	}
	lines := s.row(i, sign, "your words", "“"+deck.CleanLine(m.Quote)+"”", s.env.styles.plain.Render, w)
	for _, l := range wrap("Not so: "+m.Statement, measure(w)-6) {
		lines = append(lines, "     "+s.env.styles.strong.Render(l))
	}
	for _, l := range wrap(deck.Clean(why), measure(w)-6) {
		lines = append(lines, "     "+l)
	}
	return append([]string{""}, lines...)
}

// names is how wide the longest name of an idea is.
func (s *saying) names() int {
	n := 0
	for _, i := range s.point.Ideas {
		n = max(n, ansi.StringWidth(i.Name)+1)
	}
	return min(n, 32)
}

func (s *saying) hint(id int) string {
	for _, i := range s.point.Ideas {
		if i.ID == id {
			return i.Hint
		}
	}
	return ""
}
