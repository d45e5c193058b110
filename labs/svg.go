package labs

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// Measures of a picture, in pixels.
const (
	svgCells  = 100
	svgCell   = 8  // one column
	svgRow    = 20 // one lane
	svgMargin = 12
	svgLabel  = 130
)

// svgStyle uses colours that stand out on white, and others where the reader's
// scheme is dark. No colour carries a meaning that the text does not.
const svgStyle = `<style>
text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}
.c1{fill:#59636e}.c2,.c6{fill:#0550ae}.c3{fill:#b42318;font-weight:bold}.c4{fill:#59636e}.c5{fill:#818b98}
.c7{fill:#59636e}.c8,.c10{fill:#b42318}.c9{fill:#116329}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.c1,.c4,.c7{fill:#9198a1}.c2,.c6{fill:#79c0ff}.c3,.c8,.c10{fill:#ff9389}.c5{fill:#6e7681}.c9{fill:#7ee787}}
</style>
`

// WriteSVG draws the lanes, belief against truth, with the verdict beneath.
func (r Result) WriteSVG(w io.Writer, l Lesson) error {
	lanes := Draw(r.Events, r.Ended(), svgCells)
	captions := r.captions(l)
	width := 2*svgMargin + svgLabel + svgCells*svgCell + NoteWidth*svgCell
	height := 2*svgMargin + (len(lanes)+len(captions)+2)*svgRow
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", width, height, width, height)
	title := fmt.Sprintf("lab %s, %s, store %s", r.Lab, r.Options.Service, r.Options.Store)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", html.EscapeString(title), svgStyle)
	y := svgMargin + svgRow
	svgText(&b, svgMargin, y, Plain, title, 0)
	for _, lane := range lanes {
		y += svgRow
		svgLane(&b, lane, y)
	}
	y += svgRow
	for _, c := range captions {
		y += svgRow
		svgText(&b, svgMargin, y, Plain, c, 0)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// captions are the verdict in lines that fit.
func (r Result) captions(l Lesson) []string {
	lines := []string{l.What}
	for _, c := range r.Verdict.Checks {
		if c.Verdict == Broken {
			lines = append(lines, "broken: "+c.Name)
		}
	}
	return append(lines, "late write: "+r.Verdict.LateWrite)
}

func svgLane(b *strings.Builder, lane Lane, y int) {
	svgText(b, svgMargin, y, Plain, fmt.Sprintf("%-8s%s", lane.Who, lane.What), 0)
	for i := 0; i < len(lane.Cells); {
		j := i
		var run strings.Builder
		for j < len(lane.Cells) && lane.Cells[j].Class == lane.Cells[i].Class {
			run.WriteRune(lane.Cells[j].Rune)
			j++
		}
		if text := run.String(); strings.TrimSpace(text) != "" {
			svgText(b, svgMargin+svgLabel+i*svgCell, y, lane.Cells[i].Class, text, (j-i)*svgCell)
		}
		i = j
	}
	if lane.Note != "" {
		svgText(b, svgMargin+svgLabel+(len(lane.Cells)+1)*svgCell, y, Overstay, lane.Note, 0)
	}
}

// svgText writes text at a place; a length holds it to its columns whatever the
// font.
func svgText(b *strings.Builder, x, y int, c Class, text string, length int) {
	fit := ""
	if length > 0 {
		fit = fmt.Sprintf(` textLength="%d" lengthAdjust="spacingAndGlyphs"`, length)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" class="c%d" xml:space="preserve"%s>%s</text>`+"\n", x, y, c, fit, html.EscapeString(text))
}
