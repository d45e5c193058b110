package progress

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneBackupADaySevenKept(t *testing.T) {
	dir := t.TempDir()
	for day := range 10 {
		r := openIn(t, dir)
		for range 2 {
			answer(t, r, "a", Good, noonUTC.AddDate(0, 0, day))
		}
		if err := errors.Join(r.BackupError(), r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	backups := openIn(t, dir).Backups()
	if len(backups) != backupsKept || filepath.Base(backups[0]) != "progress-2026-12-08.db" ||
		filepath.Base(backups[6]) != "progress-2026-12-02.db" {
		t.Errorf("backups %q", backups)
	}
	left, err := filepath.Glob(filepath.Join(dir, "backups", ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left over: %q, %v", left, err)
	}
}

func TestABackupThatCannotBeMadeIsReportedAndTheAnswerSaved(t *testing.T) {
	dir, _ := recorded(t)
	if err := os.WriteFile(filepath.Join(dir, "backups"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := openIn(t, dir)
	answer(t, r, "a", Good, noonUTC.AddDate(0, 0, 1))
	if r.BackupError() == nil {
		t.Error("no error for a backup directory that is a file")
	}
	if got := numbersOf(t, openIn(t, dir)); !strings.Contains(got, "2026-11-30 1 1") {
		t.Errorf("numbers %s", got)
	}
}

// A later lockdrill with one more schema step opens the record of this one.
func TestMigrationIsBackedUpFirst(t *testing.T) {
	dir, path := recorded(t)
	first := openIn(t, dir)
	want := numbersOf(t, first)
	first.Close()
	later := append(append([]string{}, schema...), "ALTER TABLE lab ADD COLUMN note TEXT NOT NULL DEFAULT ''")
	r, err := open(t.Context(), dir, later)
	if err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, r); got != want {
		t.Errorf("migrated:\n%s\nbefore:\n%s", got, want)
	}
	backups := r.Backups()
	if len(backups) != 1 || filepath.Base(backups[0]) != "progress-before-schema-2.db" || r.Close() != nil {
		t.Fatalf("backups %q", backups)
	}
	var fe *FileError
	if _, err := Open(t.Context(), dir); !errors.As(err, &fe) || fe.Fault != Newer {
		t.Errorf("this program opened the newer record: %v", err)
	}
	good, err := os.ReadFile(backups[0])
	if err != nil {
		t.Fatal(err)
	}
	overwrite(good)(t, path)
	if got := numbersOf(t, openIn(t, dir)); got != want {
		t.Errorf("the backup holds:\n%s\nwant:\n%s", got, want)
	}
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	dir, path := recorded(t)
	want := numbersOf(t, openIn(t, dir))
	broken := append(append([]string{}, schema...), "ALTER TABLE lab ADD COLUMN note TEXT; SELECT nonsense")
	if _, err := open(t.Context(), dir, broken); err == nil {
		t.Fatal("a broken step was taken")
	}
	if got := numbersOf(t, openIn(t, dir)); got != want {
		t.Errorf("after it:\n%s\nbefore:\n%s", got, want)
	}
	if _, err := os.Stat(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestNoMigrationWithoutItsBackup(t *testing.T) {
	dir, _ := recorded(t)
	if err := os.WriteFile(filepath.Join(dir, "backups"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, dir)
	later := append(append([]string{}, schema...), "ALTER TABLE lab ADD COLUMN note TEXT")
	if _, err := open(t.Context(), dir, later); err == nil {
		t.Fatal("migrated without a backup")
	}
	if after := fingerprint(t, dir); after != before {
		t.Errorf("the directory changed from %s to %s", before, after)
	}
}

// A cache that does not add up to the log is made anew before the first write
// of a day.
func TestACacheThatDisagreesIsRebuilt(t *testing.T) {
	dir, path := recorded(t)
	want, err := openIn(t, dir).Memory(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	runSQL(t, path, "UPDATE memory SET reps = 9, stability = 1 WHERE card = 'a'")
	r := openIn(t, dir)
	answer(t, r, "b", Good, noonUTC.AddDate(0, 0, 1))
	if got, err := r.Memory(t.Context(), "a"); err != nil || got != want {
		t.Errorf("memory %+v, %v, want %+v", got, err, want)
	}
}
