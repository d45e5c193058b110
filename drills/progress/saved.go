package progress

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Save keeps v, as JSON, under a key: where a path through the material stands,
// so that it can be left and resumed. It is not part of the log.
func (r *Record) Save(ctx context.Context, now time.Time, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("save %s: %w", key, err)
	}
	return r.write(ctx, now, "save "+key, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "REPLACE INTO saved VALUES (?, ?)", key, string(text))
		return err
	})
}

// Load reads what was saved under a key into v, and reports whether there was
// anything.
func (r *Record) Load(ctx context.Context, key string, v any) (bool, error) {
	db, err := r.reader(ctx)
	if err != nil {
		return false, err
	}
	var text string
	err = db.QueryRowContext(ctx, "SELECT value FROM saved WHERE key = ?", key).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, r.explain("load "+key, err)
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return false, fmt.Errorf("load %s: what was saved is not of this form: %w", key, err)
	}
	return true, nil
}

// Forget removes what was saved under a key.
func (r *Record) Forget(ctx context.Context, now time.Time, key string) error {
	return r.write(ctx, now, "forget "+key, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM saved WHERE key = ?", key)
		return err
	})
}
