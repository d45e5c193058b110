// Package progress keeps the record of what was answered: a log of reviews,
// quiz answers, recall attempts and lab results in one SQLite file, and what
// follows from it.
//
// The log is the truth. Nothing in it is changed or deleted; an undo is one
// more row. What the scheduler knows about a card is a cache beside it that
// Rebuild makes anew.
//
// The file is SQLite in WAL mode. It belongs on a local disk: network folders
// do not give the locks that two programs need, and a folder that is
// synchronised while lockdrill runs may carry half a transaction. Copy it while
// the program is closed, or copy a backup.
package progress

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"
)

// Record is an open record. It is safe for use by several goroutines, and by
// several processes at once.
type Record struct {
	path     string // where the file is or will be, links followed
	steps    []string
	notSaved error

	mu        sync.Mutex
	db        *sql.DB // nil until there is a file
	empty     *sql.DB // what is read while there is none
	checked   Day     // the day whose backup is known to exist
	backupErr error
}

// Open opens the record in dir. Where there is none yet, it reads as empty and
// is created by the first write; where it could not be created, it is kept in
// memory and NotSaved says why. A file that is damaged, foreign, newer,
// unreadable, read-only or locked is refused with a FileError, its bytes
// unchanged.
func Open(ctx context.Context, dir string) (*Record, error) {
	return open(ctx, dir, schema)
}

// Unsaved is an empty record in memory, for when there is no place for a file.
func Unsaved(ctx context.Context, why error) (*Record, error) {
	r := &Record{steps: schema, notSaved: why}
	return r, r.openMemory(ctx)
}

func open(ctx context.Context, dir string, steps []string) (*Record, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the data directory %s: %w", dir, err)
	}
	r := &Record{path: filepath.Join(abs, fileName), steps: steps}
	target, err := followLinks(r.path)
	if err != nil {
		return nil, &FileError{Path: r.path, Fault: Unreadable, Err: err}
	}
	r.path = target
	exists, err := r.examine(ctx)
	switch {
	case err != nil:
		return nil, err
	case exists:
		return r, r.connect(ctx)
	}
	if err := canCreateIn(filepath.Dir(r.path)); err != nil {
		r.notSaved = fmt.Errorf("answers will not be saved: %s cannot be created: %w", r.path, err)
		return r, r.openMemory(ctx)
	}
	return r, nil
}

// Path is where the record is or will be; "" for one that is only in memory.
func (r *Record) Path() string { return r.path }

// NotSaved says why nothing will outlive the program; nil if answers are saved.
func (r *Record) NotSaved() error { return r.notSaved }

// BackupError says why the backup of today could not be made; nil if there is
// one, or none was due. It never keeps an answer from being saved.
func (r *Record) BackupError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.backupErr
}

// Close releases the file.
func (r *Record) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	for _, db := range []*sql.DB{r.db, r.empty} {
		if db != nil {
			err = db.Close()
		}
	}
	r.db, r.empty = nil, nil
	return r.explain("close the record", err)
}

// dsn names a database to the driver. Everything that decides about durability
// is set here: an answer is on disk when its transaction returns.
func dsn(path, mode string) string {
	query := "?_pragma=busy_timeout(2000)&_pragma=synchronous(FULL)&_txlock=immediate&" + mode
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + query
}

// connect opens an examined file for writing, brings its schema up to date and
// its cache to this program's scheduler.
func (r *Record) connect(ctx context.Context) error {
	db, err := sql.Open("sqlite", dsn(r.path, "mode=rw&_pragma=journal_mode(WAL)"))
	if err != nil {
		return r.explain("open the record", err)
	}
	// One connection: this process's writes queue here instead of in SQLite's
	// busy handler.
	db.SetMaxOpenConns(1)
	if err := r.migrate(ctx, db); err != nil {
		db.Close()
		return err
	}
	r.db = db
	return nil
}

// openMemory makes the database that is used while there is no file.
func (r *Record) openMemory(ctx context.Context) error {
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		return fmt.Errorf("open a record in memory: %w", err)
	}
	db.SetMaxOpenConns(1)
	db.SetConnMaxIdleTime(0)
	if err := applySteps(ctx, db, r.steps); err != nil {
		db.Close()
		return fmt.Errorf("make a record in memory: %w", err)
	}
	if r.notSaved != nil {
		r.db = db
	} else {
		r.empty = db
	}
	return nil
}

// reader is the database to read from. Another process may have created the
// file since this one found none.
func (r *Record) reader(ctx context.Context) (*sql.DB, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.db != nil {
		return r.db, nil
	}
	if exists, err := r.examine(ctx); err != nil {
		return nil, err
	} else if exists {
		err := r.connect(ctx)
		return r.db, err
	}
	if r.empty == nil {
		if err := r.openMemory(ctx); err != nil {
			return nil, err
		}
	}
	return r.empty, nil
}

// writer is the database to write to: the file is created if there is none, and
// backed up if that has not been done on the day of now.
func (r *Record) writer(ctx context.Context, now time.Time) (*sql.DB, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.db == nil {
		if err := r.create(ctx, DayOf(now)); err != nil {
			return nil, r.explain("create the record", err)
		}
	}
	return r.db, r.daily(ctx, DayOf(now))
}
