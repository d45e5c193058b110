package progress

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// ID names a row of the log: 128 random bits, so that two records never give
// the same one.
type ID [16]byte

// NewID draws an id.
func NewID() ID {
	var id ID
	rand.Read(id[:]) // never fails: it ends the program instead
	return id
}

// String is the id in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Answer is one card, graded.
type Answer struct {
	Card  string // its id
	Grade Grade
	At    time.Time     // when it was graded, in the reader's time zone
	Took  time.Duration // from the question to the grade, by a clock that is never set back
}

// Review is an answer in the log.
type Review struct {
	ID     ID
	Answer Answer
	Day    Day
	Memory Memory // what the scheduler knows about the card afterwards
}

// Answer saves an answer and schedules its card, in one transaction that is on
// disk when it returns.
func (r *Record) Answer(ctx context.Context, a Answer) (Review, error) {
	a.Took = max(a.Took, 0)
	out := Review{ID: NewID(), Answer: a, Day: DayOf(a.At)}
	err := r.write(ctx, a.At, "save the answer", func(tx *sql.Tx) error {
		before, err := memoryIn(ctx, tx, a.Card)
		if err != nil {
			return err
		}
		if out.Memory, err = before.After(a.Grade, a.At); err != nil {
			return err
		}
		if err := insertReview(ctx, tx, out); err != nil {
			return err
		}
		return putMemory(ctx, tx, a.Card, out.Memory)
	})
	return out, err
}

func insertReview(ctx context.Context, tx *sql.Tx, v Review) error {
	at, took := v.Answer.At, v.Answer.Took.Milliseconds()
	_, err := tx.ExecContext(ctx, `INSERT INTO review
		(id, sign, card, grade, shown_ms, answered_ms, took_ms, offset_min, day)
		VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)`,
		v.ID[:], v.Answer.Card, int(v.Answer.Grade), at.UnixMilli()-took, at.UnixMilli(),
		took, offsetMinutes(at), string(v.Day))
	return err
}

// Undo takes the review with this id back; ErrNothingToUndo if it is not there
// or already taken back.
func (r *Record) Undo(ctx context.Context, id ID, now time.Time) (Review, error) {
	return r.undo(ctx, now, "AND r.id = ?", id[:])
}

// UndoLast takes the latest review back that still counts, whoever gave it.
func (r *Record) UndoLast(ctx context.Context, now time.Time) (Review, error) {
	return r.undo(ctx, now, "")
}

func (r *Record) undo(ctx context.Context, now time.Time, which string, args ...any) (Review, error) {
	if r.nothingYet() {
		return Review{}, ErrNothingToUndo
	}
	var out Review
	err := r.write(ctx, now, "undo an answer", func(tx *sql.Tx) error {
		var err error
		if out, err = findStanding(ctx, tx, which, args...); err != nil {
			return err
		}
		if err := insertUndo(ctx, tx, out.ID, now); err != nil {
			return err
		}
		out.Memory, err = rebuildCard(ctx, tx, out.Answer.Card)
		return err
	})
	return out, err
}

// nothingYet reports that there is no file, so that an undo does not make one.
func (r *Record) nothingYet() bool {
	db, err := r.reader(context.Background())
	r.mu.Lock()
	defer r.mu.Unlock()
	return err == nil && db == r.empty
}

// findStanding is the latest answer that was not undone, of those in which.
func findStanding(ctx context.Context, tx *sql.Tx, which string, args ...any) (Review, error) {
	var v Review
	var id []byte
	var grade, offset int
	var at, took int64
	err := tx.QueryRowContext(ctx, `SELECT id, card, grade, answered_ms, took_ms, offset_min, day FROM review r
		WHERE sign = 1 AND NOT EXISTS (SELECT 1 FROM review u WHERE u.undoes = r.id) `+which+`
		ORDER BY seq DESC LIMIT 1`, args...).
		Scan(&id, &v.Answer.Card, &grade, &at, &took, &offset, &v.Day)
	if errors.Is(err, sql.ErrNoRows) {
		return v, ErrNothingToUndo
	}
	copy(v.ID[:], id)
	v.Answer.Grade = Grade(grade)
	v.Answer.At = inOffset(at, offset)
	v.Answer.Took = time.Duration(took) * time.Millisecond
	return v, err
}

func insertUndo(ctx context.Context, tx *sql.Tx, undone ID, now time.Time) error {
	id := NewID()
	_, err := tx.ExecContext(ctx, `INSERT INTO review
		(id, sign, undoes, card, grade, shown_ms, answered_ms, took_ms, offset_min, day)
		SELECT ?, -1, id, card, grade, shown_ms, ?, took_ms, ?, day FROM review WHERE id = ?`,
		id[:], now.UnixMilli(), offsetMinutes(now), undone[:])
	return err
}

// write runs f in a transaction that is on disk when write returns.
func (r *Record) write(ctx context.Context, now time.Time, doing string, f func(*sql.Tx) error) error {
	db, err := r.writer(ctx, now)
	if err != nil {
		return err
	}
	return r.explain(doing, inTx(ctx, db, f))
}

// inTx commits what f did, or none of it.
func inTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback() // what failed first is what counts
		return err
	}
	return tx.Commit()
}

func offsetMinutes(t time.Time) int {
	_, seconds := t.Zone()
	return seconds / 60
}

// inOffset is a stored instant in the local time it was written in.
func inOffset(ms int64, offsetMin int) time.Time {
	zone := time.FixedZone(fmt.Sprintf("UTC%+d", offsetMin/60), offsetMin*60)
	return time.UnixMilli(ms).In(zone)
}
