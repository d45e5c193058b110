package recall

import "slices"

// span is a run of tokens, from inclusive, to exclusive.
type span struct{ from, to int }

// maxMatches bounds the work on one group: an answer that says a thing a hundred
// times has said it.
const maxMatches = 64

// find returns where a concept or a lemma stands, in order.
func (a *reading) find(t term) []span {
	if t.concept >= 0 {
		return a.concepts[t.concept]
	}
	return a.words[t.lemma]
}

// locate fills the spans of a concept from its phrases.
func (a *reading) locate(c concept) []span {
	var out []span
	for _, phrase := range c.phrases {
		for _, start := range a.find(phrase[0]) {
			if end := a.continuePhrase(start.to, phrase[1:]); end > 0 {
				out = append(out, span{start.from, end})
			}
		}
	}
	sortSpans(out)
	return slices.Compact(out)
}

// continuePhrase follows the rest of a phrase from token at on and returns its
// end, or 0. Phrases stay inside one sentence.
func (a *reading) continuePhrase(at int, rest []term) int {
	if len(rest) == 0 {
		return at
	}
	if rest[0] == anyWords {
		for skip := range mostAnyWords + 1 {
			if end := a.continuePhrase(at+skip, rest[1:]); end > 0 {
				return end
			}
			if at+skip >= len(a.tokens) || a.tokens[at+skip].cut {
				return 0
			}
		}
		return 0
	}
	next := a.endOf(rest[0], at)
	if next == 0 || a.tokens[next-1].sentence != a.tokens[at-1].sentence {
		return 0
	}
	return a.continuePhrase(next, rest[1:])
}

// endOf returns where t ends if it starts at token at, or 0.
func (a *reading) endOf(t term, at int) int {
	if t.concept < 0 {
		if at < len(a.tokens) && (a.tokens[at].lemma == t.lemma || a.tokens[at].exact == t.lemma) {
			return at + 1
		}
		return 0
	}
	best := 0
	spans := a.concepts[t.concept]
	for i := firstFrom(spans, at); i < len(spans) && spans[i].from == at; i++ {
		best = max(best, spans[i].to)
	}
	return best
}

// match is one way in which a pattern is found: the spans of its elements.
type match []part

// part is where one element of a pattern was found; a topic is only mentioned,
// whatever the answer says about it.
type part struct {
	span
	topic bool
}

func (m match) bounds() span {
	b := m[0].span
	for _, s := range m {
		b.from, b.to = min(b.from, s.from), max(b.to, s.to)
	}
	return b
}

// matches returns where the pattern is found, at most maxMatches ways.
func (a *reading) matches(p pattern) []match {
	found := a.group(p.groups[0])
	for _, g := range p.groups[1:] {
		if len(found) == 0 {
			return nil
		}
		found = a.join(found, a.group(g), g.join)
	}
	return found
}

func (a *reading) join(left, right []match, j joint) []match {
	var out []match
	for _, l := range left {
		for _, r := range right {
			if !a.joins(l.bounds(), r.bounds(), j) {
				continue
			}
			out = append(out, append(append(match{}, l...), r...))
			if len(out) == maxMatches {
				return out
			}
		}
	}
	return out
}

// nearby bounds how far two parts of a pattern may lie apart, in sentences and,
// for answers without full stops, in words.
const (
	nearbySentences = 2
	nearbyWords     = 60
	unpunctuated    = 26 // a sentence without stops counts as several
)

func (a *reading) joins(l, r span, j joint) bool {
	if l.from < r.to && r.from < l.to {
		return false
	}
	apart := a.tokens[r.from].sentence - a.tokens[l.from].sentence
	words := max(r.from-l.to, l.from-r.to)
	switch j {
	case sameSentence:
		return apart == 0 && words <= unpunctuated
	case laterSentence:
		return r.from >= l.to && apart <= nearbySentences && words <= nearbyWords
	}
	return max(apart, -apart) <= nearbySentences && words <= nearbyWords
}

// group finds the runs of elements that fit a group.
func (a *reading) group(g group) []match {
	var out []match
	for _, c := range a.candidates(g.elements[0]) {
		if a.polarityFits(c.span, c.polarity, nil) {
			a.follow(g.elements[1:], match{c.part()}, &out)
		}
		if len(out) >= maxMatches {
			break
		}
	}
	return out
}

// follow extends a partial match by the remaining elements.
func (a *reading) follow(rest []element, so match, out *[]match) {
	if len(rest) == 0 {
		*out = append(*out, append(match{}, so...))
		return
	}
	e, last := rest[0], so[len(so)-1]
	for _, c := range a.within(e, last.span) {
		if len(*out) >= maxMatches {
			return
		}
		if a.polarityFits(c.span, c.polarity, so) && !a.anyIn(e.forbidden, span{last.to, c.from}) {
			a.follow(rest[1:], append(so, c.part()), out)
		}
	}
}

// candidate is a place where an element may stand, if the polarity fits.
type candidate struct {
	span
	polarity polarity
}

func (c candidate) part() part { return part{c.span, c.polarity == either} }

// candidates merges the alternatives of an element, in order.
func (a *reading) candidates(e element) []candidate {
	var out []candidate
	for _, alt := range e.alternatives {
		for _, s := range a.find(alt.term) {
			out = append(out, candidate{s, alt.polarity})
		}
	}
	sortCandidates(out)
	return out
}

// within returns the candidates of an element that lie in its gap after last.
func (a *reading) within(e element, last span) []candidate {
	var out []candidate
	for _, alt := range e.alternatives {
		spans := a.find(alt.term)
		for i := firstFrom(spans, last.to); i < len(spans); i++ {
			s := spans[i]
			if s.from-last.to > e.gap || a.tokens[s.from].sentence != a.tokens[last.from].sentence ||
				e.oneClause && a.tokens[s.from].clause != a.tokens[last.to-1].clause {
				break
			}
			out = append(out, candidate{s, alt.polarity})
		}
	}
	sortCandidates(out)
	return out
}

// anyIn reports whether one of the terms starts inside the gap.
func (a *reading) anyIn(terms []term, gap span) bool {
	for _, t := range terms {
		spans := a.find(t)
		if i := firstFrom(spans, gap.from); i < len(spans) && spans[i].from < gap.to {
			return true
		}
	}
	return false
}

// polarityFits compares the negators over a span with what is wanted. A negator
// inside the span ("does not know") or inside an element before it ("no point in
// ...") is part of the wording and does not count.
func (a *reading) polarityFits(s span, want polarity, before match) bool {
	if want == either {
		return true
	}
	odd := false
	for _, n := range a.tokens[s.from].negBy {
		if !s.holds(n) && !before.hold(n) {
			odd = !odd
		}
	}
	return odd == (want == negated)
}

func (m match) hold(i int) bool {
	for _, s := range m {
		if s.holds(i) {
			return true
		}
	}
	return false
}
