package tui

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

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

func newStyles(t Theme) styles { return stylesIn(t, colorprofile.TrueColor) }

// stylesIn chooses colours for a theme and what the terminal can show. Where there are only the sixteen of the
// terminal, whose shades nobody knows, text keeps the terminal's own foreground:
// what matters is bold, and every class has a shape of its own as well.
func stylesIn(t Theme, p colorprofile.Profile) styles {
	accent, label, rule := "#d1440c", "#767676", "#767676"
	switch { // all but the first are in the palette of 256, so none is rounded there
	case t == Light:
		accent, label = "#af5f00", "#5f5f5f"
	case t == Dark:
		accent, label = "#ff875f", "#a8a8a8"
	case p == colorprofile.ANSI256:
		accent = "#af5f5f"
	}
	s := lipgloss.NewStyle()
	if p < colorprofile.ANSI256 {
		few := styles{plain: s, strong: s.Bold(true), label: s, rule: s, accent: s.Bold(true)}
		if p == colorprofile.ANSI { // its red is far enough from black and from white
			few.accent = few.accent.Foreground(lipgloss.Red)
		}
		return few
	}
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
