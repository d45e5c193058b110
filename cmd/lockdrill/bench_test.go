package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockdrill/drills/progress"
)

// BenchmarkFirstPaint is the time until home is on the terminal: within 150 ms,
// with 10,000 more cards and 100,000 reviews within 1.5 times that. Numbers is
// the time until what it says of them is there as well.
func BenchmarkFirstPaint(b *testing.B) {
	b.Run("empty", func(b *testing.B) { firstPaint(b, "--data", b.TempDir()) })
	dir := b.TempDir()
	file := filepath.Join(dir, "large.md")
	if err := writeLarge(b.Context(), dir, file); err != nil {
		b.Fatal(err)
	}
	b.Run("large", func(b *testing.B) { firstPaint(b, "--data", dir, "--deck", file) })
}

func firstPaint(b *testing.B, args ...string) {
	var paint, numbers time.Duration
	for b.Loop() {
		began := time.Now()
		term := startOnTerminal(b, nil, args...)
		term.await("The six points")
		paint += time.Since(began)
		term.await("Next")
		for !strings.Contains(term.shown(), "enter start") {
			<-term.news
		}
		numbers += time.Since(began)
		term.write("q")
		term.end(0)
	}
	b.ReportMetric(float64(paint.Milliseconds())/float64(b.N), "ms/paint")
	b.ReportMetric(float64(numbers.Milliseconds())/float64(b.N), "ms/numbers")
}

// writeLarge writes a deck of 10,000 cards and a record of ten answers to each.
func writeLarge(ctx context.Context, dir, file string) error {
	const cards = 10_000
	var deck strings.Builder
	deck.WriteString("# Large\n")
	for i := range cards {
		fmt.Fprintf(&deck, "\n## What does the store do with late write %d? {#c%d}\n- topic: topic-%d\n- lab: none, made up\n\nIt compares token %d.\n", i, i, i%12, i)
	}
	if err := os.WriteFile(file, []byte(deck.String()), 0o600); err != nil {
		return err
	}
	r, err := progress.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer r.Close()
	at := time.Date(2025, 11, 29, 12, 0, 0, 0, time.UTC)
	if _, err := r.Answer(ctx, progress.Answer{Card: "large/c0", Grade: progress.Good, At: at}); err != nil {
		return err
	}
	if err := writeReviews(filepath.Join(dir, "progress.db"), cards, at); err != nil {
		return err
	}
	return r.Rebuild(ctx, at.AddDate(1, 0, 0))
}

func writeReviews(path string, cards int, at time.Time) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	for i := range 10 * cards {
		at = at.Add(5 * time.Minute)
		if _, err := tx.Exec(`INSERT INTO review
			(id, sign, card, grade, shown_ms, answered_ms, took_ms, offset_min, day) VALUES (randomblob(16),1,?,?,?,?,?,0,?)`,
			fmt.Sprintf("large/c%d", i%cards), int(progress.Grades[i*7%4]), at.UnixMilli(), at.UnixMilli(), 4000, string(progress.DayOf(at))); err != nil {
			return err
		}
	}
	return tx.Commit()
}
