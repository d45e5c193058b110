package progress

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Fault is what is wrong with a record.
type Fault int

// The faults. None of them changes a byte of the file.
const (
	Damaged    Fault = 1 + iota // cut short, overwritten, or no database at all
	Foreign                     // a database of another program
	Newer                       // written by a newer lockdrill
	Unreadable                  // a directory, or no permission to read it
	ReadOnly                    // no permission to write the file or beside it
	Full                        // no space left
	Locked                      // another program kept it locked for two seconds
)

// FileError says what is wrong with the record at Path and what to do. Find it
// with errors.As.
type FileError struct {
	Path    string
	Fault   Fault
	Detail  string   // what was found; may be empty
	Backups []string // what can be restored, newest first
	Err     error    // the cause; may be nil
}

func (e *FileError) Unwrap() error { return e.Err }

// Error is one line: what failed, why, and what to do next.
func (e *FileError) Error() string {
	detail := e.Detail
	if detail == "" && e.Err != nil {
		detail = e.Err.Error()
	}
	return fmt.Sprintf("the record %s %s (%s); nothing was changed; %s", e.Path, e.what(), detail, e.remedy())
}

func (e *FileError) what() string {
	switch e.Fault {
	case Foreign:
		return "belongs to another program"
	case Newer:
		return "was written by a newer lockdrill"
	case Unreadable:
		return "cannot be read"
	case ReadOnly:
		return "cannot be written"
	case Full:
		return "cannot grow: the disk is full"
	case Locked:
		return "is locked by another program"
	}
	return "is damaged"
}

func (e *FileError) remedy() string {
	switch e.Fault {
	case Foreign:
		return "choose another directory with --data"
	case Newer:
		return "upgrade lockdrill"
	case Unreadable, ReadOnly:
		return "check its permissions, or choose another directory with --data"
	case Full:
		return "free some space and try again"
	case Locked:
		return "close that program and try again"
	}
	if len(e.Backups) == 0 {
		return "there is no backup yet: move it away to start afresh"
	}
	return fmt.Sprintf("move %s* away and copy back the last backup, %s (%d kept)",
		filepath.Base(e.Path), e.Backups[0], len(e.Backups))
}

// ErrNothingToUndo is returned when no answer is left to undo.
var ErrNothingToUndo = errors.New("nothing to undo: no answer is left in the record")

// explain turns what SQLite or the system said into a FileError where it is
// about the file; any other error is returned with what was being done.
func (r *Record) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	var known *FileError
	if errors.As(err, &known) || errors.Is(err, ErrNothingToUndo) {
		return err
	}
	fault := faultOf(err)
	if fault == 0 {
		return fmt.Errorf("%s (%s): %w", doing, r.path, err)
	}
	e := &FileError{Path: r.path, Fault: fault, Err: err}
	if fault == Damaged {
		e.Backups = r.Backups()
	}
	return e
}

func faultOf(err error) Fault {
	var se *sqlite.Error
	if errors.As(err, &se) {
		return faultOfCode(se.Code())
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Full
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return ReadOnly
	}
	return 0
}

// faultOfIO reads the extended codes of an input or output error.
func faultOfIO(code int) Fault {
	switch code {
	case lib.SQLITE_IOERR_SHORT_READ, lib.SQLITE_IOERR_CORRUPTFS:
		return Damaged
	case lib.SQLITE_IOERR_SHMSIZE: // no room for the index of the write-ahead log
		return Full
	}
	return 0
}

// faultOfCode reads SQLite's result code; its low byte is the primary one.
func faultOfCode(code int) Fault {
	switch code & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_FORMAT:
		return Damaged
	case lib.SQLITE_ERROR, lib.SQLITE_MISMATCH:
		// Our statements are right, so it is the tables that are not as they
		// should be.
		return Damaged
	case lib.SQLITE_FULL:
		return Full
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return Locked
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return ReadOnly
	case lib.SQLITE_CANTOPEN:
		return Unreadable
	case lib.SQLITE_IOERR:
		return faultOfIO(code)
	}
	return 0
}
