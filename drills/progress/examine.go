package progress

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// appID marks our files (SQLite's application_id): "lkdr".
const appID = 0x6c6b6472

// smallFile is the size up to which a record is checked whole each time it is
// opened. A larger one is checked whole once a day, before its backup.
const smallFile = 1 << 20

// examine decides whether the file may be opened for writing, without changing
// it: first from its bytes alone, and only then through SQLite, read-only. It
// reports whether there is a file at all.
func (r *Record) examine(ctx context.Context) (exists bool, err error) {
	info, err := os.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, r.orphanedLog()
	case err != nil:
		return false, &FileError{Path: r.path, Fault: Unreadable, Err: err}
	}
	if err := r.checkAccess(info); err != nil {
		return true, err
	}
	if err := r.checkBytes(info.Size()); err != nil {
		return true, err
	}
	return true, r.checkContent(ctx, info.Size())
}

// orphanedLog refuses to start afresh beside a write-ahead log that still holds
// answers: SQLite would replay it into the new file.
func (r *Record) orphanedLog() error {
	wal := r.path + "-wal"
	if info, err := os.Stat(wal); err != nil || info.Size() == 0 {
		return nil
	}
	return &FileError{Path: r.path, Fault: Damaged, Backups: r.Backups(),
		Detail: "the file is gone, but " + filepath.Base(wal) + " is there and holds answers"}
}

// checkAccess goes by the permission bits as well as by what the system says:
// who took away the right to write meant it for root too.
func (r *Record) checkAccess(info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return &FileError{Path: r.path, Fault: Unreadable, Detail: "it is a directory"}
	case !mode.IsRegular():
		return &FileError{Path: r.path, Fault: Unreadable, Detail: "it is not a regular file"}
	case mode.Perm()&0o400 == 0:
		return &FileError{Path: r.path, Fault: Unreadable, Err: unix.EACCES}
	case mode.Perm()&0o200 == 0:
		return &FileError{Path: r.path, Fault: ReadOnly, Detail: "the file is read-only"}
	}
	if err := unix.Access(r.path, unix.R_OK); err != nil {
		return &FileError{Path: r.path, Fault: Unreadable, Err: err}
	}
	if err := unix.Access(r.path, unix.W_OK); err != nil {
		return &FileError{Path: r.path, Fault: ReadOnly, Err: err}
	}
	if err := unix.Access(filepath.Dir(r.path), unix.W_OK|unix.X_OK); err != nil {
		return &FileError{Path: r.path, Fault: ReadOnly, Err: fmt.Errorf("its directory: %w", err)}
	}
	return nil
}

// checkBytes judges the header (https://www.sqlite.org/fileformat.html, 1.3).
func (r *Record) checkBytes(size int64) error {
	var head [100]byte
	f, err := os.Open(r.path)
	if err != nil {
		return &FileError{Path: r.path, Fault: Unreadable, Err: err}
	}
	defer f.Close()
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return r.damaged(fmt.Sprintf("it holds %d bytes, too few for a database", size))
	}
	if !bytes.HasPrefix(head[:], []byte("SQLite format 3\x00")) {
		return r.damaged("it is not a database")
	}
	number := func(at int) int { return int(binary.BigEndian.Uint32(head[at:])) }
	if err := r.checkOwner(number(68), number(60)); err != nil {
		return err
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 { // stands for 65536, which does not fit
		page = 1 << 16
	}
	// The page count is only valid while these two counters agree.
	if want := page * int64(number(28)); number(24) == number(92) && size < want {
		return r.damaged(fmt.Sprintf("it is cut short: %d of %d bytes", size, want))
	}
	return nil
}

func (r *Record) checkOwner(app, version int) error {
	if app != appID {
		return &FileError{Path: r.path, Fault: Foreign, Detail: fmt.Sprintf("application id %#x", app)}
	}
	if version < 1 {
		return r.damaged(fmt.Sprintf("schema version %d", version))
	}
	if version > len(r.steps) {
		return &FileError{Path: r.path, Fault: Newer,
			Detail: fmt.Sprintf("schema %d, this program knows up to %d", version, len(r.steps))}
	}
	return nil
}

// checkContent looks again through SQLite. A write-ahead log that a killed
// process left behind is read with the file. Where there is none nobody has the
// file open, and SQLite is told that it does not change, so that it makes no log
// of its own beside a file that is then refused.
func (r *Record) checkContent(ctx context.Context, size int64) error {
	if r.hasLog() {
		return r.checkThrough(ctx, "mode=ro", size)
	}
	err := r.checkThrough(ctx, "mode=ro&immutable=1", size)
	if err != nil && r.hasLog() { // somebody opened it meanwhile: it did change
		return r.checkThrough(ctx, "mode=ro", size)
	}
	return err
}

func (r *Record) hasLog() bool {
	_, err := os.Stat(r.path + "-wal")
	return err == nil
}

func (r *Record) checkThrough(ctx context.Context, mode string, size int64) error {
	db, err := sql.Open("sqlite", dsn(r.path, mode))
	if err != nil {
		return r.explain("open the record", err)
	}
	defer db.Close()
	var app, version int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
		return r.explain("examine the record", err)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return r.explain("examine the record", err)
	}
	if err := r.checkOwner(app, version); err != nil {
		return err
	}
	if size > smallFile {
		return nil
	}
	return r.checkPages(ctx, db)
}

// checkPages reads every page of the file.
func (r *Record) checkPages(ctx context.Context, db *sql.DB) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return r.explain("check the record", err)
	}
	if verdict != "ok" {
		return r.damaged(strings.Join(strings.Fields(verdict), " "))
	}
	return nil
}

func (r *Record) damaged(detail string) error {
	return &FileError{Path: r.path, Fault: Damaged, Detail: detail, Backups: r.Backups()}
}
