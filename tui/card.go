package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// markdown is how the parts of a card look.
func (e *Env) markdown() deck.Styles {
	strong := func(s string) string { return e.styles.strong.Render(s) }
	return deck.Styles{Strong: strong, Heading: strong}
}

func (d *drill) body(w, h int) string {
	d.scroll.page = 0
	switch d.stage {
	case drillLoading:
		return ""
	case drillOver:
		return strings.Join(d.ending(), "\n")
	}
	question := indent(d.env.markdown().Render(d.card.Question(), measure(w)), 3)
	if d.stage == drillAsked {
		if len(question) <= h {
			return strings.Join(question, "\n")
		}
		return d.env.pages(&d.scroll, question, w, h)
	}
	return d.revealed(question, d.answer(w), w, h)
}

// answer is the back of the card and what it rests on.
func (d *drill) answer(w int) []string {
	e := d.env
	lines := e.markdown().Render(d.card.Answer(), measure(w))
	if d.picked != "" {
		lines = append([]string{e.styles.strong.Render(d.card.Picked(d.picked)), ""}, lines...)
	}
	rests := ""
	if d.card.Source != "" {
		rests = deck.CleanLine(d.card.Source)
	}
	if d.card.Lab == "" && d.card.NoLab != "" {
		rests = strings.TrimPrefix(rests+"; not shown by a lab: "+deck.CleanLine(d.card.NoLab), "; ")
	}
	if rests != "" {
		lines = append(lines, "")
		for _, l := range wrap(rests, measure(w)) {
			lines = append(lines, e.styles.label.Render(l))
		}
	}
	return indent(lines, 3)
}

// revealed keeps the question in sight: whole if it is short, else the end of it
// on a third of the screen. Moving up goes through the answer, then the question.
func (d *drill) revealed(question, answer []string, w, h int) string {
	above := min(len(question), max(2, h/3))
	below := max(1, h-above-3)
	hidden := len(question) - above
	if len(question)+len(answer)+3 <= h {
		above, below, hidden = len(question), len(answer), 0
		d.scroll.top = 0
	} else {
		d.scroll.page = below
	}
	if d.fresh { // a long question ends in what is asked
		d.scroll.top = hidden
	}
	d.scroll.top = max(0, min(d.scroll.top, hidden+max(0, len(answer)-below)))
	q := min(d.scroll.top, hidden)
	a := d.scroll.top - q
	where := strings.TrimSpace(place("question", q, above, len(question)) + "  " + place("answer", a, below, len(answer)))
	lines := append(slices.Clone(question[q:q+above]), "", d.ruled(where, w), "")
	lines = append(lines, answer[a:min(len(answer), a+below)]...)
	return strings.Join(lines, "\n")
}

// place says which lines of a part are in sight; "" if all are.
func place(part string, from, shown, n int) string {
	if n <= shown {
		return ""
	}
	return fmt.Sprintf("%s %d–%d of %d", part, from+1, min(n, from+shown), n)
}

// ruled is a rule that ends in a note.
func (d *drill) ruled(note string, w int) string {
	e := d.env
	if note == "" {
		return "   " + e.styles.rule.Render(strings.Repeat("─", max(1, w-6)))
	}
	n := max(1, w-8-len([]rune(note)))
	return "   " + e.styles.rule.Render(strings.Repeat("─", n)) + "  " + e.styles.label.Render(note)
}

// ending says what was done and what comes when.
func (d *drill) ending() []string {
	e := d.env
	if len(d.graded) == 0 && !d.busy && d.session.Done() == 0 {
		return indent([]string{e.styles.strong.Render("Nothing waits."), "", "What you know is not asked before its day."}, 3)
	}
	lines := []string{e.styles.strong.Render(drills.Plural(len(d.graded), "card") + " answered."), ""}
	counts := map[progress.Grade]int{}
	for _, g := range d.graded {
		counts[g.grade]++
	}
	for _, g := range progress.Grades {
		if counts[g] > 0 {
			lines = append(lines, fmt.Sprintf("%s%3d", e.styles.label.Render(left(g.String(), 18)), counts[g]))
		}
	}
	lines = append(lines, "")
	for _, b := range d.comingBack() {
		lines = append(lines, fmt.Sprintf("%s%3d", e.styles.label.Render(left(b.when, 18)), b.cards))
	}
	if !d.busy {
		if n, first := d.session.Soon(); n > 0 {
			lines = append(lines, "", "The first comes back at "+clockTime(first, e.Clock.Now())+".")
		}
	}
	return indent(lines, 3)
}

// clockTime is the time of day of t where now is.
func clockTime(t, now time.Time) string { return t.In(now.Location()).Format("15:04") }

type backOn struct {
	when  string
	order int
	cards int
}

// comingBack counts the answered cards by when they come back.
func (d *drill) comingBack() []backOn {
	now := d.env.Clock.Now()
	var out []backOn
	for _, g := range d.graded {
		b := whenBack(g.due, now)
		i := slices.IndexFunc(out, func(o backOn) bool { return o.when == b.when })
		if i < 0 {
			out = append(out, b)
			i = len(out) - 1
		}
		out[i].cards++
	}
	slices.SortFunc(out, func(a, b backOn) int { return cmp.Compare(a.order, b.order) })
	return out
}

func whenBack(due, now time.Time) backOn {
	today := progress.DayOf(now)
	switch day := progress.DayOf(due.In(now.Location())); {
	case day <= today:
		return backOn{when: "back today", order: 0}
	case day.Before() == today:
		return backOn{when: "back tomorrow", order: 1}
	case due.Sub(now) < 7*24*time.Hour:
		return backOn{when: "within a week", order: 2}
	case due.Sub(now) < 30*24*time.Hour:
		return backOn{when: "within a month", order: 3}
	}
	return backOn{when: "later", order: 4}
}
