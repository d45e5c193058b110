package labs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// How writers of one row keep out of each other's way.
const (
	modeNone    = "none"
	modeVersion = "version"
	modeRowLock = "row-lock"
)

// The statements of the three modes. SQLite locks the database where others lock
// the row: BEGIN IMMEDIATE stands for SELECT … FOR UPDATE.
const (
	selectRow     = `SELECT value, version FROM counter WHERE id = 1`
	updateRow     = `UPDATE counter SET value = ?, version = version + 1 WHERE id = 1 RETURNING version`
	updateVersion = `UPDATE counter SET value = ?, version = version + 1 WHERE id = 1 AND version = ? RETURNING version`
)

// counter is one row that many writers increment, each with a connection of its
// own.
type counter struct {
	dir *server.TempDir
	db  *sql.DB

	// mu makes decision and log entry one step, where a history is kept.
	mu      sync.Mutex
	history *History // nil = only count
}

// newCounter makes the row in a database file of its own.
func newCounter(writers int, h *History) (*counter, error) {
	dir, err := server.NewTempDir()
	if err != nil {
		return nil, err
	}
	c := &counter{dir: dir, history: h}
	c.db, err = sql.Open("sqlite", "file:"+filepath.Join(dir.Path, "rows.db")+
		"?_pragma=busy_timeout(30000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_txlock=immediate")
	if err == nil {
		c.db.SetMaxOpenConns(writers)
		c.db.SetMaxIdleConns(writers)
		_, err = c.db.Exec(`CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER, version INTEGER); INSERT INTO counter VALUES (1, 0, 1)`)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the row to write: %w", err), c.close())
	}
	return c, nil
}

func (c *counter) close() error {
	var err error
	if c.db != nil {
		err = c.db.Close()
	}
	return errors.Join(err, c.dir.Remove())
}

func (c *counter) value(ctx context.Context) (n int, err error) {
	err = c.db.QueryRowContext(ctx, `SELECT value FROM counter`).Scan(&n)
	return n, err
}

// tally is what one writer met with.
type tally struct {
	acknowledged, conflicts int
	waited                  time.Duration // for the row lock
}

// contender is one writer. Its first read waits until every other writer has
// read, too, so that they meet on any machine.
type contender struct {
	c     *counter
	name  string
	mode  string
	first *sync.WaitGroup
	tally
}

// increment adds one to the row n times, as often as it takes.
func (w *contender) increment(ctx context.Context, n int) error {
	for i := range n {
		var err error
		switch w.mode {
		case modeRowLock:
			err = w.locked(ctx)
		default:
			err = w.compared(ctx, i == 0)
		}
		if err != nil {
			return fmt.Errorf("writer %s: %w", w.name, err)
		}
	}
	return nil
}

// compared reads, works the new value out and writes it: blindly, or if the
// version is still the one it read, and else over again.
func (w *contender) compared(ctx context.Context, meet bool) error {
	for {
		value, version, err := w.read(ctx, w.c.db)
		if meet {
			w.first.Done()
			w.first.Wait()
			meet = false
		}
		if err != nil {
			return err
		}
		done, err := w.write(ctx, w.c.db, value+1, version)
		if err != nil || done {
			return err
		}
		w.conflicts++
	}
}

// locked does both under the lock, which the others wait for.
func (w *contender) locked(ctx context.Context) error {
	began := time.Now()
	tx, err := w.c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	w.waited += time.Since(began)
	value, version, err := w.read(ctx, tx)
	if err == nil {
		_, err = w.write(ctx, tx, value+1, version)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// querier is a connection or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (w *contender) read(ctx context.Context, q querier) (value, version int, err error) {
	err = q.QueryRowContext(ctx, selectRow).Scan(&value, &version)
	if w.c.history != nil && err == nil {
		w.c.history.Append(Event{Process: w.name, Type: OK, Op: OpRead, Resource: "counter", Value: strconv.Itoa(value), Version: uint64(version)})
	}
	return value, version, err
}

// write sends the new value. False means that the version had moved on.
func (w *contender) write(ctx context.Context, q querier, value, base int) (bool, error) {
	invoke := Event{}
	if h := w.c.history; h != nil {
		invoke = h.Append(Event{Process: w.name, Type: Invoke, Op: OpWrite, Resource: "counter", Value: strconv.Itoa(value), Base: uint64(base)})
		w.c.mu.Lock()
		defer w.c.mu.Unlock()
	}
	version, sqlText := 0, fmt.Sprintf("UPDATE counter SET value = %d, version = version + 1 WHERE id = 1", value)
	var row *sql.Row
	if w.mode == modeVersion {
		sqlText += fmt.Sprintf(" AND version = %d", base)
		row = q.QueryRowContext(ctx, updateVersion, value, base)
	} else {
		row = q.QueryRowContext(ctx, updateRow, value)
	}
	err := row.Scan(&version)
	moved := errors.Is(err, sql.ErrNoRows)
	if err != nil && !moved {
		return false, err
	}
	w.decided(invoke, sqlText, uint64(version), moved)
	if !moved {
		w.acknowledged++
	}
	return !moved, nil
}

// decided logs what the database did with a write.
func (w *contender) decided(invoke Event, sqlText string, version uint64, moved bool) {
	if w.c.history == nil {
		return
	}
	e := Event{Process: StoreName, Type: OK, Op: OpWrite, Call: invoke.Seq, Resource: "counter", Value: invoke.Value,
		Base: invoke.Base, Version: version, Wire: []lock.Exchange{{Request: sqlText, Reply: "1 row"}}}
	if moved {
		e.Type, e.Err, e.Wire[0].Reply = Fail, versionMoved, "0 rows"
	}
	w.c.history.Append(e)
}

// contend lets writers increment one row at the same time, n times each.
func contend(ctx context.Context, mode string, writers, n int, h *History) (t tally, final int, took time.Duration, err error) {
	c, err := newCounter(writers, h)
	if err != nil {
		return t, 0, 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	var first sync.WaitGroup
	first.Add(writers)
	all := make([]*contender, writers)
	for i := range all {
		all[i] = &contender{c: c, name: fmt.Sprintf("w%d", i+1), mode: mode, first: &first}
	}
	began := time.Now()
	err = parallel(writers, func(i int) error { return all[i].increment(ctx, n) })
	took = time.Since(began)
	for _, w := range all {
		t.acknowledged += w.acknowledged
		t.conflicts += w.conflicts
		t.waited += w.waited
	}
	if err == nil {
		final, err = c.value(ctx)
	}
	return t, final, took, err
}
