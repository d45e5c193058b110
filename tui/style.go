package tui

import (
	"charm.land/lipgloss/v2"

	"lockdrill/labs"
)

// Theme names what background the colours are chosen for.
type Theme string

// Auto asks the terminal nothing: its colours read well on black and on white.
const (
	Auto  Theme = "auto"
	Light Theme = "light"
	Dark  Theme = "dark"
)

// styles is the one place where looks are decided: one accent, two greys, and
// the terminal's own foreground for what matters.
type styles struct {
	plain  lipgloss.Style
	strong lipgloss.Style // titles, what is chosen
	label  lipgloss.Style // labels, keys' meanings
	rule   lipgloss.Style
	accent lipgloss.Style
}

func newStyles(t Theme) styles {
	accent, label, rule := "#d1440c", "#767676", "#767676"
	switch t {
	case Light:
		accent, label, rule = "#b93a08", "#5f5f5f", "#8a8a8a"
	case Dark:
		accent, label, rule = "#ff8a4c", "#a0a0a0", "#6a6a6a"
	}
	s := lipgloss.NewStyle()
	return styles{
		plain: s, strong: s.Bold(true),
		label:  s.Foreground(lipgloss.Color(label)),
		rule:   s.Foreground(lipgloss.Color(rule)),
		accent: s.Foreground(lipgloss.Color(accent)).Bold(true),
	}
}

// lane is the look of a lane's cells. Each class also has a shape of its own, so
// nothing is told by colour alone.
func (s styles) lane(c labs.Class) lipgloss.Style {
	switch c {
	case labs.Overstay:
		return s.accent
	case labs.Axis, labs.Stopped, labs.Node, labs.Dead:
		return s.label
	case labs.Landed, labs.Refused:
		return s.strong
	}
	return s.plain
}
