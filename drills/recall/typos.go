package recall

import (
	"math/bits"
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
	if len(word) < 4 || word[0] < 'a' || word[0] > 'z' {
		return
	}
	for _, form := range inflected(word) {
		l.byInitial[word[0]] = append(l.byInitial[word[0]], target{form, lemma, letters(form)})
	}
}

// learnForms adds the irregular forms of the words that the rubric uses.
func (l *lexicon) learnForms(irregular map[string]string) {
	for base, forms := range irregular {
		lemma := l.lemma(base)
		if l.known[base] == "" && l.known[lemma] == "" {
			continue
		}
		for form := range strings.FieldsSeq(forms) {
			l.learn(form, lemma)
		}
	}
}

// target is a right spelling, the lemma it stands for and the letters it has.
type target struct {
	form, lemma string
	letters     uint32
}

// letters is the set of the letters of a word, a bit each. Words that are a slip
// or two apart differ in few of them, which is cheap to see.
func letters(word string) uint32 {
	var set uint32
	for _, r := range word {
		set |= 1 << (uint32(r) % 32)
	}
	return set
}

// inflected returns the regular forms of a word, so that a typo in any of them is
// one slip away from something.
func inflected(word string) []string {
	stem := strings.TrimSuffix(word, "e")
	return []string{word, word + "s", stem + "ing", stem + "ed"}
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
	best, bestCost, has := stem, tooFar, letters(word)
	initials := []byte{word[0]}
	if word[1] != word[0] && word[1] >= 'a' && word[1] <= 'z' {
		initials = append(initials, word[1]) // the first two letters swapped
	}
	for _, initial := range initials {
		for _, candidate := range l.byInitial[initial] {
			if bits.OnesCount32(has^candidate.letters) > 2*mostSlips {
				continue
			}
			if cost := typoCost(word, candidate.form); cost < bestCost {
				best, bestCost = candidate.lemma, cost
			}
		}
	}
	return best
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

// mostSlips is how many wrong letters a word may have at most.
const mostSlips = 2

// Costs of a misspelling: swapped neighbours are the commonest slip.
const (
	swapCost   = 1
	letterCost = 2 // a letter missing, added or wrong
	tooFar     = 3 * letterCost
)

// typoCost is what it takes to get from word to candidate, tooFar when there are
// more slips than the length allows.
func typoCost(word, candidate string) int {
	allowed := 1
	if len(candidate) >= 8 || len(candidate) >= 7 && len(word) >= 7 {
		allowed = mostSlips
	}
	diff := len(word) - len(candidate)
	if diff > allowed || -diff > allowed {
		return tooFar
	}
	if swapped(word, candidate) {
		return swapCost
	}
	if d := levenshtein.ComputeDistance(word, candidate); d <= allowed {
		return d * letterCost
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
