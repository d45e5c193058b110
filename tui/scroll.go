package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Keys that move what is longer than the screen, and what is chosen.
var (
	keyUp       = key.NewBinding(key.WithKeys("up", "k"), key.WithHelp("↑↓", "choose"))
	keyDown     = key.NewBinding(key.WithKeys("down", "j"))
	keyPageUp   = key.NewBinding(key.WithKeys("pgup"), key.WithHelp("pgup pgdn", "page"))
	keyPageDown = key.NewBinding(key.WithKeys("pgdown"))
	keyScroll   = key.NewBinding(key.WithKeys("up", "down"), key.WithHelp("↑↓", "scroll"))
	keyBreak    = key.NewBinding() // the footer goes on below
)

// scroll is how far lines that are more than fit have been moved up.
type scroll struct {
	top  int
	page int // lines that fitted when last drawn
	of   int // of so many
}

// moves says that there was more than fitted.
func (s *scroll) moves() bool { return s.of > s.page }

// press moves by a key and reports whether it was one that moves.
func (s *scroll) press(msg tea.KeyPressMsg) bool {
	switch {
	case key.Matches(msg, keyUp):
		s.top--
	case key.Matches(msg, keyDown):
		s.top++
	case key.Matches(msg, keyPageUp):
		s.top -= max(1, s.page-1)
	case key.Matches(msg, keyPageDown):
		s.top += max(1, s.page-1)
	default:
		return false
	}
	return true
}

// window is the h lines in sight.
func (s *scroll) window(lines []string, h int) []string {
	s.page, s.of = max(0, h), len(lines)
	s.top = max(0, min(s.top, len(lines)-h))
	return lines[s.top:min(len(lines), s.top+s.page)]
}

// keep moves the window of h lines so that these are in it.
func (s *scroll) keep(first, last, h int) {
	s.top = max(s.top, last-h+1)
	s.top = min(s.top, first)
}

// place says which of n lines are in sight; "" if all are.
func (s *scroll) place(n int) string {
	if n <= s.page {
		return ""
	}
	return fmt.Sprintf("%d–%d of %d", s.top+1, min(n, s.top+s.page), n)
}

// pages draws lines in a window of w by h, the last line of which says where one
// is if they do not fit.
func (e *Env) pages(s *scroll, lines []string, w, h int) string {
	if len(lines) <= h {
		return strings.Join(s.window(lines, h), "\n")
	}
	shown := s.window(lines, h-1)
	return strings.Join(append(shown, e.toRight(s.place(len(lines)), w)), "\n")
}

// toRight sets a label at the right margin.
func (e *Env) toRight(text string, w int) string {
	return strings.Repeat(" ", max(0, w-1-ansi.StringWidth(text))) + e.styles.label.Render(text)
}

// left fills text up to w cells, or cuts it.
func left(text string, w int) string {
	if n := ansi.StringWidth(text); n <= w {
		return text + strings.Repeat(" ", w-n)
	}
	return ansi.Truncate(text, max(0, w), "…")
}

// right sets text at the right of w cells.
func right(text string, w int) string {
	return strings.Repeat(" ", max(0, w-ansi.StringWidth(text))) + text
}

// indent puts n spaces before every line that is not empty.
func indent(lines []string, n int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			out[i] = strings.Repeat(" ", n) + l
		}
	}
	return out
}

// measure is how wide running text is set on a screen of w columns, with a
// margin of three on each side: longer lines are hard to read.
func measure(w int) int { return max(1, min(w-6, 92)) }
