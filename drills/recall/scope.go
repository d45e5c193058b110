package recall

import "strings"

// cutClauses starts a new clause at the words that open one (but, because,
// when, ...) and at "and" before a new subject.
func (a *reading) cutClauses() {
	added := 0
	for i := range a.tokens {
		t := &a.tokens[i]
		opens := clauseOpeners[t.raw] || joiners[t.raw] && i+1 < len(a.tokens) && subjects[a.tokens[i+1].raw]
		if opens && i > 0 {
			added++
		}
		t.clause += added
	}
}

var clauseOpeners = setOf("but", "because", "so", "since", "although", "though", "while", "when", "whenever",
	"if", "unless", "until", "till", "after", "before", "then", "therefore", "however", "whereas", "where",
	"once", "otherwise", "except", "yet", "hence", "plus", "->", "which", "who")

var joiners = setOf("and", "or", "only", "+")

// subjects open a clause of their own after "and". Articles and possessives are
// fillers and do not stand here.
var subjects = setOf("it", "he", "she", "they", "we", "you", "i", "this", "that", "these", "those", "each", "every",
	"then", "so", "somebody", "someone", "everybody", "everyone", "nobody", "there", workerA, "b", "both", "two",
	"another", "other", "database", "store", "db", "lock", "worker", "token", "when", "if", "second", "first", "use",
	"put", "next", "let", "make", "add")

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// longestScope is how many words a negator reaches over at most.
const longestScope = 9

// scopeNegation notes at each token the negators that reach it: those before it
// in the same clause.
func (a *reading) scopeNegation(r *rubric) {
	neutral := a.covered(r.id("NOT_NEGATING"))
	last := -1
	for _, n := range a.concepts[r.id("NEGATOR")] {
		if neutral[n.from] || n.from == last { // "no" and "no longer" are one
			continue
		}
		last = n.from
		clause := a.negatedClause(n)
		for i := n.to; i < len(a.tokens) && i < n.to+longestScope && a.tokens[i].clause == clause; i++ {
			if a.endsScope(n, i) {
				break
			}
			a.tokens[i].negBy = append(a.tokens[i].negBy, n.from)
		}
	}
}

// negatedClause is the clause that a negator reaches: its own, or the next one
// when that is a time or a place it denies ("not while the page is open").
func (a *reading) negatedClause(n span) int {
	if n.to < len(a.tokens) && a.tokens[n.from].raw == "not" && circumstances[a.tokens[n.to].raw] {
		return a.tokens[n.to].clause
	}
	return a.tokens[n.to-1].clause
}

var circumstances = setOf("while", "when", "where", "after", "before")

// endsScope reports whether a verb of its own starts at token i, behind the
// negated one: "does not know it lost the lock and will write", "is not the
// holder and refuses it".
func (a *reading) endsScope(n span, i int) bool {
	raw := a.tokens[i].raw
	if raw == "nor" { // takes over from "neither"
		return true
	}
	if i > n.to+1 && (modals[raw] || relatives[raw] || newSubjects[raw]) {
		return true
	}
	if i <= n.to+1 || a.tokens[i-1].raw != "and" || a.tokens[n.from].raw != "not" {
		return false
	}
	inflected := strings.HasSuffix(raw, "s") && !strings.HasSuffix(raw, "ss")
	return inflected || n.from > 0 && a.tokens[n.from-1].lemma == "be"
}

// newSubjects open a clause without a comma: "if there is no answer I try again".
var newSubjects = setOf("i", "we", "you", "they", "he", "she")

var relatives = setOf("that", "who", "which", "whose")

// modals also holds "use", which opens a piece of advice: "not for retries use a
// key".
var modals = setOf("use", "will", "would", "can", "could", "must", "should", "may", "might")

// covered marks the tokens inside the spans of a concept.
func (a *reading) covered(concept int) map[int]bool {
	in := map[int]bool{}
	for _, s := range a.concepts[concept] {
		for i := s.from; i < s.to; i++ {
			in[i] = true
		}
	}
	return in
}

// stance says what the speaker does with a passage, apart from negating it.
type stance uint8

const (
	reported stance = 1 << iota // told as what others say, or quoted
	rejected                    // called wrong before it is said ("it is not true that")
	denied                      // called wrong after it was said ("No.", "that does not help")
	asked                       // a question
	listed                      // only named, in a list of names
)

// takeStances marks reported, rejected and asked passages.
func (a *reading) takeStances(r *rubric) {
	a.lead(r.reporting, reported)
	a.lead(r.rejecting, rejected)
	a.markHeadings(r.headings)
	a.markQuotes()
	a.markQuestions(r)
	a.markDenials(r)
	a.markLists()
}

// lead marks what follows a cue, up to the turn of the sentence. What is called
// untrue ends at a comma, unless that follows the cue at once.
func (a *reading) lead(cues []pattern, s stance) {
	const atOnce = 2 // words
	for _, p := range cues {
		for _, m := range a.matches(p) {
			c := m.bounds()
			sentence := a.tokens[c.from].sentence
			for i := c.to; i < len(a.tokens) && a.tokens[i].sentence == sentence && !turns[a.tokens[i].raw]; i++ {
				a.tokens[i].stance |= s
				if s == rejected && a.tokens[i].cut && i-c.to >= atOnce {
					break
				}
			}
		}
	}
}

// markHeadings rejects the rest of a sentence that opens with "Wrong:".
func (a *reading) markHeadings(headings map[string]bool) {
	on := false
	for i := range a.tokens {
		t := &a.tokens[i]
		if i == 0 || a.tokens[i-1].sentence != t.sentence {
			on = headings[t.raw] && i+1 < len(a.tokens) && a.tokens[i+1].raw == ":"
		}
		if on {
			t.stance |= rejected
		}
	}
}

var turns = setOf("but", "until", "till", "however", "yet", "though", "although", "except", "instead", "actually", "because")

// markQuotes takes three or more words in double quotes as reported.
func (a *reading) markQuotes() {
	open := -1
	for i, r := range a.answer {
		switch {
		case r != '"' && r != '“' && r != '”' && r != '«' && r != '»':
		case open < 0:
			open = i
		default:
			a.markBytes(open, i, reported)
			open = -1
		}
	}
}

func (a *reading) markBytes(from, to int, s stance) {
	const phrase = 3 // fewer words in quotes are a name
	var inside []int
	for i, t := range a.tokens {
		if t.start > from && t.end <= to {
			inside = append(inside, i)
		}
	}
	if len(inside) < phrase {
		return
	}
	for _, i := range inside {
		a.tokens[i].stance |= s
	}
}

// markQuestions marks the sentences that end in a question mark, but not those
// that only ask for a nod ("..., right?").
func (a *reading) markQuestions(r *rubric) {
	tags := a.covered(r.id("TAG_QUESTION"))
	nod := false
	for i := len(a.tokens) - 1; i >= 0; i-- {
		t := &a.tokens[i]
		if i == len(a.tokens)-1 || a.tokens[i+1].sentence != t.sentence {
			nod = tags[i]
		}
		if t.sentence < len(a.asked) && a.asked[t.sentence] && !nod {
			t.stance |= asked
		}
	}
}

// markDenials marks what is taken back afterwards. A denial takes back what its
// own clause says before it; one that opens a clause also takes back the clauses
// before, and one that opens a sentence the sentence before.
func (a *reading) markDenials(r *rubric) {
	for _, d := range a.concepts[r.id("DENIAL")] {
		a.deny(d)
	}
	for _, d := range a.concepts[r.id("LONE_DENIAL")] {
		if a.opensClause(d.from) && a.standsAlone(d) {
			a.deny(d)
		}
	}
}

func (a *reading) deny(d span) {
	at := a.tokens[d.from]
	opensClause := a.opensClause(d.from)
	opensSentence := opensClause && a.opensSentence(d.from)
	for i := d.from - 1; i >= 0; i-- {
		t := &a.tokens[i]
		reached := t.sentence == at.sentence && (opensClause || t.clause == at.clause) ||
			opensSentence && t.sentence == at.sentence-1
		if !reached {
			return
		}
		t.stance |= denied
		if t.stance&asked != 0 {
			t.stance |= rejected // "Is it ...? No."
		}
	}
}

// standsAlone tells "No." and "no, it ..." from "no pause".
func (a *reading) standsAlone(d span) bool {
	if d.to == len(a.tokens) || a.tokens[d.to].clause != a.tokens[d.from].clause {
		return true
	}
	return pronouns[a.tokens[d.to].raw] || a.tokens[d.to].raw == "you" || a.tokens[d.to].raw == "not"
}

// opensClause reports whether at most two small words stand between token i and
// the start of its clause.
func (a *reading) opensClause(i int) bool {
	for back := range 4 {
		at := i - back
		if back > 0 && !smallWords[a.tokens[at].raw] {
			return false
		}
		if at == 0 || a.tokens[at-1].clause != a.tokens[i].clause {
			return true
		}
	}
	return false
}

// opensSentence reports whether only small words stand before token i in its
// sentence.
func (a *reading) opensSentence(i int) bool {
	for at := i - 1; at >= 0 && a.tokens[at].sentence == a.tokens[i].sentence; at-- {
		if !smallWords[a.tokens[at].raw] {
			return false
		}
	}
	return true
}

// markLists marks sentences that only name things: four or more items of at most
// two words between commas. Naming is not saying.
func (a *reading) markLists() {
	for from := 0; from < len(a.tokens); {
		to, items, longest := from, 0, 0
		for to < len(a.tokens) && a.tokens[to].sentence == a.tokens[from].sentence {
			end := a.endOfItem(to)
			items, longest, to = items+1, max(longest, end-to), end
		}
		for i := from; items >= 4 && longest <= 2 && i < to; i++ {
			a.tokens[i].stance |= listed
		}
		from = to
	}
}

// endOfItem returns the token behind the next comma, or behind the sentence.
func (a *reading) endOfItem(from int) int {
	end := from + 1
	for end < len(a.tokens) && !a.tokens[end-1].cut && a.tokens[end].sentence == a.tokens[from].sentence {
		end++
	}
	return end
}

// smallWords may stand between the start of a clause and a denial: "but that is
// wrong", "this advice does not help".
var smallWords = setOf(
	"actually", "advice", "again", "alas", "alone", "and", "answer", "are", "argument", "be", "because", "both",
	"but", "can", "claim", "could", "did", "do", "does", "first", "former", "ha", "has", "have", "he", "however",
	"idea", "is", "it", "just", "last", "latter", "logic", "neither", "no", "nope", "oh", "one", "part",
	"reasoning", "sadly", "second", "she", "so", "sorry", "statement", "still", "that", "then", "these", "they",
	"thing", "this", "those", "though", "unfortunately", "was", "well", "which", "will", "would", "yet",
)
