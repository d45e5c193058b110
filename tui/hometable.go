package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockdrill/drills"
	"lockdrill/labs"
)

// table is how each point stands. Where there is air, a line below each says
// what it lacked.
func (h *home) table(w int, airy bool) []string {
	e := h.env
	cols := homeColumns(w)
	var b strings.Builder
	for _, c := range cols {
		b.WriteString(c.set(c.name))
	}
	lines := []string{" " + e.styles.label.Render(left("The six points", cols.title(w)+3)+b.String())}
	for i, p := range e.Points {
		var stats drills.PointStats
		if h.known != nil {
			stats = h.known.stats.Points[i]
		}
		mark, look := " ", e.styles.plain
		if i == h.chosen {
			mark, look = e.styles.accent.Render("▸"), e.styles.strong
		}
		row := mark + look.Render(strconv.Itoa(p.Number)+"  "+left(p.Title, cols.title(w)))
		for _, c := range cols {
			row += c.set(c.value(h, p.Number, stats))
		}
		lines = append(lines, row)
		if airy {
			lines = append(lines, "    "+e.styles.label.Render(missing(e, i, stats)), "")
		}
	}
	return lines
}

// missing names the ideas that were left out last time.
func missing(e *Env, point int, s drills.PointStats) string {
	var names []string
	for _, id := range s.Missing {
		if id >= 1 && id <= len(e.Points[point].Ideas) {
			names = append(names, e.Points[point].Ideas[id-1].Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "left out: " + strings.Join(names, ", ")
}

// column is one column of the table, to the right of the titles.
type column struct {
	name  string
	gap   int  // spaces before it
	width int  // cells
	right bool // numbers stand to the right
	value func(h *home, point int, s drills.PointStats) string
}

func (c column) set(text string) string {
	if c.right {
		return strings.Repeat(" ", c.gap) + right(text, c.width)
	}
	return strings.Repeat(" ", c.gap) + left(text, c.width)
}

type columns []column

// title is what is left for the titles.
func (cs columns) title(w int) int {
	for _, c := range cs {
		w -= c.gap + c.width
	}
	return max(10, min(w-4, 56))
}

// homeColumns are the columns that a screen has room for.
func homeColumns(w int) columns {
	said := column{"said", 2, 5, true, func(_ *home, _ int, s drills.PointStats) string { return said(s) }}
	quiz := column{"quiz", 3, 5, true, func(_ *home, _ int, s drills.PointStats) string { return score(s.QuizRight, s.QuizAsked) }}
	ready := column{"ready", 3, 6, true, func(h *home, _ int, s drills.PointStats) string { return h.ready(s) }}
	proved := column{"proved by", 3, 15, false, func(h *home, p int, _ drills.PointStats) string { return h.provedBy(p, 15) }}
	switch {
	case w >= 100:
		proved.width = w - 100 + 15
		proved.width = min(proved.width, 40)
		proved.value = func(h *home, p int, _ drills.PointStats) string { return h.provedBy(p, proved.width) }
		return columns{said, quiz, ready, proved}
	case w >= 76:
		return columns{said, quiz, proved}
	}
	said.width, proved.gap, proved.width, proved.name = 4, 2, 8, "proved"
	proved.value = func(h *home, p int, _ drills.PointStats) string { return h.provedBy(p, 8) }
	return columns{said, proved}
}

func (h *home) ready(s drills.PointStats) string {
	if h.known == nil {
		return "–"
	}
	return readiness(s.Readiness)
}

// readiness is predicted recall; a dash where no card was ever answered.
func readiness(share *float64) string {
	if share == nil || *share == 0 {
		return "–"
	}
	return percent(share)
}

// provedBy names the labs that were run and prove a point, in w cells: those
// that do not fit are counted.
func (h *home) provedBy(point, w int) string {
	if h.known == nil {
		return "–"
	}
	var names []string
	for _, l := range h.env.allLabs() {
		if slices.ContainsFunc(h.known.stats.Labs, func(s drills.LabStats) bool { return proves(l, s, point) }) {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return "–"
	}
	for n := len(names); n > 0; n-- {
		text := strings.Join(names[:n], ", ")
		if n < len(names) {
			text += fmt.Sprintf(" +%d", len(names)-n)
		}
		if len(text) <= w {
			return text
		}
	}
	return names[0]
}

// proves says whether one of these runs was of the lab and showed the point.
func proves(l labs.Lab, s drills.LabStats, point int) bool {
	return s.Lab == l.Name && slices.ContainsFunc(s.LateWrites(), func(late string) bool {
		return slices.Contains(l.Proves(s.Service, s.Store, late), point)
	})
}

func said(s drills.PointStats) string {
	if s.Attempts == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.Found, s.Of)
}

func score(right, asked int) string {
	if asked == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", right, asked)
}

// percent is a share in percent, a dash where there is none.
func percent(share *float64) string {
	if share == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100**share)
}
