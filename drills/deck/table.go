package deck

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

const columnGap = "  "

// table lays out a table in columns or, where they do not fit, row by row with
// the column's name before each cell.
func (p *painter) table(n ast.Node, pre prefix) {
	cellsOf := p.cellTexts(n)
	pre = p.room(pre)
	widths := columns(cellsOf)
	if total(widths) > p.width-cells(pre.rest) {
		p.cards(cellsOf, pre)
		return
	}
	for i, row := range cellsOf {
		p.put(pre, [][]span{tableRow(row, widths)})
		pre.first = pre.rest
		if i == 0 {
			p.put(pre, [][]span{{{text: strings.Repeat("-", total(widths))}}})
		}
	}
}

// cellTexts are the cells of the head and the rows, on one line each.
func (p *painter) cellTexts(n ast.Node) [][][]span {
	var table [][][]span
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row [][]span
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, flat(p.inline(c, plain)))
		}
		table = append(table, row)
	}
	return table
}

// flat puts a cell on one line: a tab or a newline (&#10;) has no width that a
// column could count on.
func flat(spans []span) []span {
	for i := range spans {
		spans[i].text = strings.NewReplacer("\t", " ", "\n", " ").Replace(spans[i].text)
	}
	return spans
}

func columns(table [][][]span) []int {
	var widths []int
	for _, row := range table {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], measure(c))
		}
	}
	return widths
}

func total(widths []int) int {
	sum := len(columnGap) * max(len(widths)-1, 0)
	for _, w := range widths {
		sum += w
	}
	return sum
}

func tableRow(row [][]span, widths []int) []span {
	var line []span
	for i, c := range row {
		if i > 0 {
			line = append(line, span{text: columnGap})
		}
		line = append(line, c...)
		line = append(line, span{text: strings.Repeat(" ", widths[i]-measure(c))})
	}
	return line
}

// cards shows each row of a table as a block of "head: cell".
func (p *painter) cards(table [][][]span, pre prefix) {
	head := table[0]
	for i, row := range table[1:] {
		if i > 0 {
			p.put(pre, [][]span{nil})
		}
		for j, c := range row {
			text := append([]span(nil), c...)
			if j < len(head) && measure(head[j]) > 0 {
				text = append(append(append([]span(nil), head[j]...), span{text: ": "}), c...)
			}
			p.flow(prefix{pre.first, pre.rest}, text)
			pre.first = pre.rest
		}
	}
}
