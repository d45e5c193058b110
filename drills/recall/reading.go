package recall

import (
	"slices"
	"strconv"
	"strings"
)

// reading is an answer as the patterns see it: tokens with their negations and
// stance, and where each concept is mentioned.
type reading struct {
	answer   string
	tokens   []token
	words    map[string][]span // by lemma
	concepts [][]span          // by concept index
	asked    []bool            // by sentence: ends in a question mark
	written  int               // words and signs, fillers included
}

// read prepares an answer for patterns that look at the concepts in needs.
func (r *rubric) read(answer string, needs []bool) *reading {
	a := &reading{answer: answer, words: map[string][]span{}, concepts: make([][]span, len(r.concepts))}
	a.tokenise(r.lexicon)
	for i, t := range a.tokens {
		a.words[t.lemma] = append(a.words[t.lemma], span{i, i + 1})
		a.words[t.exact] = append(a.words[t.exact], span{i, i + 1})
	}
	for i, c := range r.concepts {
		if needs[i] {
			a.build(r, i, c)
		}
	}
	a.cutClauses()
	a.scopeNegation(r)
	a.takeStances(r)
	return a
}

// build fills the spans of one concept. The concepts that need more than phrases
// are built in.
func (a *reading) build(r *rubric, i int, c concept) {
	switch c.name {
	case conceptDigits:
		a.concepts[i] = a.digits()
	case conceptRisingNumbers:
		a.concepts[i] = a.risingNumbers()
	case "SERVICE":
		a.concepts[i] = a.notAfter(a.locate(c), a.concepts[r.id("STORE")])
	case conceptItStore:
		a.concepts[i] = a.pronounsOf(r.id("STORE"), r.id("SERVICE"))
	case conceptItService:
		a.concepts[i] = a.pronounsOf(r.id("SERVICE"), r.id("STORE"))
	case conceptItNumber:
		a.concepts[i] = a.pronounsOf(r.id("STAMP"), r.id("GRANTED"))
	default:
		a.concepts[i] = a.locate(c)
	}
}

// notAfter drops the spans that continue one of others: a "database server" is a
// database.
func (a *reading) notAfter(spans, others []span) []span {
	ends := map[int]bool{}
	for _, o := range others {
		ends[o.to] = true
	}
	return slices.DeleteFunc(spans, func(s span) bool { return ends[s.from] })
}

// tokenise spells the answer out into tokens and leaves out the fillers.
func (a *reading) tokenise(l *lexicon) {
	sentence, clause := 0, 0
	memo := map[string]token{}
	words := split(a.answer)
	a.written = len(words)
	for _, w := range words {
		for _, word := range l.spellOut(w.text, a.answer[w.start:w.end]) {
			if l.fillers[word] {
				continue
			}
			t, ok := memo[word]
			if !ok {
				t = l.token(word, len(memo) < mostRepairs)
				memo[word] = t
			}
			t.start, t.end, t.sentence, t.clause = w.start, w.end, sentence, clause
			a.tokens = append(a.tokens, t)
		}
		if w.breaks == joined {
			continue
		}
		if n := len(a.tokens); n > 0 {
			a.tokens[n-1].cut = true
		}
		clause++
		if w.breaks == sentenceBr {
			a.endSentence(&sentence, w.end)
		}
	}
}

// mostRepairs bounds the search for typos: an answer with more different words
// is not looked at more closely.
const mostRepairs = 600

// token is a word without its place.
func (l *lexicon) token(word string, repair bool) token {
	t := token{raw: word, exact: "^" + word, lemma: l.lemma(word)}
	if repair {
		t.lemma = l.repair(word, t.lemma)
	}
	return t
}

// workerA stands for a capital A, which names a worker more often than not; the
// article is a filler.
const workerA = "workera"

// endSentence closes the sentence that has tokens and notes whether it asks.
func (a *reading) endSentence(sentence *int, end int) {
	if n := len(a.tokens); n == 0 || a.tokens[n-1].sentence != *sentence {
		return
	}
	for len(a.asked) <= *sentence {
		a.asked = append(a.asked, false)
	}
	for i := end; i < len(a.answer) && i < end+4; i++ {
		switch a.answer[i] {
		case '?':
			a.asked[*sentence] = true
		case '!', '"', '\'', ')', ' ':
			continue
		}
		break
	}
	*sentence++
}

// The concepts that are computed, not listed.
const (
	conceptDigits        = "DIGITS"         // any number
	conceptRisingNumbers = "RISING_NUMBERS" // "12, the next one 13"
	conceptItStore       = "IT_STORE"       // a pronoun that stands for the store
	conceptItService     = "IT_SERVICE"     // a pronoun that stands for the lock service
	conceptItNumber      = "IT_NUMBER"      // a pronoun that stands for the token, not for the lease
)

func (a *reading) digits() []span {
	var out []span
	for i := range a.tokens {
		if _, words := a.number(i); words > 0 {
			out = append(out, span{i, i + words})
		}
	}
	return out
}

// risingNumbers finds two numbers near each other of which the second is a little
// greater, as tokens are in examples. Durations are none.
func (a *reading) risingNumbers() []span {
	const near = 14
	var out []span
	last, before := span{-near - 1, 0}, 0
	for i := 0; i < len(a.tokens); i++ {
		n, words := a.number(i)
		if words == 0 || i+words < len(a.tokens) && timeUnits[a.tokens[i+words].lemma] {
			continue
		}
		at := span{i, i + words}
		if i-last.from <= near && n > before && (n == before+1 || n <= before+before/10) {
			out = append(out, span{last.from, at.to})
		}
		last, before = at, n
		i += words - 1
	}
	return out
}

// number reads a number in digits or, up to ninety-nine, in words at token i and
// returns it with the count of its tokens, 0 when there is none. "one" alone is a
// pronoun.
func (a *reading) number(i int) (n, words int) {
	raw := a.tokens[i].raw
	if n, err := strconv.Atoi(strings.TrimLeft(raw, "v")); err == nil { // v12, too
		return n, 1
	}
	ten := slices.Index(tens, raw)
	if unit := slices.Index(units, raw); ten < 0 {
		return unit, min(max(unit, 0), 2) / 2 // "two" and up
	}
	if i+1 < len(a.tokens) {
		if unit := slices.Index(units, a.tokens[i+1].raw); unit > 0 && unit < 10 {
			return ten*10 + unit, 2
		}
	}
	return ten * 10, 1
}

var (
	units = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		"eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"}
	tens = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
)

var timeUnits = setOf("second", "minut", "hour", "millisecond", "day", "s", "m", "%")

var pronouns = map[string]bool{"it": true, "which": true, "that": true, "who": true, "they": true, "he": true, "she": true}

// pronounsOf finds the pronouns whose nearest noun before, in this sentence or
// the two before it, is of the concept want and not of the concept other.
func (a *reading) pronounsOf(want, other int) []span {
	var out []span
	for i, t := range a.tokens {
		if !pronouns[t.raw] {
			continue
		}
		w, o := a.lastBefore(want, i), a.lastBefore(other, i)
		if w > o && a.tokens[w].sentence >= t.sentence-nearbySentences {
			out = append(out, span{i, i + 1})
		}
	}
	return out
}

// lastBefore returns the token where the last mention of a concept before i
// starts, or -1.
func (a *reading) lastBefore(concept, i int) int {
	spans := a.concepts[concept]
	at := firstFrom(spans, i)
	if at == 0 {
		return -1
	}
	return spans[at-1].from
}
