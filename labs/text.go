package labs

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// listAtMost is how many events are printed; --json has the rest.
const listAtMost = 300

// laneLabel is the room to the left of the cells.
const laneLabel = 16

// Lesson is what a run of this lab has to say.
func (l Lab) Lesson(r Result) Lesson { return l.say(r) }

// WriteText writes a whole run for reading: what was run, the lanes, the events,
// the verdict and what to say of it. Lines of the lanes are at most width wide.
func (r Result) WriteText(w io.Writer, lesson Lesson, width int) error {
	var b strings.Builder
	r.head(&b)
	r.lanes(&b, width)
	r.listEvents(&b)
	r.listChecks(&b)
	r.tell(&b, lesson)
	_, err := io.WriteString(w, b.String())
	return err
}

// flagged are the flags that were set.
func (r Result) flagged() []string {
	if l, err := Named(r.Lab); err == nil {
		return l.Flagged(r.Options)
	}
	return nil
}

func (r Result) head(b *strings.Builder) {
	fmt.Fprintf(b, "lab %s   %s   store %s", r.Lab, r.Options.Service, r.Options.Store)
	for _, f := range r.flagged() {
		fmt.Fprintf(b, "   %s", f)
	}
	if r.Granted > 0 {
		fmt.Fprintf(b, "   lease %s", Span(r.Granted))
		if r.Granted != r.Options.TTL {
			fmt.Fprintf(b, " granted, %s asked", Span(r.Options.TTL))
		}
	}
	fmt.Fprintf(b, "   took %s\n", Span(r.Wall.Round(time.Millisecond)))
	for _, s := range r.Simulated {
		fmt.Fprintf(b, "simulated: %s\n", s)
	}
	b.WriteByte('\n')
}

// Ended is the window that shows the whole of a run, with a little air.
func (r Result) Ended() Window {
	if len(r.Events) == 0 {
		return Window{}
	}
	last := r.Events[len(r.Events)-1].At
	return Window{To: last + last/50 + time.Millisecond}
}

func (r Result) lanes(b *strings.Builder, width int) {
	for _, l := range Draw(r.Events, r.Ended(), max(20, width-laneLabel-NoteWidth)) {
		cells := make([]rune, len(l.Cells))
		for i, c := range l.Cells {
			cells[i] = c.Rune
		}
		line := fmt.Sprintf(" %-8s%-7s%s %s", l.Who, l.What, string(cells), l.Note)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteByte('\n')
}

func (r Result) listEvents(b *strings.Builder) {
	for i, e := range r.Events {
		if i == listAtMost {
			fmt.Fprintf(b, "     %d more events: --json has them all\n", len(r.Events)-i)
			break
		}
		fmt.Fprintf(b, "%4d %9.1f ms  %-8s %s\n", e.Seq, Milliseconds(e.At), e.Process, Explain(e))
		if e.Process == StoreName && e.Op == OpWrite {
			for _, x := range e.Wire {
				fmt.Fprintf(b, "%28s%s   %s\n", "", x.Request, x.Reply)
			}
		}
	}
	b.WriteByte('\n')
}

func (r Result) listChecks(b *strings.Builder) {
	if m := lastMeasure(r.Events); m.Seq > 0 {
		fmt.Fprintf(b, "measured        %s\n", m.Detail)
	}
	for _, c := range r.Verdict.Checks {
		if len(c.Witness) > 0 { // without a witness there was nothing to judge
			fmt.Fprintf(b, "%-15s %-8s events %s\n", c.Name, c.Verdict, seqs(c.Witness))
		}
	}
	fmt.Fprintf(b, "late write      %s\n", r.Verdict.LateWrite)
	for _, l := range r.Verdict.Lost {
		fmt.Fprintf(b, "lost            %s's %s (version %d of %s), overwritten by %s at event %d\n", l.Writer, l.Value, l.Version, l.Resource, l.By, l.Seq)
	}
	b.WriteByte('\n')
}

func seqs(all []int) string {
	const atMost = 20
	var words []string
	for _, n := range all[:min(len(all), atMost)] {
		words = append(words, fmt.Sprint(n))
	}
	text := strings.Join(words, ", ")
	if len(all) > atMost {
		text += fmt.Sprintf(" and %d more", len(all)-atMost)
	}
	return text
}

func (r Result) tell(b *strings.Builder, l Lesson) {
	for _, line := range []string{l.What, l.Why} {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	if l.Room != "" {
		fmt.Fprintf(b, "In the room: %q\n", l.Room)
	}
}
