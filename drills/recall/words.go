package recall

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// lexicon turns written words into lemmas: it spells out contractions and
// abbreviations, undoes irregular forms, stems, and repairs typos towards the
// words that the rubric knows.
type lexicon struct {
	abbreviations map[string][]string
	irregular     map[string]string // "woke": "wake"
	fillers       map[string]bool   // words that no pattern looks at
	everyday      map[string]bool   // right words that look like a typo of ours
	known         map[string]string // the words of the patterns, and their lemmas
	byInitial     map[byte][]target // known words, for typos
}

// lemma is the form under which patterns compare a word.
func (l *lexicon) lemma(word string) string {
	if base, ok := l.irregular[word]; ok {
		word = base
	}
	if len(word) < 3 || word[0] < 'a' || word[0] > 'z' {
		return word
	}
	return english.Stem(word, true)
}

// spellOut gives the words that one written word stands for; word is written in
// lower case.
func (l *lexicon) spellOut(word, written string) []string {
	if written == "A" {
		return []string{workerA}
	}
	if parts := camelParts(written); len(parts) > 1 && l.known[word] == "" {
		return parts // IsHeld, newKey
	}
	if number := strings.TrimRight(word, "smh"); number != "" && isDigit(number[len(number)-1]) {
		if unit, ok := durations[word[len(number):]]; ok {
			return []string{number, unit} // 30s, 5ms
		}
	}
	if long, ok := l.abbreviations[word]; ok {
		return long
	}
	if base, ok := strings.CutSuffix(word, "n't"); ok && base != "" {
		return []string{negatedVerb(base), "not"}
	}
	head, tail, found := strings.Cut(word, "'")
	if !found {
		return []string{word}
	}
	switch tail {
	case "s":
		if pronounLike[head] {
			return []string{head, "is"}
		}
		return []string{head}
	case "re":
		return []string{head, "are"}
	case "ll":
		return []string{head, "will"}
	case "ve":
		return []string{head, "have"}
	case "d":
		return []string{head, "would"}
	case "m":
		return []string{head, "am"}
	}
	return []string{head, tail}
}

// durations are the units that are written right behind a number.
var durations = map[string]string{"s": "seconds", "ms": "milliseconds", "m": "minutes", "h": "hours"}

var pronounLike = map[string]bool{
	"it": true, "he": true, "she": true, "that": true, "there": true, "what": true, "who": true,
	"here": true, "where": true, "how": true, "nobody": true, "everybody": true, "this": true,
}

func negatedVerb(base string) string {
	switch base {
	case "ca":
		return "can"
	case "wo":
		return "will"
	case "sha":
		return "shall"
	}
	return base
}

// camelParts cuts a name of code at its capitals and returns the parts in lower
// case.
func camelParts(written string) []string {
	var parts []string
	from, lower := 0, false
	for i, r := range written {
		if lower && unicode.IsUpper(r) {
			parts = append(parts, strings.ToLower(written[from:i]))
			from = i
		}
		lower = unicode.IsLower(r)
	}
	return append(parts, strings.ToLower(written[from:]))
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
