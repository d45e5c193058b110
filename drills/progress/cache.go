package progress

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Memories is what the scheduler knows, by card id. Cards that were never
// answered are not in it.
func (r *Record) Memories(ctx context.Context) (map[string]Memory, error) {
	db, err := r.reader(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT card, "+memoryColumns+" FROM memory")
	if err != nil {
		return nil, r.explain("read the cards", err)
	}
	defer rows.Close()
	out := map[string]Memory{}
	for rows.Next() {
		var card string
		var m Memory
		if err := scanMemory(rows, &m, &card); err != nil {
			return nil, r.explain("read the cards", err)
		}
		out[card] = m
	}
	return out, r.explain("read the cards", rows.Err())
}

// Memory is what the scheduler knows about one card.
func (r *Record) Memory(ctx context.Context, card string) (Memory, error) {
	db, err := r.reader(ctx)
	if err != nil {
		return Memory{}, err
	}
	m, err := memoryIn(ctx, db, card)
	return m, r.explain("read a card", err)
}

// Rebuild makes every card's memory anew from the log.
func (r *Record) Rebuild(ctx context.Context, now time.Time) error {
	db, err := r.writer(ctx, now)
	if err != nil {
		return err
	}
	return r.explain("rebuild the cards", rebuild(ctx, db))
}

const memoryColumns = "phase, due_ms, stability, difficulty, reps, lapses, steps, last_ms"

type scanner interface{ Scan(...any) error }

type queryer interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

func scanMemory(row scanner, m *Memory, before ...any) error {
	var due, last int64
	err := row.Scan(append(before, &m.Phase, &due, &m.Stability, &m.Difficulty,
		&m.Reps, &m.Lapses, &m.Steps, &last)...)
	m.Due, m.Last = time.UnixMilli(due).UTC(), time.UnixMilli(last).UTC()
	return err
}

func memoryIn(ctx context.Context, q queryer, card string) (Memory, error) {
	var m Memory
	err := scanMemory(q.QueryRowContext(ctx, "SELECT "+memoryColumns+" FROM memory WHERE card = ?", card), &m)
	if errors.Is(err, sql.ErrNoRows) {
		return Memory{}, nil
	}
	return m, err
}

func putMemory(ctx context.Context, tx *sql.Tx, card string, m Memory) error {
	if m.Phase == New {
		_, err := tx.ExecContext(ctx, "DELETE FROM memory WHERE card = ?", card)
		return err
	}
	_, err := tx.ExecContext(ctx, "REPLACE INTO memory (card, "+memoryColumns+") VALUES (?,?,?,?,?,?,?,?,?)",
		card, int(m.Phase), m.Due.UnixMilli(), m.Stability, m.Difficulty, m.Reps, m.Lapses, m.Steps, m.Last.UnixMilli())
	return err
}

// standing selects the answers that count, each card's in the order given.
const standing = `SELECT card, grade, answered_ms FROM review r WHERE sign = 1
	AND NOT EXISTS (SELECT 1 FROM review u WHERE u.undoes = r.id)`

// replay calls done for each card with what its answers lead to.
func replay(ctx context.Context, q queryer, done func(card string, m Memory) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var card string
	var m Memory
	for rows.Next() {
		var next string
		var grade int
		var at int64
		if err := rows.Scan(&next, &grade, &at); err != nil {
			return err
		}
		if next != card && card != "" {
			if err := done(card, m); err != nil {
				return err
			}
			m = Memory{}
		}
		card = next
		if m, err = m.After(Grade(grade), time.UnixMilli(at)); err != nil {
			return err
		}
	}
	if card != "" && rows.Err() == nil {
		return done(card, m)
	}
	return rows.Err()
}

// rebuildCard replays one card and stores the result.
func rebuildCard(ctx context.Context, tx *sql.Tx, card string) (Memory, error) {
	var out Memory
	keep := func(_ string, m Memory) error { out = m; return nil }
	if err := replay(ctx, tx, keep, standing+" AND card = ? ORDER BY seq", card); err != nil {
		return out, err
	}
	return out, putMemory(ctx, tx, card, out)
}

func rebuild(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		all := map[string]Memory{}
		keep := func(card string, m Memory) error { all[card] = m; return nil }
		if err := replay(ctx, tx, keep, standing+" ORDER BY card, seq"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM memory"); err != nil {
			return err
		}
		for card, m := range all {
			if err := putMemory(ctx, tx, card, m); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "REPLACE INTO meta VALUES ('scheduler', ?)", schedulerVersion)
		return err
	})
}

// refreshCache rebuilds the cards if another scheduler made them.
func (r *Record) refreshCache(ctx context.Context, db *sql.DB) error {
	var version string
	err := db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'scheduler'").Scan(&version)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return r.explain("read the record", err)
	}
	if version == schedulerVersion {
		return nil
	}
	return r.explain("rebuild the cards", rebuild(ctx, db))
}

// checkCache compares the number of answers that the cards add up to with the
// log, and rebuilds the cards where they differ.
func (r *Record) checkCache(ctx context.Context, db *sql.DB) error {
	var inCache, inLog int
	err := db.QueryRowContext(ctx, `SELECT (SELECT coalesce(sum(reps), 0) FROM memory), (SELECT coalesce(sum(sign), 0) FROM review)`).
		Scan(&inCache, &inLog)
	if err == nil && inCache != inLog {
		err = rebuild(ctx, db)
	}
	return r.explain("check the cards", err)
}
