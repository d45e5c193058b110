package deck_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lockdrill/drills/deck"
)

var labs = []string{"pause", "failover", "delete", "partition", "redlock", "waiters", "charge", "leader", "optimistic",
	"think-time", "retry", "hot-key", "forgotten-client", "cost", "placement"}

// The first six are the decks, too.
var topics = []string{"lease-vs-token", "optimistic-vs-pessimistic", "when-not-to-lock", "redis-missed-cases", "etcd-zookeeper",
	"must-not-run-twice", "redlock", "failure-detection", "fencing-in-the-store", "leader-roles", "placement-vs-exclusion", "costs-and-numbers"}

func builtin(t *testing.T) []deck.Deck {
	t.Helper()
	decks, err := deck.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return decks
}

func cards(t *testing.T) []deck.Card {
	var all []deck.Card
	for _, d := range builtin(t) {
		all = append(all, d.Cards...)
	}
	return all
}

func TestDecksAreWhole(t *testing.T) {
	decks := builtin(t)
	for _, name := range topics[:6] {
		i := slices.IndexFunc(decks, func(d deck.Deck) bool { return d.Name == name })
		if i < 0 {
			t.Errorf("there is no deck %s", name)
			continue
		}
		count := map[deck.Kind]int{}
		for _, c := range decks[i].Cards {
			count[c.Kind]++
		}
		if n := len(decks[i].Cards); n < 14 || n > 18 {
			t.Errorf("%s has %d cards, want 14 to 18", name, n)
		}
		for kind, least := range map[deck.Kind]int{deck.QA: 4, deck.Cloze: 1, deck.Choice: 5, deck.Order: 1, deck.Row: 1} {
			if count[kind] < least {
				t.Errorf("%s has %d %s cards, want %d", name, count[kind], kind, least)
			}
		}
	}
}

var idForm = regexp.MustCompile(`^[a-z][a-z-]*[a-z]/[a-z][a-z0-9-]{2,40}$`)

func TestEveryCardIsFiled(t *testing.T) {
	ids, fronts, shown, told := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range cards(t) {
		if ids[c.ID] || !idForm.MatchString(c.ID) || !strings.HasPrefix(c.ID, c.Deck+"/") {
			t.Errorf("%s: id is taken or not of the form deck/some-words", c.ID)
		}
		if fronts[c.Front] {
			t.Errorf("%s: its front is another card's", c.ID)
		}
		ids[c.ID], fronts[c.Front], shown[c.Lab], told[c.Topic] = true, true, true, true
		if !slices.Contains(topics, c.Topic) {
			t.Errorf("%s: topic %q does not exist", c.ID, c.Topic)
		}
		if c.Lab != "" && !slices.Contains(labs, c.Lab) || (c.Lab == "") != (len(c.NoLab) > 15) {
			t.Errorf("%s: lab %q, why none: %q", c.ID, c.Lab, c.NoLab)
		}
		if len(c.Source) < 10 && c.Source != "Redis, WAIT" {
			t.Errorf("%s: source %q", c.ID, c.Source)
		}
	}
	for _, lab := range labs {
		if !shown[lab] {
			t.Errorf("no card names the lab %s", lab)
		}
	}
	for _, topic := range topics {
		if !told[topic] {
			t.Errorf("no card has the topic %s", topic)
		}
	}
}

func TestChoices(t *testing.T) {
	longest, shortest, total := 0, 0, 0
	place := map[int]int{}
	for _, c := range cards(t) {
		if c.Kind != deck.Choice {
			continue
		}
		var size []int
		right := -1
		for i, o := range c.Option {
			size = append(size, len(o.Text))
			if len(o.Why) < 20 {
				t.Errorf("%s: option %q does not say why: %q", c.ID, o.Text, o.Why)
			}
			if o.Right && right >= 0 {
				t.Errorf("%s has two right options", c.ID)
			}
			if o.Right {
				right = i
			}
		}
		if right < 0 || len(size) < 3 || len(size) > 4 {
			t.Fatalf("%s has %d options, right: %d", c.ID, len(size), right)
		}
		if slices.Max(size) > slices.Min(size)*8/5 {
			t.Errorf("%s: lengths %v tell the options apart", c.ID, size)
		}
		total++
		place[right]++
		if size[right] == slices.Max(size) {
			longest++
		}
		if size[right] == slices.Min(size) {
			shortest++
		}
	}
	t.Logf("%d choices; right is longest in %d, shortest in %d; places %v", total, longest, shortest, place)
	if longest*3 > total || shortest*3 > total {
		t.Errorf("of %d right options %d are the longest and %d the shortest", total, longest, shortest)
	}
	for i, n := range place {
		if n*5 > total*2 {
			t.Errorf("of %d right options %d are number %d", total, n, i+1)
		}
	}
}

func TestOrdersAndRows(t *testing.T) {
	for _, c := range cards(t) {
		switch n := len(c.Lines); c.Kind {
		case deck.Order:
			if n < 4 || n > 8 {
				t.Errorf("%s has %d lines, want 4 to 8", c.ID, n)
			}
			if lines := slices.Sorted(slices.Values(c.Lines)); len(slices.Compact(lines)) != n {
				t.Errorf("%s has a line twice", c.ID)
			}
		case deck.Row:
			if n != 3 {
				t.Errorf("%s has %d parts", c.ID, n)
			}
		}
	}
}

// What is said in one breath fits on the card's part of an 80x24 screen.
func TestCardsAreShort(t *testing.T) {
	const inner, most = 74, 18 // columns and lines that a card has on 80x24
	longest := map[deck.Kind]int{deck.QA: 5, deck.Cloze: 5, deck.Choice: 14, deck.Order: 9, deck.Row: 7}
	for _, c := range cards(t) {
		front, back := deck.Render(c.Prompt(1), inner), deck.Render(c.Back, inner)
		if len(front) > 11 {
			t.Errorf("%s: front has %d lines", c.ID, len(front))
		}
		if n := len(back); n > longest[c.Kind] {
			t.Errorf("%s: back has %d lines, more than %d", c.ID, n, longest[c.Kind])
		}
		if question := deck.Render(c.Front, inner); len(question)+1+len(back) > most {
			t.Errorf("%s: question and back have %d lines", c.ID, len(question)+1+len(back))
		}
	}
}

// text is all that a learner can read of a card.
func text(c deck.Card) string {
	parts := append([]string{c.Front, c.Back, c.NoLab}, c.Lines...)
	for _, o := range c.Option {
		parts = append(parts, o.Text, o.Why)
	}
	return strings.Join(parts, "\n")
}

var (
	shout   = regexp.MustCompile(`!(\s|$|")`)
	promise = regexp.MustCompile(`(?i)[^.\n]*(guarantee|ensure|promise)\w*\s[^.\n]*\b(one|single|only)\b[^.\n]*\b(writer|holder|leader|client|owner)`)
	fence   = regexp.MustCompile(`(?i)does not|no (single|acting)|store|token|fenc`)
	rate    = regexp.MustCompile(`\d\s?%`)
)

func TestTone(t *testing.T) {
	for _, c := range cards(t) {
		s := text(c)
		if shout.MatchString(s) {
			t.Errorf("%s shouts", c.ID)
		}
		if i := strings.IndexFunc(s, func(r rune) bool { return unicode.Is(unicode.So, r) || r >= 0x1f000 }); i >= 0 {
			t.Errorf("%s has a pictogram: %q", c.ID, s[i:])
		}
		for _, claim := range promise.FindAllString(s, -1) {
			if !fence.MatchString(claim) {
				t.Errorf("%s: %q says more than a lock service can hold", c.ID, claim)
			}
		}
		if rate.MatchString(s) && c.ID != "etcd-zookeeper/jepsen" {
			t.Errorf("%s names a rate", c.ID)
		}
		if strings.Contains(s, "[M]") || strings.Contains(s, "TODO") {
			t.Errorf("%s is not finished", c.ID)
		}
	}
}
