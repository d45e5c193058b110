package progress

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"
)

// fill writes a record of 10,000 cards and 100,000 answers over 500 days.
func fill(b *testing.B, dir string) {
	b.Helper()
	r := openIn(b, dir)
	at := time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC)
	err := r.write(b.Context(), at, "fill", func(tx *sql.Tx) error {
		for i := range 100_000 {
			v := Review{ID: NewID(), Day: DayOf(at), Answer: Answer{
				Card: fmt.Sprintf("card-%05d", i%10_000), Grade: Grades[i*7%4], At: at, Took: 4 * time.Second}}
			if err := insertReview(b.Context(), tx, v); err != nil {
				return err
			}
			at = at.Add(7 * time.Minute)
		}
		return nil
	})
	if err == nil {
		err = r.Rebuild(b.Context(), at)
	}
	if err != nil {
		b.Fatal(err)
	}
	r.Close()
}

// An answer, on disk: the figure to hold is a median of 10 ms.
func BenchmarkAnswer(b *testing.B) {
	r := openIn(b, b.TempDir())
	answer(b, r, "first", Good, noonUTC)
	for i := 0; b.Loop(); i++ {
		answer(b, r, fmt.Sprint("card-", i%100), Good, noonUTC.Add(time.Duration(i)*time.Second))
	}
}

func BenchmarkLarge(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir)
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			openIn(b, dir).Close()
		}
	})
	r := openIn(b, dir)
	for name, f := range map[string]func() error{
		"Memories": func() error { _, err := r.Memories(context.Background()); return err },
		"Days":     func() error { _, err := r.Days(context.Background()); return err },
		"Answer": func() error {
			_, err := r.Answer(context.Background(), Answer{Card: "card-00042", Grade: Good, At: noonUTC})
			return err
		},
		"Undo":    func() error { _, err := r.UndoLast(context.Background(), noonUTC); return err },
		"Rebuild": func() error { return r.Rebuild(context.Background(), noonUTC) },
		"Export":  func() error { return r.Export(context.Background(), io.Discard) },
		"Backup":  func() error { return r.backUp(context.Background(), r.db, "bench") },
		"Check":   func() error { return r.checkPages(context.Background(), r.db) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("OpenSmall", func(b *testing.B) {
		small := filepath.Join(b.TempDir(), "small")
		answer(b, openIn(b, small), "a", Good, noonUTC)
		for b.Loop() {
			openIn(b, small).Close()
		}
	})
}
