package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// beside sets a column to the right of lines that are at most left wide.
func beside(lines []string, left int, right []string) string {
	n := max(len(lines), len(right))
	out := make([]string, n)
	for i := range out {
		if i < len(lines) {
			out[i] = lines[i]
		}
		if i < len(right) {
			gap := left + 2 - ansi.StringWidth(out[i])
			out[i] += strings.Repeat(" ", max(0, gap)) + right[i]
		}
	}
	return strings.Join(out, "\n")
}
