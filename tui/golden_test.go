package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/charmbracelet/x/vt"
)

// grid is what a terminal of w by h shows of an app, line by line, spaces at the
// ends of lines cut.
func grid(a *App, w, h int) string {
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	e := vt.NewEmulator(w, h)
	_, _ = e.WriteString(strings.ReplaceAll(a.View().Content, "\n", "\r\n"))
	lines := strings.Split(strings.ReplaceAll(e.String(), "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// goldenScreen compares what the app shows at 60x20, 80x24 and 120x40 with the
// files of that name.
func goldenScreen(t *testing.T, name string, a *App) {
	t.Helper()
	for _, size := range []struct {
		name string
		w, h int
	}{{"60x20", 60, 20}, {"80x24", 80, 24}, {"120x40", 120, 40}} {
		golden.RequireEqual(namedTB{t, "screens/" + name + "-" + size.name}, grid(a, size.w, size.h))
	}
	grid(a, 80, 24)
	if pictured[name] {
		checkCapture(t, name, a.View().Content, 80, 24)
	}
}

// namedTB gives golden the name of its file.
type namedTB struct {
	*testing.T
	name string
}

func (n namedTB) Name() string { return n.name }
