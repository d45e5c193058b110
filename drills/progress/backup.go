package progress

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// backupsKept is how many backups stay; older ones are removed.
const backupsKept = 7

// Backups are the paths of the backups there are, newest first. Each is a whole
// record: copied over the damaged one, it opens.
func (r *Record) Backups() []string {
	// The pattern is well formed, and a directory that cannot be read has none
	// to offer.
	names, _ := filepath.Glob(filepath.Join(globLiteral(r.backupDir()), "progress-*.db"))
	slices.Sort(names)
	slices.Reverse(names)
	return names
}

func (r *Record) backupDir() string { return filepath.Join(filepath.Dir(r.path), "backups") }

// globLiteral keeps a directory named with pattern characters from being read
// as a pattern.
func globLiteral(dir string) string {
	out := make([]byte, 0, len(dir))
	for i := range len(dir) {
		if b := dir[i]; b == '*' || b == '?' || b == '[' || b == '\\' {
			out = append(out, '\\')
		}
		out = append(out, dir[i])
	}
	return string(out)
}

// daily makes the backup of a day before its first write, unless there is one.
// The pages and the cache are checked first: a damaged record is not written to
// and never replaces a good backup.
func (r *Record) daily(ctx context.Context, day Day) error {
	if r.notSaved != nil || r.checked == day {
		return nil
	}
	if _, err := os.Stat(r.backupPath(string(day))); err == nil {
		r.checked = day
		return nil
	}
	if err := r.checkPages(ctx, r.db); err != nil {
		return err
	}
	if err := r.checkCache(ctx, r.db); err != nil {
		return err
	}
	// An answer is worth more than its backup: what keeps the backup from being
	// made is reported and does not keep the answer from being saved.
	r.backupErr = r.backUp(ctx, r.db, string(day))
	r.checked = day
	return nil
}

func (r *Record) backupPath(name string) string {
	return filepath.Join(r.backupDir(), "progress-"+name+".db")
}

// backUp writes a whole copy under a temporary name, syncs it, and renames it.
func (r *Record) backUp(ctx context.Context, db *sql.DB, name string) error {
	if err := makeDir(r.backupDir()); err != nil {
		return err
	}
	f, err := os.CreateTemp(r.backupDir(), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", f.Name()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	path := r.backupPath(name)
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return errors.Join(syncDir(r.backupDir()), r.prune(path))
}

// prune removes the oldest backups, never the one just made.
func (r *Record) prune(made string) error {
	var err error
	for i, path := range r.Backups() {
		if i >= backupsKept && path != made {
			if e := os.Remove(path); !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}
