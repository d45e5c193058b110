package recall

import (
	"strconv"
	"strings"
	"testing"
)

func FuzzMark(f *testing.F) {
	points, err := Points()
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"shared.jsonl", "answers.jsonl"} {
		for _, e := range readExamples(f, name) {
			f.Add(e.Answer)
		}
	}
	f.Fuzz(func(t *testing.T, answer string) {
		for _, p := range points {
			m := p.Mark(answer)
			if len(m.Ideas) != len(p.Ideas) {
				t.Fatalf("point %d: %d ideas marked of %d", p.Number, len(m.Ideas), len(p.Ideas))
			}
			for _, i := range m.Ideas {
				if i.Found == (i.Quote == "") || !strings.Contains(answer, i.Quote) {
					t.Errorf("point %d idea %d: found %v with quote %q", p.Number, i.ID, i.Found, i.Quote)
				}
			}
			for _, w := range m.Wrong {
				if w.Quote == "" || !strings.Contains(answer, w.Quote) {
					t.Errorf("point %d wrong %d: quote %q", p.Number, w.ID, w.Quote)
				}
			}
		}
	})
}

func BenchmarkMark(b *testing.B) {
	points, err := Points()
	if err != nil {
		b.Fatal(err)
	}
	examples := readExamples(b, "shared.jsonl")
	b.Run("answer", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			e := examples[i%len(examples)]
			points[e.Point-1].Mark(e.Answer)
		}
	})
	long := ""
	for _, e := range examples {
		long += e.Answer + "\n"
	}
	for len(long) < MaxAnswer {
		long += long
	}
	b.Run("gibberish", func(b *testing.B) {
		words := ""
		for i := 0; len(words) < MaxAnswer; i++ {
			words += string(rune('a'+i%26)) + strconv.Itoa(i) + string(rune('a'+i%23)) + "tokkesn "
		}
		for i := 0; b.Loop(); i++ {
			points[i%len(points)].Mark(words[:MaxAnswer])
		}
	})
	b.Run("longest", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			points[i%len(points)].Mark(long[:MaxAnswer])
		}
	})
}
