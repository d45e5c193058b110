package deck

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Styles says how the parts of a rendered text look. Each function gets a run
// of text within one line and may add escape codes to it, but no width. The
// zero value adds nothing.
type Styles struct {
	Strong, Emphasis, Code, Heading func(string) string
}

// Render turns Markdown into plain lines for a terminal, none of them wider
// than width cells (1 at least), without a trailing newline and without escape
// codes. A line break after the end of a sentence is kept, since a card's answer
// is spoken line by line; one inside a sentence is white space. Control characters are made visible, also those that hide in
// entities (&#27;), and so is HTML.
func Render(md string, width int) []string {
	return Styles{}.Render(md, width)
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// Render is the function Render with these styles.
func (s Styles) Render(md string, width int) []string {
	p := painter{src: []byte(Clean(md)), width: max(width, 1)}
	p.blocks(markdown.Parser().Parse(text.NewReader(p.src)), prefix{})
	out := make([]string, len(p.lines))
	for i, l := range p.lines {
		out[i] = strings.TrimRight(s.paint(l), " ")
	}
	return out
}

func (s Styles) paint(spans []span) string {
	var b strings.Builder
	for _, sp := range spans {
		if f := s.of(sp.look); f != nil {
			b.WriteString(f(sp.text))
		} else {
			b.WriteString(sp.text)
		}
	}
	return b.String()
}

func (s Styles) of(l look) func(string) string {
	switch l {
	case strong:
		return s.Strong
	case emphasis:
		return s.Emphasis
	case code:
		return s.Code
	case heading:
		return s.Heading
	}
	return nil
}

// painter lays out the blocks of one document.
type painter struct {
	src   []byte
	width int
	lines [][]span
}

// prefix stands before every line of a block: a list mark before its first
// line, the indent of what encloses it before the others.
type prefix struct {
	first, rest string
}

func (p prefix) then(first, rest string) prefix {
	const most = 256 // bytes; deeper than any screen is wide
	if len(p.rest) > most {
		return p
	}
	return prefix{first: p.first + first, rest: p.rest + rest}
}

// room is what prefixes may take of the width: a text nested deeper than that
// stays readable and loses only its indent.
func (p *painter) room(pre prefix) prefix {
	if cells(pre.first) > p.width/2 || cells(pre.rest) > p.width/2 {
		return prefix{}
	}
	return pre
}

// blocks lays out the children of n, the first with pre.first, with an empty
// line between them unless n is a tight list.
func (p *painter) blocks(n ast.Node, pre prefix) {
	list, _ := n.(*ast.List)
	number := 1
	if list != nil {
		number = list.Start
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != n.FirstChild() && !tight(n, c) {
			p.lines = append(p.lines, nil)
		}
		p.block(c, pre, number)
		number++
		pre.first = pre.rest
	}
}

// tight reports whether c follows the block before it without an empty line.
func tight(parent, c ast.Node) bool {
	if list, ok := parent.(*ast.List); ok {
		return list.IsTight
	}
	list, ok := c.(*ast.List)
	return ok && parent.Kind() == ast.KindListItem && list.IsTight
}

func (p *painter) block(n ast.Node, pre prefix, number int) {
	switch n := n.(type) {
	case *ast.List, *ast.Document:
		p.blocks(n, pre)
	case *ast.ListItem:
		mark := listMark(n, number)
		p.blocks(n, pre.then(mark, strings.Repeat(" ", len(mark))))
		if !n.HasChildren() {
			p.flow(pre.then(mark, ""), nil)
		}
	case *ast.Blockquote:
		p.blocks(n, pre.then("| ", "| "))
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		p.code(n, pre.then("  ", "  "))
	case *ast.HTMLBlock:
		p.html(n, pre)
	case *ast.ThematicBreak:
		p.flow(pre, []span{{text: strings.Repeat("-", min(p.width, 20))}})
	case *ast.Heading:
		p.flow(pre, p.inline(n, heading))
	case *east.Table:
		p.table(n, pre)
	default:
		p.flow(pre, p.inline(n, plain))
	}
}

func listMark(n *ast.ListItem, number int) string {
	if list, ok := n.Parent().(*ast.List); ok && list.IsOrdered() {
		return itoa(number) + ". "
	}
	return "- "
}

// flow wraps the spans of a block into lines.
func (p *painter) flow(pre prefix, spans []span) {
	pre = p.room(pre)
	p.put(pre, wrap(spans, p.width-max(cells(pre.first), cells(pre.rest))))
}

func (p *painter) put(pre prefix, lines [][]span) {
	for i, l := range lines {
		lead := pre.rest
		if i == 0 {
			lead = pre.first
		}
		p.lines = append(p.lines, append([]span{{text: lead}}, l...))
	}
}

// code keeps the lines of a code block; too long ones go on in the next line.
func (p *painter) code(n ast.Node, pre prefix) {
	pre = p.room(pre)
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		row := strings.TrimRight(string(seg.Value(p.src)), "\n")
		row = strings.ReplaceAll(Clean(row), "\t", "    ")
		p.put(pre, chop([]span{{text: row, look: code}}, p.width-max(cells(pre.first), cells(pre.rest))))
		pre.first = pre.rest
	}
}

// html shows HTML as the text it is: a card about <C-c> is no web page.
func (p *painter) html(n *ast.HTMLBlock, pre prefix) {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(p.src))
	}
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(p.src))
	}
	p.flow(pre, []span{{text: strings.TrimRight(b.String(), "\n")}})
}

// inline collects the text under n.
func (p *painter) inline(n ast.Node, l look) []span {
	var spans []span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		spans = append(spans, p.spans(c, l)...)
	}
	return spans
}

func (p *painter) spans(n ast.Node, l look) []span {
	switch n := n.(type) {
	case *ast.Text:
		return []span{{text: entities(n.Value(p.src)) + lineBreak(n, p.src), look: l}}
	case *ast.String:
		return []span{{text: entities(n.Value), look: l}}
	case *ast.CodeSpan:
		return []span{{text: p.raw(n), look: code}}
	case *ast.Emphasis:
		return p.inline(n, max(l, look(n.Level)))
	case *ast.AutoLink:
		return []span{{text: Clean(string(n.Label(p.src))), look: l}}
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			seg := n.Segments.At(i)
			b.Write(seg.Value(p.src))
		}
		return []span{{text: b.String(), look: l}}
	case *ast.Image:
		return append(append([]span{{text: "[image: ", look: l}}, p.inline(n, l)...), span{text: "]", look: l})
	}
	return p.inline(n, l)
}

// lineBreak is what a line break in the source comes to: after the end of a
// sentence it stays, elsewhere the line was only full.
func lineBreak(n *ast.Text, src []byte) string {
	switch {
	case n.HardLineBreak():
		return "\n"
	case !n.SoftLineBreak():
		return ""
	case strings.ContainsAny(lastRune(src[:n.Segment.Stop]), ".?!:;…。？！：；"):
		return "\n"
	}
	return " "
}

// lastRune is the last character of a line, closing quotes and mark-up aside.
func lastRune(b []byte) string {
	const enough = 40 // bytes; more would make long texts slow
	s := strings.TrimRight(string(b[max(len(b)-enough, 0):]), " \t)\"'”’»*_`")
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

// raw is the text of a code span, in which nothing is an entity.
func (p *painter) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(p.src))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// entities resolves escapes and entities as HTML output would, and cleans what
// comes out: &#27; is an escape character.
func entities(b []byte) string {
	b = util.UnescapePunctuations(b)
	b = util.ResolveNumericReferences(b)
	return Clean(string(util.ResolveEntityNames(b)))
}
