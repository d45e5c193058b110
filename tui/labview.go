package tui

import (
	"fmt"
	"strings"
	"time"

	"lockdrill/drills/deck"
	"lockdrill/labs"
)

// Widths of the parts of a lab.
const (
	laneLabel = 16
	wireFrom  = 110 // columns from which the wire has a column of its own
	wireWidth = 44
)

// longest is how much of a run the lanes show at most.
const longest = 20 * time.Second

func (l *lab) body(w, h int) string {
	if l.run == nil {
		return "\n   " + l.env.styles.label.Render("starting the servers and the clients")
	}
	left := w
	if w >= wireFrom {
		left = w - wireWidth - 2
	}
	lines := append(l.lanes(left), "")
	lines = append(lines, l.below(left, h-len(lines))...)
	if left == w {
		return strings.Join(lines, "\n")
	}
	return beside(lines, left, l.wireColumn(wireWidth, h))
}

// window is the part of the run that is drawn: all of it, up to a limit.
func (l *lab) window() labs.Window {
	now := max(l.run.now, 2*time.Second)
	return labs.Window{From: max(0, now-longest), To: now}
}

func (l *lab) lanes(w int) []string {
	var lines []string
	cells := max(10, w-laneLabel-labs.NoteWidth)
	for _, lane := range labs.Draw(l.run.Events, l.window(), cells) {
		lines = append(lines, l.lane(lane))
	}
	return lines
}

func (l *lab) lane(lane labs.Lane) string {
	st := l.env.styles
	var b strings.Builder
	b.WriteString(" " + st.strong.Render(fmt.Sprintf("%-8s", lane.Who)) + st.label.Render(fmt.Sprintf("%-7s", lane.What)))
	for i := 0; i < len(lane.Cells); {
		j := i
		var run strings.Builder
		for j < len(lane.Cells) && lane.Cells[j].Class == lane.Cells[i].Class {
			run.WriteRune(lane.Cells[j].Rune)
			j++
		}
		b.WriteString(st.lane(lane.Cells[i].Class).Render(run.String()))
		i = j
	}
	if lane.Note != "" {
		b.WriteString(" " + st.accent.Render(lane.Note))
	}
	return b.String()
}

// below is what stands under the lanes: the selected event or the decisive
// moment, what the guide says, and what to make of it. Where there is too little
// room the explanation goes first.
func (l *lab) below(w, room int) []string {
	if l.typed != nil {
		return append(l.event(w), "", " "+l.typed.field.View())
	}
	if l.chosen >= 0 || l.wire {
		return append(l.noteLines(w), l.event(w)...)
	}
	box, why, rest := l.event(w), []string(nil), l.guideLines(w)
	if l.run.Verdict.Decided() {
		box = l.decisive(w)
		why = append([]string{""}, paragraph(l.run.lesson.Why, w)...)
		rest = append(rest, l.verdict(w)...)
	}
	box = append(l.noteLines(w), box...)
	if len(box)+len(why)+len(rest) > room {
		why = nil
	}
	return append(append(box, why...), rest...)
}

// noteLines are what the lab has to say about itself, above the rest.
func (l *lab) noteLines(w int) []string {
	if l.note == "" {
		return nil
	}
	return append(paragraph(l.env.styles.strong.Render(l.note), w), "")
}

// paragraph breaks text to the width of the screen, a column in.
func paragraph(text string, w int) []string {
	lines := wrap(text, w-2)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

func (l *lab) guideLines(w int) []string {
	if l.run.guide == nil {
		return nil
	}
	var lines []string
	for _, t := range l.run.guide.text(l.run.doing > 0) {
		lines = append(lines, paragraph(t, w)...)
	}
	if len(lines) > 0 {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// selected is the event that the screen explains: the one chosen, or the newest
// worth a word.
func (l *lab) selected() (labs.Event, bool) {
	if l.chosen >= 0 && l.chosen < len(l.run.Events) {
		return l.run.Events[l.chosen], true
	}
	for i := len(l.run.Events) - 1; i >= 0; i-- {
		if e := l.run.Events[i]; e.Op != labs.OpRenew || e.Type == labs.Fail {
			return e, true
		}
	}
	return labs.Event{}, false
}

// event explains the selected event in one line, and what went over the wire if
// that is asked for.
func (l *lab) event(w int) []string {
	e, ok := l.selected()
	if !ok {
		return nil
	}
	st := l.env.styles
	bar := st.accent.Render(" ▎ ")
	lines := []string{bar + st.label.Render(fmt.Sprintf("event %d of %d   %s", e.Seq, len(l.run.Events), labs.Span(e.At.Round(time.Millisecond))))}
	for _, part := range wrap(deck.CleanLine(e.Process+" "+labs.Explain(e)), w-4) {
		lines = append(lines, bar+part)
	}
	store := e.Process == labs.StoreName && e.Op == labs.OpWrite
	if w < wireFrom && (l.wire || store) {
		for _, part := range l.wireLines(e, w-4) {
			lines = append(lines, bar+part)
		}
	}
	return lines
}

// decisive is the moment that the run is about, with the statement that decided.
func (l *lab) decisive(w int) []string {
	r := l.run.Result
	bar := l.env.styles.accent.Render(" ▎ ")
	var lines []string
	for _, part := range wrap(l.run.lesson.What, w-4) {
		lines = append(lines, bar+l.env.styles.strong.Render(part))
	}
	if e, ok := r.Decisive(); ok && e.Process == labs.StoreName {
		for _, x := range e.Wire {
			for _, part := range wrap(deck.CleanLine(x.Request)+"   "+x.Reply, w-4) {
				lines = append(lines, bar+part)
			}
		}
	}
	return lines
}

// wireLines are the requests and replies of an event.
func (l *lab) wireLines(e labs.Event, w int) []string {
	if len(e.Wire) == 0 {
		return []string{l.env.styles.label.Render("nothing went over the wire for this event")}
	}
	var lines []string
	for _, x := range e.Wire {
		lines = append(lines, wrap(deck.CleanLine(x.Request), w)...)
		for _, part := range wrap(deck.CleanLine("→ "+x.Reply), w) {
			lines = append(lines, l.env.styles.label.Render(part))
		}
	}
	return lines
}

// onTheWire is the event whose wire is shown: the one chosen, the decisive one,
// or the newest that has any.
func (l *lab) onTheWire() (labs.Event, bool) {
	if l.chosen >= 0 {
		return l.selected()
	}
	if e, ok := l.run.Decisive(); ok && len(e.Wire) > 0 {
		return e, true
	}
	for i := len(l.run.Events) - 1; i >= 0; i-- {
		if e := l.run.Events[i]; len(e.Wire) > 0 {
			return e, true
		}
	}
	return labs.Event{}, false
}

// wireColumn is the wire of the selected event beside the lanes, where there is
// room for it.
func (l *lab) wireColumn(w, h int) []string {
	e, ok := l.onTheWire()
	if !ok {
		return nil
	}
	lines := append([]string{l.env.styles.label.Render(fmt.Sprintf("event %d on the wire", e.Seq)), ""}, l.wireLines(e, w)...)
	return lines[:min(len(lines), h)]
}

// verdict is what was lost, how the prediction did, and the sentence to say.
func (l *lab) verdict(w int) []string {
	st := l.env.styles
	lines := []string{""}
	for _, lost := range l.run.Verdict.Lost {
		lines = append(lines, fmt.Sprintf(" Lost: %s's %s, overwritten by %s.", lost.Writer, lost.Value, lost.By))
	}
	if g := l.run.guide; g != nil {
		if text := g.verdictOnPrediction(l.run.Verdict); text != "" {
			lines = append(lines, " "+st.strong.Render(text))
		}
	}
	if len(lines) > 1 {
		lines = append(lines, "")
	}
	for _, part := range paragraph(fmt.Sprintf("In the room: %q", l.run.lesson.Room), w) {
		lines = append(lines, st.strong.Render(part))
	}
	return lines
}
