package deck

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRender(t *testing.T) {
	for _, tt := range []struct {
		name, md string
		width    int
		want     string
	}{
		{"nothing", "", 10, ""},
		{"paragraph", "one two three four", 9, "one two\nthree\nfour"},
		{"lines stay", "One.\nTwo.", 40, "One.\nTwo."},
		{"full lines flow", "One and\ntwo. (Yes.)\nThree,\nfour  \nfive\\\nsix", 40, "One and two. (Yes.)\nThree, four\nfive\nsix"},
		{"break after mark-up", "a `b`.\n**c.**\nd", 40, "a b.\nc.\nd"},
		{"two paragraphs", "One.\n\nTwo.", 40, "One.\n\nTwo."},
		{"emphasis and code", "a **b c** *d* `e  f` g", 40, "a b c d e f g"},
		{"mark up inside a word", "x**yy**z **long**er", 8, "xyyz\nlonger"},
		{"long word", "abcdefghij kl", 4, "abcd\nefgh\nij\nkl"},
		{"list", "- one two three\n- four\n  - five", 9, "- one two\n  three\n- four\n  - five"},
		{"loose list", "- one\n\n- two", 9, "- one\n\n- two"},
		{"numbers", "9. nine\n10. ten eleven", 10, "9. nine\n10. ten\n    eleven"},
		{"empty item", "-\n- a", 9, "-\n- a"},
		{"quote", "> said so", 7, "| said\n| so"},
		{"code", "a\n\n```go\nx :=  1\n\ty\n```\nb", 20, "a\n\n  x :=  1\n      y\n\nb"},
		{"long code", "    0123456789", 8, "  012345\n  6789"},
		{"code in a list", "- a\n\n  ```\n  b\n  ```", 20, "- a\n\n    b"},
		{"links", "see [the *docs*](http://x.y) <http://a.b> ![pic](p.png)", 60, "see the docs http://a.b [image: pic]"},
		{"escapes and entities", `\*a\* &lt; &amp;lt; &#27;[2J`, 40, "*a* < &lt; ␛[2J"},
		{"no entities in code", "`&lt;`", 40, "&lt;"},
		{"html is text", "press <C-c> if a<b && b>c", 60, "press <C-c> if a<b && b>c"},
		{"html block", "<div>\nx\n</div>", 60, "<div>\nx\n</div>"},
		{"heading and rule", "# Head\n\n---", 6, "Head\n\n------"},
		{"table", "| a | long |\n|---|---|\n| bb | c |\n| `d` | **e** |", 20, "a   long\n--------\nbb  c\nd   e"},
		{"narrow table", "| tool | owe |\n|---|---|\n| redis | a fence |\n| etcd | it too |", 10,
			"tool:\nredis\nowe: a\nfence\n\ntool: etcd\nowe: it\ntoo"},
		{"tab and newline in a cell", "| a | b |\n|---|---|\n| x\ty&#10;z | w |", 20, "a      b\n--------\nx y z  w"},
		{"CJK", "分散ロック", 4, "分散\nロッ\nク"},
		{"Korean words", "분산 락 서비스", 7, "분산 락\n서비스"},
		{"emoji", "👩‍💻 ⚠️ 🇬🇧", 5, "👩‍💻 ⚠️\n🇬🇧"},
		{"combining marks", "e\u0301e\u0301e\u0301e\u0301", 2, "e\u0301e\u0301\ne\u0301e\u0301"},
		{"wider than the line", "分x", 1, "?\nx"},
		{"width below one", "ab", 0, "a\nb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(Render(tt.md, tt.width), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRenderStyled(t *testing.T) {
	mark := func(m string) func(string) string { return func(s string) string { return m + s + m } }
	s := Styles{Strong: mark("*"), Emphasis: mark("_"), Code: mark("`"), Heading: mark("#")}
	got := s.Render("# Big head\n\na **strong one** and *em* `code` x", 12)
	want := []string{"#Big head#", "", "a *strong one*", "and _em_ `code`", "x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// pieces of Markdown that a generated text is made of.
var pieces = []string{"word", "a", " ", "\n", "\n\n", "- ", "1. ", "> ", "`", "```\n", "**", "*", "| a | b |\n|---|---|\n",
	"|", "分散", "👩‍💻", "⚠️", "🏳️‍🌈", "e\u0301", "\u0301", "\u200d", "\t", "    ", "<b>", "&#27;", "&#10;", "&Tab;", "[", "](x)", "# ", "→", "…",
	"\x1b[31m", "\u202e", "&zwj;", "&#x301;", "🇬", "각", "ᄀ", "\\", "verylongwordwithoutanybreakinit"}

func TestRenderNeverExceedsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		md := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "md"), "")
		width := rapid.IntRange(1, 90).Draw(t, "width")
		for _, l := range Render(md, width) {
			if w := cells(l); w > width {
				t.Fatalf("%q is %d wide, more than %d", l, w, width)
			}
			if l != CleanLine(l) {
				t.Fatalf("%q is not clean", l)
			}
		}
	})
}

// Nothing that is written is lost: at any width the same letters come out.
func TestRenderLosesNoLetter(t *testing.T) {
	letters := func(lines []string) string {
		return strings.Join(strings.FieldsFunc(strings.Join(lines, " "), func(r rune) bool { return !strings.ContainsRune("wordabc分散", r) }), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		md := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces[:16]), 0, 60).Draw(t, "md"), "")
		width := rapid.IntRange(2, 90).Draw(t, "width")
		if wide, got := letters(Render(md, 10_000)), letters(Render(md, width)); !strings.Contains(md, "|") && wide != got {
			t.Fatalf("width %d: %q, wide: %q", width, got, wide)
		}
	})
}

// Text nested as deep as a card allows neither hangs nor overflows.
func TestRenderDeep(t *testing.T) {
	for _, unit := range []string{">", "[", "*", "- ", "`", "_a", "![", "<", "(", "&"} {
		md := strings.Repeat(unit, MaxCard/len(unit)/4)
		for _, l := range Render(md, 40) {
			if cells(l) > 40 {
				t.Errorf("%q: too wide", unit)
			}
		}
	}
}
