package labs

import (
	"fmt"
	"io"
	"strings"
)

// markdownWidth is the width of the lanes in a report.
const markdownWidth = 110

// WriteMarkdown writes a report of the run: what was run, the lanes, the
// timeline, the verdict and what to say.
func (r Result) WriteMarkdown(w io.Writer, l Lesson) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Lab %s: %s, store %s\n\n", r.Lab, r.Options.Service, r.Options.Store)
	if spec, err := Named(r.Lab); err == nil {
		fmt.Fprintf(&b, "%s\n\n", spec.Question)
	}
	r.facts(&b)
	b.WriteString("## Belief and truth\n\n```text\n")
	r.lanes(&b, markdownWidth)
	b.WriteString("```\n\n## Timeline\n\n```text\n")
	r.listEvents(&b)
	b.WriteString("```\n\n## Verdict\n\n| check | verdict | events |\n|---|---|---|\n")
	for _, c := range r.Verdict.Checks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, c.Verdict, seqs(c.Witness))
	}
	fmt.Fprintf(&b, "| late write | %s | |\n\n", r.Verdict.LateWrite)
	for _, lost := range r.Verdict.Lost {
		fmt.Fprintf(&b, "- Lost: %s's `%s`, overwritten by %s at event %d.\n", lost.Writer, lost.Value, lost.By, lost.Seq)
	}
	b.WriteString("\n## What to say\n\n")
	for _, line := range []string{l.What, l.Why} {
		if line != "" {
			b.WriteString(line + "\n\n")
		}
	}
	if l.Room != "" {
		fmt.Fprintf(&b, "> %s\n", l.Room)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// facts are the conditions of the run.
func (r Result) facts(b *strings.Builder) {
	for _, f := range r.flagged() {
		fmt.Fprintf(b, "- `%s`\n", f)
	}
	if r.Granted > 0 {
		fmt.Fprintf(b, "- lease: %s granted, %s asked\n", Span(r.Granted), Span(r.Options.TTL))
	}
	for _, s := range r.Simulated {
		fmt.Fprintf(b, "- simulated: %s\n", s)
	}
	if m := lastMeasure(r.Events); m.Seq > 0 {
		fmt.Fprintf(b, "- measured: %s\n", m.Detail)
	}
	fmt.Fprintf(b, "- took %s\n\n", Span(r.Wall))
}
