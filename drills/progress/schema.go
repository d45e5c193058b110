package progress

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// schema is the steps from nothing to the present layout; the schema version
// (SQLite's user_version) counts those that were taken. A step, once released,
// is never changed: a new layout is one more step.
var schema = []string{schema1}

// Instants are UTC milliseconds; offset_min is what local time was ahead of UTC
// then, and day the study day it belonged to. Ids are 128 random bits.
//
// review and its undo rows: sign is +1 for an answer and -1 for the row that
// takes it back, which repeats the answer's card, grade, day and time, so that
// every total is a sum over sign.
const schema1 = `
PRAGMA application_id = 0x6c6b6472;

CREATE TABLE review (
  seq         INTEGER PRIMARY KEY,
  id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  sign        INTEGER NOT NULL CHECK (sign IN (1, -1)),
  undoes      BLOB    CHECK ((undoes IS NULL) = (sign = 1)),
  card        TEXT    NOT NULL,
  grade       INTEGER NOT NULL CHECK (grade BETWEEN 1 AND 4),
  shown_ms    INTEGER NOT NULL,
  answered_ms INTEGER NOT NULL,
  took_ms     INTEGER NOT NULL CHECK (took_ms >= 0),
  offset_min  INTEGER NOT NULL,
  day         TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX review_undoes ON review (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX review_card ON review (card);
CREATE INDEX review_totals ON review (day, sign, grade, took_ms);

CREATE TABLE memory (
  card       TEXT PRIMARY KEY,
  phase      INTEGER NOT NULL,
  due_ms     INTEGER NOT NULL,
  stability  REAL    NOT NULL,
  difficulty REAL    NOT NULL,
  reps       INTEGER NOT NULL,
  lapses     INTEGER NOT NULL,
  steps      INTEGER NOT NULL,
  last_ms    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE quiz_answer (
  seq         INTEGER PRIMARY KEY,
  id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  quiz        BLOB    NOT NULL CHECK (length(quiz) = 16),
  card        TEXT    NOT NULL,
  topic       TEXT    NOT NULL,
  picked      TEXT    NOT NULL,
  correct     INTEGER NOT NULL CHECK (correct IN (0, 1)),
  answered_ms INTEGER NOT NULL,
  offset_min  INTEGER NOT NULL,
  day         TEXT    NOT NULL
) STRICT;
CREATE TABLE quiz_run (
  seq         INTEGER PRIMARY KEY,
  id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  seed        INTEGER NOT NULL,
  exam        INTEGER NOT NULL CHECK (exam IN (0, 1)),
  asked       INTEGER NOT NULL,
  correct     INTEGER NOT NULL,
  ended_ms    INTEGER NOT NULL,
  offset_min  INTEGER NOT NULL,
  day         TEXT    NOT NULL
) STRICT;

CREATE TABLE recall (
  seq         INTEGER PRIMARY KEY,
  id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  point       INTEGER NOT NULL,
  aloud       INTEGER NOT NULL CHECK (aloud IN (0, 1)),
  found       INTEGER NOT NULL,
  of          INTEGER NOT NULL,
  ideas       TEXT    NOT NULL CHECK (json_valid(ideas)),
  wrong       TEXT    NOT NULL CHECK (json_valid(wrong)),
  overruled   TEXT    NOT NULL CHECK (json_valid(overruled)),
  answered_ms INTEGER NOT NULL,
  offset_min  INTEGER NOT NULL,
  day         TEXT    NOT NULL
) STRICT;

CREATE TABLE lab (
  seq         INTEGER PRIMARY KEY,
  id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
  lab         TEXT    NOT NULL,
  service     TEXT    NOT NULL,
  store       TEXT    NOT NULL,
  verdict     TEXT    NOT NULL,
  late_write  TEXT    NOT NULL,
  predicted   TEXT    NOT NULL,
  confidence  INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 3),
  answered_ms INTEGER NOT NULL,
  offset_min  INTEGER NOT NULL,
  day         TEXT    NOT NULL
) STRICT;

CREATE TABLE saved (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

// applySteps takes the steps that are missing, each in a transaction that also
// counts it: a process killed in the middle leaves a whole schema.
func applySteps(ctx context.Context, db *sql.DB, steps []string) error {
	for done := false; !done; {
		err := inTx(ctx, db, func(tx *sql.Tx) (err error) {
			done, err = applyNext(ctx, tx, steps)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// applyNext takes one step, if there is one to take.
func applyNext(ctx context.Context, tx *sql.Tx, steps []string) (done bool, err error) {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return false, err
	}
	if version >= len(steps) {
		return true, nil
	}
	if _, err := tx.ExecContext(ctx, steps[version]); err != nil {
		return false, fmt.Errorf("schema step %d: %w", version+1, err)
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+1))
	return false, err
}

// migrate brings an existing file up to date, after a backup.
func (r *Record) migrate(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return r.explain("open the record", err)
	}
	if version < len(r.steps) {
		if err := r.backUp(ctx, db, fmt.Sprintf("before-schema-%d", len(r.steps))); err != nil {
			return r.explain("back up the record before its schema changes", err)
		}
		if err := applySteps(ctx, db, r.steps); err != nil {
			return r.explain("migrate the record", err)
		}
	}
	return r.refreshCache(ctx, db)
}

// create makes the file under another name and gives it its own only when it is
// whole: nobody ever sees half a record, and of two processes that create it at
// once, one wins and the other opens what it made.
func (r *Record) create(ctx context.Context, day Day) error {
	dir := filepath.Dir(r.path)
	if err := makeDir(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, fileName+".new-*")
	if err != nil {
		return err
	}
	temp := f.Name()
	defer os.Remove(temp)
	err = errors.Join(f.Chmod(0o600), f.Close())
	if err == nil {
		err = buildFile(ctx, temp, r.steps)
	}
	if err == nil {
		err = giveName(temp, r.path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err == nil {
		r.checked = day // an empty record needs no backup
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	if _, err := r.examine(ctx); err != nil {
		return err
	}
	return r.connect(ctx)
}

// giveName names a file path unless there is one of that name: fs.ErrExist.
func giveName(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system may have no hard links.
	if _, taken := os.Lstat(path); taken == nil {
		return fs.ErrExist
	}
	return os.Rename(temp, path)
}

func buildFile(ctx context.Context, path string, steps []string) error {
	db, err := sql.Open("sqlite", dsn(path, "mode=rw&_pragma=journal_mode(WAL)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = applySteps(ctx, db, steps)
	// Closing moves the write-ahead log into the file.
	return errors.Join(err, db.Close())
}
