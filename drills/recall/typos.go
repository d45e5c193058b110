package recall

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// shortestTypo is the length from which a word may be a misspelling: below it,
// too many right words lie one letter apart.
const shortestTypo = 4

// learn adds a word of the rubric, with its lemma, to what typos are repaired
// towards.
func (l *lexicon) learn(word, lemma string) {
	if l.known[word] != "" {
		return
	}
	l.known[word] = lemma
	if len(word) >= 4 && word[0] >= 'a' && word[0] <= 'z' {
		l.byInitial[word[0]] = append(l.byInitial[word[0]], word)
	}
}

// repair returns the known word that word is a misspelling of, or word itself.
// Both the written form and its stem are tried, so that a typo may sit in an
// inflected form.
func (l *lexicon) repair(word, stem string) string {
	if len(word) < shortestTypo || l.known[word] != "" || l.known[stem] != "" || word[0] < 'a' || word[0] > 'z' {
		return stem
	}
	if base := l.positive(word); base != "" {
		return base
	}
	if l.everyday[word] || l.everyday[stem] {
		return stem
	}
	best, bestCost := stem, 3
	initials := []byte{word[0]}
	if word[1] != word[0] && word[1] >= 'a' && word[1] <= 'z' {
		initials = append(initials, word[1]) // the first two letters swapped
	}
	for _, initial := range initials {
		for _, candidate := range l.byInitial[initial] {
			cost := min(typoCost(word, candidate), typoCost(stem, candidate))
			if cost < bestCost {
				best, bestCost = candidate, cost
			}
		}
	}
	if bestCost == 3 {
		return stem
	}
	return l.known[best]
}

// positive returns the lemma of the known adjective that word compares: heavier,
// costliest.
func (l *lexicon) positive(word string) string {
	for _, ending := range []struct{ from, to string }{{"ier", "y"}, {"iest", "y"}, {"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}} {
		if base, ok := strings.CutSuffix(word, ending.from); ok && len(base) >= 3 && l.known[base+ending.to] != "" {
			return l.known[base+ending.to]
		}
	}
	return ""
}

// typoCost is the number of slips between two words, 3 when they are too far
// apart for their length. Two swapped letters are one slip.
func typoCost(word, candidate string) int {
	const tooFar = 3
	allowed := 1
	if len(candidate) >= 8 || len(candidate) >= 7 && len(word) >= 7 {
		allowed = 2
	}
	diff := len(word) - len(candidate)
	if diff > allowed || -diff > allowed || len(word) < 4 {
		return tooFar
	}
	if swapped(word, candidate) {
		return 1
	}
	if d := levenshtein.ComputeDistance(word, candidate); d <= allowed {
		return d
	}
	return tooFar
}

// swapped reports whether two neighbouring letters changed places, alone.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
