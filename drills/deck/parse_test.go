package deck

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const threeCards = `# One
First answer.

# Two

Second
answer.

# Three
Third.
`

// sides are the cards of a deck as "front | back".
func sides(d Deck) []string {
	var out []string
	for _, c := range d.Cards {
		out = append(out, strings.ReplaceAll(c.Front+" | "+c.Back, "\n", "/"))
	}
	return out
}

func mustParse(t *testing.T, file, text string) Deck {
	t.Helper()
	d, err := Parse(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParseForms(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"plain", threeCards, []string{"One | First answer.", "Two | Second/answer.", "Three | Third."}},
		{"title, introduction, section", "# Deck\nAbout it.\n## Part\n### Q\nA\n### R\nB\n", []string{"Q | A", "R | B"}},
		{"title without introduction", "# Deck\n\n## Q\nA\n", []string{"Q | A"}},
		{"levels mixed lose nothing", "# Q1\nA1\n## Q2\nA2\n# Q3\nA3\n", []string{"Q1 | A1", "Q2 | A2", "Q3 | A3"}},
		{"one first-level card", "# Q\nA", []string{"Q | A"}},
		{"closing hashes and rules", "## Q ##\n\n---\nA\n\n---\n\n## R\nB\n***\n", []string{"Q | A", "R | B"}},
		{"heading in a fence", "## Q\n```\n# no heading\n```\n## R\nB", []string{"Q | ```/# no heading/```", "R | B"}},
		{"backticks in one line are no fence", "# One\nA\n```x```\n# Two\nB", []string{"One | A/```x```", "Two | B"}},
		{"comment", "## Q\nA\n<!-- ## Off\nnot now\n-->\n## R\nB", []string{"Q | A", "R | B"}},
		{"hash without space", "# Q\n#tag\n", []string{"Q | #tag"}},
		{"byte order mark", "\uFEFF# Q\nA\n\n# R\nB\n", []string{"Q | A", "R | B"}},
		{"hashcards", "Q: Capital\nof France?\nA: Paris\n\nC: [Paris] is the capital of [France].\n",
			[]string{"Capital/of France? | Paris",
				"[...] is the capital of France. | Paris is the capital of France.",
				"Paris is the capital of [...]. | Paris is the capital of France."}},
		{"hashcards, multi-line", "# Geo\n\nQ: List\nA:\n\n- a\n- b\n\n---\nC:\nOne [two]\n\nthree ![i](x.png) [l](u).\n",
			[]string{"List | - a/- b", "One [...]//three ![i](x.png) [l](u). | One two//three ![i](x.png) [l](u)."}},
		{"hashcards with a heading card", "Q: q\nA: a\n# H\nh\n# I\ni\n", []string{"q | a", "H | h", "I | i"}},
		{"Q: in a deck with ids is text", "## H {#h}\n\nQ: no\nA: no\n", []string{"H | Q: no/A: no"}},
		{"front matter in TOML", "---\nname = \"Medicine\"\n---\nQ: q\nA: a\n", []string{"q | a"}},
		{"one ticked item in a plain deck", "# Q\n- [ ] a\n- [x] b\n", []string{"Q | **b**"}},
		{"a to-do list in a plain deck", "# Q\n- [ ] a\n- [ ] b\n", []string{"Q | - [ ] a/- [ ] b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, sides(mustParse(t, "geo.md", tt.text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseLineEndings(t *testing.T) {
	want := mustParse(t, "a.md", threeCards)
	for name, text := range map[string]string{
		"CRLF":             strings.ReplaceAll(threeCards, "\n", "\r\n"),
		"CR":               strings.ReplaceAll(threeCards, "\n", "\r"),
		"no final newline": strings.TrimSuffix(threeCards, "\n"),
		"BOM and CRLF":     "\uFEFF" + strings.ReplaceAll(threeCards, "\n", "\r\n"),
		"BOM, front":       "\uFEFF---\r\nname: a\r\n---\r\n" + strings.ReplaceAll(threeCards, "\n", "\r\n"),
	} {
		if diff := cmp.Diff(want, mustParse(t, "a.md", text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

const everyKind = `---
topic: fences
---
# Everything

## Who? {#who}
- kind: choice
- lab: pause
- source: a book

Of these:

- [ ] The service
  - It never sees
    the write.
- [x] The store, which
  keeps the maximum
  - It compares.

## Gaps {#gaps}
- kind: cloze
- lab: none, a definition
- topic: words

A [lease] ends; a [token] rises.

## Steps {#steps}
- kind: order

Sort:

1. one
2. two
3. three

## Tool {#other-deck/tool}
- kind: row

- get: a boolean
- owe: a fence
- fit: caches
`

func TestParseKinds(t *testing.T) {
	d := mustParse(t, "decks/My deck.md", everyKind)
	want := []Card{
		{ID: "my-deck/who", Deck: "My deck", Topic: "fences", Kind: Choice, Front: "Who?\n\nOf these:",
			Back: "**The store, which keeps the maximum**  \nIt compares.\n\n- The service  \n  It never sees the write.",
			Option: []Option{{Text: "The service", Why: "It never sees the write."},
				{Text: "The store, which keeps the maximum", Right: true, Why: "It compares."}},
			Source: "a book", Lab: "pause"},
		{ID: "my-deck/gaps", Deck: "My deck", Topic: "words", Kind: Cloze, NoLab: "a definition",
			Front: "Gaps\n\nA [...] ends; a [...] rises.", Back: "A lease ends; a token rises."},
		{ID: "my-deck/steps", Deck: "My deck", Topic: "fences", Kind: Order, Front: "Steps\n\nSort:",
			Back: "1. one\n2. two\n3. three", Lines: []string{"one", "two", "three"}},
		{ID: "other-deck/tool", Deck: "My deck", Topic: "fences", Kind: Row,
			Front: "Tool\n\nWhat do you get, what do you still owe, and what does it fit?",
			Back:  "- You get: a boolean\n- You still owe: a fence\n- Fits: caches", Lines: []string{"a boolean", "a fence", "caches"}},
	}
	if diff := cmp.Diff(want, d.Cards); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "x.md: holds no cards"},
		{"only text", "hello\n", "x.md: holds no cards"},
		{"open fence", "# A\na\n```x```\n# B\n```\n# C\nc\n", "x.md:5: code fence ``` is never closed"},
		{"open fence in a list", "# A\n- ~~~~sh\n# C\nc\n", "x.md:2: code fence ~~~~ is never closed"},
		{"short fence does not close", "# A\n````\n```\n# C\nc\n", "x.md:2: code fence ```` is never closed"},
		{"open comment", "# A\na\n<!-- b\n# C\nc\n", "x.md:3: comment is never closed"},
		{"open front matter", "---\nname: a\n# A\na\n", "x.md:1: front matter is never closed"},
		{"bad front matter", "---\nname: a\ntopic: [b\n---\n# A\na\n", "x.md:3: front matter is not YAML"},
		{"wrong type", "---\nname: [a]\n---\n# A\na\n", "x.md:2: front matter is not YAML"},
		{"no answer", "# A\n# B\nb\n", `x.md:1: question "A" has no answer below it`},
		{"no answer at the end", "# A\na\n\n# B\n\n---\n", `x.md:4: question "B" has no answer below it`},
		{"empty heading", "# A\na\n#\nb\n", "x.md:3: card has no question"},
		{"same question", "# A\na\n# B\nb\n#  A\nc\n", "x.md:5: the same question is on line 1 already; give one of them an id"},
		{"same id", "# A {#i}\na\n# B {#i}\nb\n", `x.md:3: id "i" is on line 1 already`},
		{"bad id", "# A {#a b}\na\n", `x.md:1: id "a b" is not usable`},
		{"empty id", "# A {#}\na\n", `x.md:1: id "" is not usable`},
		{"underlined", "# A\na\n\nB\n===\nb\n", "x.md:4: underlined headings are not read; write # B"},
		{"unknown attribute", "# A {#i}\n- lba: pause\n\na\n", `x.md:2: attribute "lba" does not exist`},
		{"list taken for attributes", "# A {#i}\n- first\n- second\n", "x.md:2: attribute \"first\" is not written"},
		{"unknown kind", "# A {#i}\n- kind: quiz\n\na\n", `x.md:2: kind "quiz" does not exist`},
		{"lab none", "# A {#i}\n- lab: none\n\na\n", "x.md:2: lab none does not say why"},
		{"two ticked", "# A {#i}\n\n- [x] a\n- [x] b\n", `x.md:1: choice "A" has 2 options of which 2 are ticked`},
		{"empty option", "# A {#i}\n\n- [x] a\n- [ ]\n", "x.md:4: option without text"},
		{"no gap", "# A {#i}\n- kind: cloze\n\nno gap\n", `x.md:1: cloze "A" has no [gap]`},
		{"one line", "# A {#i}\n- kind: order\n\n1. a\n", `x.md:1: order "A" has no numbered list`},
		{"short row", "# A {#i}\n- kind: row\n\n- get: a\n- owe: b\n", `x.md:1: row "A" needs three items`},
		{"wrong row", "# A {#i}\n- kind: row\n\n- get: a\n- fit: b\n- owe: c\n", `x.md:5: item 2 of a row starts with "owe:"`},
		{"Q without A", "Q: a\nQ: b\nA: c\n", `x.md:1: question "a" has no answer (A:)`},
		{"A without Q", "Q: a\nA: b\nA: c\n", "x.md:3: an answer (A:) without a question"},
		{"C without gap", "Q: a\nA: b\nC: c\n", "x.md:3: no [gap] in C: c"},
		{"UTF-16", "\xff\xfe#\x00 \x00", "x.md: encoded as UTF-16"},
		{"UTF-16 without a mark", "#\x00 \x00", "x.md:1: holds a NUL byte"},
		{"Latin-1", "# A\na\n# Caf\xe9\nb\n", "x.md:3: byte 0xE9 at column 6 is not UTF-8 (Latin-1?)"},
		{"NUL", "# A\na\x00\n", "x.md:2: holds a NUL byte"},
		{"big card", "# A\na\n# B\n" + strings.Repeat("b\n", MaxCard/2), "x.md:3: card has 65537 bytes, more than 65536"},
		{"big line", "# A\n" + strings.Repeat("b", MaxCard+1), "x.md:2: line has 65537 bytes, more than the 65536 of a whole card"},
		{"many gaps", "C: " + strings.Repeat("[a]", 33), "x.md:1: 33 [gaps] in one C:, more than 32"},
		{"open fence in a numbered list", "# A\n1. - ```\n# C\nc\n", "x.md:2: code fence ``` is never closed"},
		{"big file", strings.Repeat("x", MaxFile+1), "x.md: 8388609 bytes, more than the 8388608"},
		{"long name", "---\nname: " + strings.Repeat("n", 200) + "\n---\n# A\na\n", "x.md:1: name or topic of the deck has more than 120 bytes"},
		{"long front matter", "---\n" + strings.Repeat("#\n", 9000) + "---\n# A\na\n", "x.md:1: front matter has 18000 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse("x.md", []byte(tt.text))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v and %d cards, want %s", err, len(d.Cards), tt.want)
			}
			var e *Error
			if !errors.As(err, &e) || strings.ContainsRune(err.Error(), '\n') {
				t.Errorf("%T, want an *Error on one line", err)
			}
		})
	}
}

func TestTooManyCards(t *testing.T) {
	var b strings.Builder
	for i := range MaxCards + 1 {
		fmt.Fprintf(&b, "# %d\na\n", i)
	}
	_, err := Parse("x.md", []byte(b.String()))
	if want := "x.md:100001: more than 50000 cards; split the deck"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestHistorySurvivesEdits(t *testing.T) {
	id := func(text string) string { return mustParse(t, "a.md", text).Cards[0].ID }
	plain := id("# Why an end?\nOld answer.\n")
	for name, text := range map[string]string{
		"answer edited":      "# Why an end?\nNew answer.\n",
		"white space":        "#  Why  an end?  ##\n\nOld answer.\n",
		"more cards":         "# Why an end?\nx\n# Another\ny\n",
		"question, with id":  "# Why does it end? {#" + strings.TrimPrefix(plain, "a/") + "}\nOld answer.\n",
		"moved to long form": "# Why an end? {#" + plain + "}\nOld answer.\n",
	} {
		if got := id(text); got != plain {
			t.Errorf("%s: id %s, want %s", name, got, plain)
		}
	}
	if id("# Why an end\nOld answer.\n") == plain {
		t.Error("an edited question without an id must be a new card")
	}
	if other := mustParse(t, "b.md", "# Why an end?\nOld answer.\n").Cards[0].ID; other == plain {
		t.Error("the same question in two decks must be two cards")
	}
}

func TestHostileTextIsMadeVisible(t *testing.T) {
	const bad = "\x1b]52;c;eA==\a\x1b[2J\u009b\u202e\u2066\x1bc"
	text := "---\nname: \"n\\e[2Jm\"\ntopic: \"t\\u202E\"\n---\n## F" + bad + " {#i}\n- source: s" + bad + "\n\nB" + bad + "\n"
	d := mustParse(t, "a\x1b[2J.md", text)
	c := d.Cards[0]
	for _, s := range []string{d.Name, c.ID, c.Deck, c.Topic, c.Front, c.Back, c.Source, strings.Join(Render("&#27;[2J &#x202e; "+c.Back, 80), "\n")} {
		if s != Clean(s) {
			t.Errorf("%q is not clean", s)
		}
	}
	if d.Name != "n␛[2Jm" || !strings.HasPrefix(c.Back, "B␛]52;c;eA==␇␛[2J<U+009B><U+202E><U+2066>␛c") {
		t.Errorf("name %q, back %q", d.Name, c.Back)
	}
	_, err := Parse("a\x1b[2J\n.md", []byte("# Q"+bad+"\n"))
	if err == nil || err.Error() != CleanLine(err.Error()) {
		t.Errorf("error %q is not clean", err)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":        "plain\ttext\n",
		"\x1b[31mred":          "␛[31mred",
		"a\rb\x00\x7f":         "a␍b␀␡",
		"\x9b2J \xff":          "<0x9B>2J <0xFF>",
		"\u009b \u202e \u2069": "<U+009B> <U+202E> <U+2069>",
		"\uFFFD stays":         "\uFFFD stays",
		"\u2028\uFEFF":         "<U+2028><U+FEFF>",
		"שלום \u200f 👩‍💻 é 분산 락": "שלום \u200f 👩‍💻 é 분산 락",
	} {
		if got := Clean(in); got != want || Clean(got) != got {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := CleanLine("a\nb\tc"); got != "a␊b␉c" {
		t.Errorf("CleanLine: %q", got)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "geo.md")
	if err := os.WriteFile(file, []byte(threeCards), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := Load(file); err != nil || d.Name != "geo" || len(d.Cards) != 3 {
		t.Errorf("got %v, %v", d, err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "no.md"): "no.md: no such file or directory; give the path",
		dir:                         "is a directory; give the path",
		"/dev/zero":                 "/dev/zero: 8388609 bytes, more than",
	} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func TestShuffled(t *testing.T) {
	c := Card{ID: "d/o", Kind: Order, Front: "Sort", Lines: []string{"one", "two", "three", "four"}}
	for seed := range uint64(200) {
		perm := c.Shuffled(seed)
		if sorted(perm) {
			t.Fatalf("seed %d shows the solution", seed)
		}
		if diff := cmp.Diff(perm, c.Shuffled(seed)); diff != "" {
			t.Fatal("not repeatable", diff)
		}
	}
	perm := c.Shuffled(7)
	want := "Sort\n"
	for i, p := range perm {
		want += fmt.Sprintf("\n%s) %s  ", Letter(i), c.Lines[p])
	}
	if got := c.Prompt(7); got != strings.TrimSpace(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Card{Kind: QA, Front: "Q"}).Prompt(7); got != "Q" {
		t.Errorf("got %q", got)
	}
	if Letter(26) != "27" {
		t.Error(Letter(26))
	}
}
