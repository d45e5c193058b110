package deck

import "strings"

// gapMark stands for a gap on the front. It does not tell how long the answer
// is, and Markdown leaves it alone.
const gapMark = "[...]"

// piece is a run of a cloze text; a gap, or what stands between gaps.
type piece struct {
	text string
	gap  bool
}

// split cuts a text at its [gaps] and counts them. Brackets that are a link, an
// image, a footnote or escaped are left as they are.
func split(text string) ([]piece, int) {
	var parts []piece
	gaps, from := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if text[i] != '[' {
			continue
		}
		end := strings.IndexByte(text[i:], ']')
		if end < 0 {
			break
		}
		end += i
		if isGap(text, i, end) {
			parts = append(parts, piece{text: text[from:i]}, piece{text: text[i+1 : end], gap: true})
			gaps++
			from = end + 1
		}
		i = end
	}
	return append(parts, piece{text: text[from:]}), gaps
}

func isGap(text string, open, end int) bool {
	inner := strings.TrimSpace(text[open+1 : end])
	switch {
	case inner == "" || strings.HasPrefix(inner, "^") || strings.Contains(inner, "["):
		return false
	case open > 0 && text[open-1] == '!':
		return false
	}
	return end+1 >= len(text) || text[end+1] != '('
}

// fill puts the sentence together: with the gap of that number open, with all
// open for allGaps, with none for -1.
func fill(parts []piece, open int) string {
	var b strings.Builder
	n := 0
	for _, p := range parts {
		switch {
		case !p.gap:
			b.WriteString(p.text)
			continue
		case open == n || open == allGaps:
			b.WriteString(gapMark)
		default:
			b.WriteString(p.text)
		}
		n++
	}
	return strings.TrimSpace(b.String())
}

const allGaps = -2

// gapText is the answer of one gap.
func gapText(parts []piece, gap int) string {
	for _, p := range parts {
		if p.gap {
			if gap == 0 {
				return p.text
			}
			gap--
		}
	}
	return ""
}
