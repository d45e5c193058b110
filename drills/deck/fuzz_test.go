package deck

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{threeCards, "", "---\nname: x\n---\n## Q {#a}\n- kind: cloze\n\na [b] c",
		"Q: a\nA: b\nC: [x] y [z]", "# A\n```\n", "\xff\xfea\x00", "## Q {#c}\n\n- [ ] a\n  - why\n- [x] b\n",
		"---\n- *a\n&a [*a]\n---\n# Q\nA", "## R {#r}\n- kind: row\n\n- get: a\n- owe: b\n- fit: c", "## O {#o}\n- kind: order\n\n1. a\n2. b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("fuzz.md", data)
		var e *Error
		if err != nil && (!errors.As(err, &e) || err.Error() != CleanLine(err.Error())) {
			t.Fatalf("%T %q", err, err)
		}
		seen := map[string]bool{}
		for _, c := range d.Cards {
			if err := sound(c); err != nil {
				t.Fatalf("%v: %+v", err, c)
			}
			if seen[c.ID] {
				t.Fatalf("id %s twice", c.ID)
			}
			seen[c.ID] = true
			Render(c.Prompt(1)+"\n\n"+c.Back, 40)
		}
	})
}

func sound(c Card) error {
	for _, s := range append([]string{c.ID, c.Deck, c.Topic, c.Front, c.Back, c.Source, c.Lab, c.NoLab}, c.Lines...) {
		if s != Clean(s) {
			return fmt.Errorf("%q is not clean", s)
		}
	}
	if c.ID == "" || strings.TrimSpace(c.Front) == "" || strings.TrimSpace(c.Back) == "" || kinds[c.Kind] == nil {
		return errors.New("a part is missing")
	}
	return nil
}

// write is the deck as somebody might have typed it.
func write(cards []Card) string {
	var b strings.Builder
	for _, c := range cards {
		fmt.Fprintf(&b, "## %s {#%s}\n- kind: %s\n- topic: %s\n- lab: %s\n\n", c.Front, strings.TrimPrefix(c.ID, "rt/"), c.Kind, c.Topic, c.Lab)
		for _, o := range c.Option {
			tick := " "
			if o.Right {
				tick = "x"
			}
			fmt.Fprintf(&b, "- [%s] %s\n  - %s\n", tick, o.Text, o.Why)
		}
		for i, l := range c.Lines {
			fmt.Fprintf(&b, "%d. %s\n", i+1, l)
		}
		if c.Kind == QA {
			b.WriteString(c.Back + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// What is written comes back, whatever the line ending.
func TestRoundTrip(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-zéß分][A-Za-z分,;:?0-9]{0,8}`)
	text := rapid.Map(rapid.SliceOfN(word, 1, 6), func(w []string) string { return strings.Join(w, " ") })
	rapid.Check(t, func(t *rapid.T) {
		var cards []Card
		for i := range rapid.IntRange(1, 5).Draw(t, "n") {
			c := Card{ID: fmt.Sprintf("rt/c%d", i), Deck: "rt", Topic: text.Draw(t, "topic"), Lab: "pause", Front: text.Draw(t, "front")}
			switch c.Kind = rapid.SampledFrom([]Kind{QA, Choice, Order}).Draw(t, "kind"); c.Kind {
			case QA:
				c.Back = text.Draw(t, "back")
			case Order:
				c.Lines = rapid.SliceOfN(text, 2, 6).Draw(t, "lines")
			case Choice:
				right := rapid.IntRange(0, 2).Draw(t, "right")
				for j := range 3 {
					c.Option = append(c.Option, Option{Text: text.Draw(t, "option"), Right: j == right, Why: text.Draw(t, "why")})
				}
			}
			cards = append(cards, c)
		}
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		d, err := Parse("rt.md", []byte(strings.ReplaceAll(write(cards), "\n", end)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Cards {
			if d.Cards[i].Kind != QA {
				d.Cards[i].Back = ""
			}
		}
		if diff := cmp.Diff(cards, d.Cards); diff != "" {
			t.Fatal(diff)
		}
	})
}
