package drills

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// large is a record of 10,000 cards with ten answers each. The log is written
// behind the record's back, in one transaction, since a hundred thousand of
// them take minutes.
func large(b *testing.B) (*progress.Record, []deck.Card, time.Time) {
	b.Helper()
	dir, all := b.TempDir(), cards(10_000)
	r := openIn(b, dir)
	answer(b, r, all[0].ID, progress.Good, noonUTC)
	now, err := writeLog(filepath.Join(dir, "progress.db"), all)
	if err == nil {
		err = r.Rebuild(b.Context(), now)
	}
	if err != nil {
		b.Fatal(err)
	}
	answer(b, r, all[0].ID, progress.Good, now) // the backup of the day comes with it
	return r, all, now
}

func writeLog(path string, all []deck.Card) (time.Time, error) {
	at := noonUTC
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return at, err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return at, err
	}
	for i := range 100_000 {
		at = at.Add(7 * time.Minute)
		if _, err := tx.Exec(`INSERT INTO review
			(id, sign, card, grade, shown_ms, answered_ms, took_ms, offset_min, day) VALUES (randomblob(16),1,?,?,?,?,?,0,?)`,
			all[i%len(all)].ID, int(progress.Grades[i*7%4]), at.UnixMilli(), at.UnixMilli(), 4000, string(progress.DayOf(at))); err != nil {
			return at, err
		}
	}
	return at.AddDate(0, 1, 0), tx.Commit()
}

// With 10,000 cards and 100,000 reviews the next card is to come within 5 ms and
// the statistics within 500 ms.
func BenchmarkLarge(b *testing.B) {
	r, all, now := large(b)
	b.Run("Begin", func(b *testing.B) {
		for b.Loop() {
			session(b, r, all, Filter{}, now)
		}
	})
	s := session(b, r, all, Filter{}, now)
	b.Run("AnswerAndNext", func(b *testing.B) {
		for b.Loop() {
			mustNext(b, s, now)
			if err := s.Grade(context.Background(), progress.Good, now, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Stats", func(b *testing.B) {
		for b.Loop() {
			stats(b, r, all, now)
		}
	})
}
