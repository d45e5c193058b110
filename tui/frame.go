package tui

import (
	"errors"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lockdrill/drills/deck"
)

// The smallest terminal that the screens are made for.
const (
	minWidth  = 60
	minHeight = 20
)

// ErrInterrupted means that the program was left by Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// View draws the screen on top, its title above and its keys below.
func (a *App) View() tea.View {
	v := tea.NewView(a.frame())
	v.AltScreen = true
	v.WindowTitle = "lockdrill"
	return v
}

// frame is the whole screen. However a screen errs, it is never larger than the
// terminal.
func (a *App) frame() string {
	if a.w < 1 || a.h < 1 {
		return ""
	}
	if a.w < minWidth || a.h < minHeight {
		return fit(fmt.Sprintf("lockdrill needs %d x %d; this is %d x %d", minWidth, minHeight, a.w, a.h), a.w, a.h)
	}
	footer := a.footer()
	body := a.room(len(footer))
	if after := a.footer(); len(after) != len(footer) { // drawing tells whether it must scroll
		footer, body = after, a.room(len(after))
	} else {
		footer = after
	}
	room := a.h - 3 - len(footer)
	lines := append([]string{a.header(), ""}, padded(body, room)...)
	return fit(strings.Join(append(append(lines, ""), footer...), "\n"), a.w, a.h)
}

// room draws the body in what a footer of n lines leaves.
func (a *App) room(n int) string {
	h := a.h - 3 - n
	body := fit(a.top().body(a.w, h), a.w, h)
	if a.help {
		body = fit(a.helpBody(h), a.w, h)
	}
	return body
}

func (a *App) header() string {
	left, right := a.top().title()
	left = ansi.Truncate(left, max(0, a.w-ansi.StringWidth(right)-4), "…")
	gap := max(0, a.w-2-ansi.StringWidth(left)-ansi.StringWidth(right))
	return " " + a.env.styles.strong.Render(left) + strings.Repeat(" ", gap) + a.env.styles.label.Render(right)
}

// footer is the error, if there is one, and the keys, on as few lines as hold
// them, three at most.
func (a *App) footer() []string {
	var lines []string
	if a.err != nil {
		wrapped := wrap(deck.CleanLine(a.err.Error()), a.w-4)
		for _, l := range wrapped[:min(len(wrapped), 3)] {
			lines = append(lines, " "+a.env.styles.accent.Render("▎ "+l))
		}
	}
	keys := append(a.top().keys(), a.commonKeys()...)
	return append(lines, a.keyLines(keys, 3)...)
}

func (a *App) commonKeys() []key.Binding {
	if c, ok := a.top().(interface{ confirms() bool }); ok && c.confirms() {
		return nil
	}
	common := []key.Binding{keyHelp}
	if a.top().typing() {
		common = nil
	}
	_, atHome := a.top().(*home)
	switch {
	case len(a.stack) > 1:
		common = append(common, keyBack)
	case !atHome:
		common = append(common, keyLeave)
	}
	return common
}

// keyLines sets keys side by side, breaking between them, never within one, and
// closer together where that saves a line.
func (a *App) keyLines(keys []key.Binding, most int) []string {
	lines := a.keysApart(keys, 3)
	if close := a.keysApart(keys, 2); len(close) < len(lines) {
		lines = close
	}
	return lines[:min(len(lines), most)]
}

// keysApart sets keys so many spaces apart.
func (a *App) keysApart(keys []key.Binding, gap int) []string {
	lines, line, width := []string{}, "", 0
	for _, k := range keys {
		h := k.Help()
		if len(k.Keys()) == 0 && width > 0 { // keyBreak
			lines, line, width = append(lines, line), "", 0
		}
		if !k.Enabled() || h.Key == "" {
			continue
		}
		w := ansi.StringWidth(h.Key+h.Desc) + 1
		if width > 0 && width+gap+w > a.w-1 {
			lines, line, width = append(lines, line), "", 0
		}
		before := gap
		if width == 0 {
			before = 1
		}
		line += strings.Repeat(" ", before) + h.Key + " " + a.env.styles.label.Render(h.Desc)
		width += before + w
	}
	return append(lines, line)
}

// helpBody lists the keys from the bindings that handle them, in two columns
// where h lines do not hold them in one.
func (a *App) helpBody(h int) string {
	keys := a.top().keys()
	if more, ok := a.top().(interface{ hidden() []key.Binding }); ok {
		keys = append(keys, more.hidden()...)
	}
	var rows []string
	for _, k := range append(append(keys, a.commonKeys()...), keySuspend, keyQuit) {
		if help := k.Help(); k.Enabled() && help.Key != "" {
			rows = append(rows, a.env.styles.strong.Render(left(help.Key, 10))+" "+help.Desc)
		}
	}
	const around = 3 // lines above and below
	if len(rows) > h-around {
		half := (len(rows) + 1) / 2
		first := rows[:half]
		for i, row := range rows[half:] {
			first[i] = left(first[i], (a.w-6)/2) + "  " + row
		}
		rows = first
	}
	rows = append(rows, "", a.env.styles.label.Render("any key closes this"))
	return "\n" + strings.Join(indent(rows, 3), "\n")
}

// fit cuts text to at most w columns and h lines. A tab, whose width nobody knows,
// becomes spaces.
func fit(text string, w, h int) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	lines = lines[:min(len(lines), h)]
	for i, l := range lines {
		if ansi.StringWidth(l) > w {
			lines[i] = ansi.Truncate(l, w, "…")
		}
	}
	return strings.Join(lines, "\n")
}

// padded splits text into exactly n lines.
func padded(text string, n int) []string {
	lines := strings.Split(text, "\n")
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}

// wrap breaks text at words to lines of at most w columns.
func wrap(text string, w int) []string {
	return strings.Split(ansi.Wrap(text, max(1, w), " "), "\n")
}

// rule is a line across the screen.
func (e *Env) rule(w int) string {
	return " " + e.styles.rule.Render(strings.Repeat("─", max(0, w-2)))
}
