package recall

import (
	"strings"
	"unicode/utf8"
)

// idea looks for a rule's idea in what the answer states or tells, including
// what it reports of others, but not in what it calls untrue.
func (a *reading) idea(r rule) (span, bool) { return a.judge(r, rejected|listed) }

// wrong looks for a rule's statement in what the answer itself asserts.
func (a *reading) wrong(r rule) (span, bool) {
	return a.judge(r, rejected|reported|denied|asked|listed)
}

// judge returns where the first counting match of a rule lies.
func (a *reading) judge(r rule, disqualifying stance) (span, bool) {
	taken := a.takenElsewhere(r)
	for _, p := range r.any {
		for _, m := range a.matches(p) {
			if !a.hasStance(m, disqualifying) && !overlaps(m, taken) && !a.takenBack(m, r.unless) {
				return m.bounds(), true
			}
		}
	}
	return span{}, false
}

// takenElsewhere returns the matches of the patterns whose words mean something
// else.
func (a *reading) takenElsewhere(r rule) []match {
	var out []match
	for _, p := range r.except {
		out = append(out, a.matches(p)...)
	}
	for _, p := range r.claims {
		for _, m := range a.matches(p) {
			if !a.hasStance(m, asked|denied|rejected) {
				out = append(out, m)
			}
		}
	}
	return out
}

func (a *reading) hasStance(m match, s stance) bool {
	for _, e := range m {
		bad := s
		if e.topic {
			bad &= listed
		}
		for i := e.from; i < e.to; i++ {
			if a.tokens[i].stance&bad != 0 {
				return true
			}
		}
	}
	return false
}

// overlaps reports whether an element of m shares a word with an element of one
// of the others.
func overlaps(m match, others []match) bool {
	for _, other := range others {
		for _, o := range other {
			for _, e := range m {
				if e.from < o.to && o.from < e.to {
					return true
				}
			}
		}
	}
	return false
}

// takenBack reports whether an unless pattern starts in the match or up to two
// sentences after it.
func (a *reading) takenBack(m match, unless []pattern) bool {
	at := m.bounds()
	last := a.tokens[at.to-1].sentence
	for _, p := range unless {
		for _, u := range a.matches(p) {
			if b := u.bounds(); b.from >= at.from && a.tokens[b.from].sentence <= last+nearbySentences {
				return true
			}
		}
	}
	return false
}

// longestQuote bounds a quote, in bytes, before it is cut to the matched words.
const longestQuote = 160

// quote returns the learner's words for a match: the clauses it lies in, or only
// the matched words when the clauses are long.
func (a *reading) quote(at span) string {
	if at.to == 0 {
		return ""
	}
	first, last := at.from, at.to-1
	for first > 0 && a.tokens[first-1].clause == a.tokens[at.from].clause {
		first--
	}
	for last+1 < len(a.tokens) && a.tokens[last+1].clause == a.tokens[at.to-1].clause {
		last++
	}
	start := 0
	if first > 0 {
		start = a.tokens[first-1].end
	}
	whole := strings.TrimLeftFunc(a.answer[start:a.tokens[last].end], func(r rune) bool { return !isWordRune(r) })
	if utf8.RuneCountInString(whole) <= longestQuote {
		return whole
	}
	return a.answer[a.tokens[at.from].start:a.tokens[at.to-1].end]
}
