package progress

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// recorded is a directory whose record holds two answers, closed.
func recorded(t testing.TB) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	r := openIn(t, dir)
	answer(t, r, "a", Good, noonUTC)
	answer(t, r, "b", Again, noonUTC)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, fileName)
}

func runSQL(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, "mode=rwc"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

func overwrite(content []byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func edit(change func([]byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		overwrite(change(b))(t, path)
	}
}

func chmod(mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
}

// Each of these is refused with one line that names the file and what to do,
// and the file is left as it was.
func TestWhatIsNotOursIsRefusedUnchanged(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(t *testing.T, path string)
		fault  Fault
		phrase string
	}{
		{"cut in half", edit(func(b []byte) []byte { return b[:len(b)/2] }), Damaged, "cut short"},
		{"zero bytes", overwrite(nil), Damaged, "0 bytes"},
		{"NULs", overwrite(make([]byte, 8192)), Damaged, "not a database"},
		{"an object", overwrite([]byte("{}")), Damaged, "2 bytes"},
		{"a long text", overwrite(bytes.Repeat([]byte("[]"), 900)), Damaged, "not a database"},
		{"a page overwritten", edit(func(b []byte) []byte {
			copy(b[4096:], bytes.Repeat([]byte{0xa5}, 4096))
			return b
		}), Damaged, "move it away"},
		{"its tables gone", func(t *testing.T, path string) {
			os.Remove(path)
			runSQL(t, path, "PRAGMA application_id = 0x6c6b6472", "CREATE TABLE x (y)")
		}, Damaged, "schema version 0"},
		{"another program's", func(t *testing.T, path string) { runSQL(t, path, "PRAGMA application_id = 7") },
			Foreign, "choose another directory"},
		{"newer", func(t *testing.T, path string) {
			runSQL(t, path, "ALTER TABLE review ADD COLUMN mood TEXT", "PRAGMA user_version = 2")
		}, Newer, "upgrade lockdrill"},
		{"mode 000", chmod(0), Unreadable, "permission"},
		{"read-only", chmod(0o400), ReadOnly, "permissions"},
		{"a directory", func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, Unreadable, "it is a directory"},
		{"a pipe", func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, Unreadable, "not a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, path := recorded(t)
			c.spoil(t, path)
			before := fingerprint(t, dir)
			_, err := Open(t.Context(), dir)
			var fe *FileError
			if !errors.As(err, &fe) || fe.Fault != c.fault {
				t.Fatalf("error %v, want fault %d", err, c.fault)
			}
			if text := err.Error(); !strings.Contains(text, c.phrase) || !strings.Contains(text, path) || strings.Contains(text, "\n") {
				t.Errorf("message %q, want %q and the path on one line", text, c.phrase)
			}
			if after := fingerprint(t, dir); after != before {
				t.Errorf("the directory changed from %s to %s", before, after)
			}
		})
	}
}

// fingerprint is the name, mode and content of everything in a directory.
func fingerprint(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out.WriteString(" " + d.Name() + info.Mode().String())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			sum := sha256.Sum256(b)
			out.Write(sum[:4])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestADamagedRecordNamesItsBackup(t *testing.T) {
	dir, path := recorded(t)
	r := openIn(t, dir)
	answer(t, r, "a", Good, noonUTC.AddDate(0, 0, 1)) // the next day: a backup comes first
	backups := r.Backups()
	if len(backups) != 1 || r.Close() != nil {
		t.Fatalf("backups %q", backups)
	}
	overwrite(nil)(t, path)
	_, err := Open(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), backups[0]) {
		t.Fatalf("error %v does not name %s", err, backups[0])
	}
	good, err := os.ReadFile(backups[0])
	if err != nil {
		t.Fatal(err)
	}
	overwrite(good)(t, path)
	if got := numbersOf(t, openIn(t, dir)); !strings.Contains(got, "2026-11-29 2 1") {
		t.Errorf("restored: %s", got)
	}
}

func TestAForgottenWriteAheadLogIsNotReplayedIntoANewFile(t *testing.T) {
	dir := t.TempDir()
	wal := filepath.Join(dir, fileName+"-wal")
	overwrite([]byte("answers"))(t, wal)
	_, err := Open(t.Context(), dir)
	var fe *FileError
	if !errors.As(err, &fe) || fe.Fault != Damaged {
		t.Fatalf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, fileName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a record was made beside the log: %v", err)
	}
}

// The file opens, but it is not what this program wrote.
func TestTablesOfAnotherShapeAreDamage(t *testing.T) {
	for _, spoil := range []string{
		"DROP TABLE memory",
		"ALTER TABLE memory RENAME COLUMN phase TO stage",
		"DROP TABLE memory; CREATE TABLE memory (card, phase, due_ms, stability, difficulty, reps, lapses, steps, last_ms); INSERT INTO memory VALUES ('a', 'x', 'y', 'z', 0, 0, 0, 0, 0)",
	} {
		dir, path := recorded(t)
		runSQL(t, path, spoil)
		before := fingerprint(t, dir)
		r := openIn(t, dir)
		_, err := r.Memories(t.Context())
		r.Close()
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", spoil, err)
		}
		if after := fingerprint(t, dir); after != before {
			t.Errorf("%s: the directory changed from %s to %s", spoil, before, after)
		}
	}
}

func TestALockedRecordSaysSo(t *testing.T) {
	dir, path := recorded(t)
	db, err := sql.Open("sqlite", dsn(path, "mode=rw"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}()
	_, err = openIn(t, dir).Answer(t.Context(), Answer{Card: "a", Grade: Good, At: noonUTC})
	var fe *FileError
	if !errors.As(err, &fe) || fe.Fault != Locked || !strings.Contains(err.Error(), "close that program") {
		t.Errorf("error %v", err)
	}
}

func TestAFullDiskSaysSoAndLosesNothing(t *testing.T) {
	dir, _ := recorded(t)
	r := openIn(t, dir)
	before := numbersOf(t, r)
	var pages int
	if err := r.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	// The next page that is asked for is not to be had.
	if _, err := r.db.Exec("PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := 0; i < 2000 && err == nil; i++ {
		_, err = r.Answer(t.Context(), Answer{Card: strings.Repeat("long", 200), Grade: Good, At: noonUTC})
		if err == nil {
			before = numbersOf(t, r)
		}
	}
	var fe *FileError
	if !errors.As(err, &fe) || fe.Fault != Full || !strings.Contains(err.Error(), "free some space") {
		t.Fatalf("error %v", err)
	}
	r.Close()
	if after := numbersOf(t, openIn(t, dir)); after != before {
		t.Errorf("after the failure:\n%s\nbefore:\n%s", after, before)
	}
}

func TestSystemErrorsAreFaultsToo(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Fault
	}{
		{syscall.ENOSPC, Full}, {syscall.EDQUOT, Full}, {syscall.EROFS, ReadOnly},
		{syscall.EACCES, ReadOnly}, {syscall.EPERM, ReadOnly}, {context.Canceled, 0},
	} {
		if got := faultOf(&fs.PathError{Op: "write", Path: "x", Err: c.err}); got != c.want {
			t.Errorf("%v: fault %d, want %d", c.err, got, c.want)
		}
	}
}

func TestReadingChangesNothing(t *testing.T) {
	dir, _ := recorded(t)
	before := fingerprint(t, dir)
	r := openIn(t, dir)
	numbersOf(t, r)
	if err := errors.Join(r.Export(t.Context(), io.Discard), r.Close()); err != nil {
		t.Fatal(err)
	}
	if after := fingerprint(t, dir); after != before {
		t.Errorf("the directory changed from %s to %s", before, after)
	}
}

func TestReadingCreatesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet")
	r := openIn(t, dir)
	if got := numbersOf(t, r); got != "map[] []" {
		t.Errorf("an empty record holds %s", got)
	}
	if _, err := r.UndoLast(t.Context(), noonUTC); !errors.Is(err, ErrNothingToUndo) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made %s: %v", filepath.Dir(dir), err)
	}
}

func TestFilesArePrivateWhateverTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o777} {
		old := unix.Umask(mask)
		root := t.TempDir()
		if err := os.Chmod(root, 0o700); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, "a", "b")
		r := openIn(t, dir)
		answer(t, r, "a", Good, noonUTC)
		err := r.backUp(t.Context(), r.db, "now")
		unix.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]os.FileMode{
			filepath.Dir(dir): 0o700, dir: 0o700, r.path: 0o600, r.path + "-wal": 0o600,
			r.backupDir(): 0o700, r.Backups()[0]: 0o600,
		} {
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s has mode %v, %v", mask, path, info.Mode().Perm(), err)
			}
		}
	}
}

// The record may be a link, to another disk too; also to a file that does not
// exist yet. The link stays.
func TestASymbolicLinkIsKept(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	link, target := filepath.Join(dir, fileName), filepath.Join(elsewhere, "mine.db")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := openIn(t, dir)
		answer(t, r, "a", Good, noonUTC)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.Readlink(link); err != nil || got != target {
		t.Errorf("the link is now %q, %v", got, err)
	}
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
}

func TestALinkToItselfIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(fileName, filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	var fe *FileError
	if _, err := Open(t.Context(), dir); !errors.As(err, &fe) || fe.Fault != Unreadable {
		t.Errorf("error %v", err)
	}
}

// Answers are then kept for the session, and the reason is there to be shown.
func TestWhereNothingCanBeCreatedTheRecordIsInMemory(t *testing.T) {
	home := t.TempDir()
	if err := os.Chmod(home, 0o555); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		r, err := Open(t.Context(), filepath.Join(home, "data"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if why := r.NotSaved(); why == nil || !strings.Contains(why.Error(), filepath.Join(home, "data", fileName)) {
			t.Errorf("reason %v", why)
		}
		answer(t, r, "a", Good, noonUTC)
		if _, err := r.UndoLast(t.Context(), noonUTC); err != nil {
			t.Error(err)
		}
	})
}

func TestADirectoryThatMayNotBeWrittenIsRefused(t *testing.T) {
	dir, path := recorded(t)
	if err := errors.Join(os.Chmod(path, 0o666), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, dir)
	asNobody(t, func() {
		var fe *FileError
		if _, err := Open(t.Context(), dir); !errors.As(err, &fe) || fe.Fault != ReadOnly {
			t.Errorf("error %v", err)
		}
	})
	if after := fingerprint(t, dir); after != before {
		t.Errorf("the directory changed from %s to %s", before, after)
	}
}

func TestARecordInMemoryKeepsItsReason(t *testing.T) {
	why := errors.New("no home")
	r, err := Unsaved(t.Context(), why)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	answer(t, r, "a", Good, noonUTC)
	if !errors.Is(r.NotSaved(), why) || !strings.Contains(numbersOf(t, r), "a:") {
		t.Errorf("reason %v, numbers %s", r.NotSaved(), numbersOf(t, r))
	}
}

func TestADataDirectoryThatIsAFileIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	overwrite([]byte("x"))(t, dir)
	var fe *FileError
	if _, err := Open(t.Context(), dir); !errors.As(err, &fe) || fe.Fault != Unreadable {
		t.Errorf("error %v", err)
	}
}

// Names that mean something in a URI or in a file pattern are only names here.
func TestTheDirectoryMayHaveAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "50% off? #1 [x]*\\ü")
	for i := range 2 {
		r := openIn(t, dir)
		answer(t, r, "a", Good, noonUTC.AddDate(0, 0, i))
		if got := len(r.Backups()); got != i {
			t.Errorf("%d backups, want %d", got, i)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTwoRecordsAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	const each = 25
	done := make(chan error)
	for w := range 4 {
		go func() {
			r, err := Open(context.Background(), dir)
			for i := 0; i < each && err == nil; i++ {
				_, err = r.Answer(context.Background(), Answer{Card: string(rune('a' + i%7)), Grade: Grades[w], At: noonUTC})
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	days, err := openIn(t, dir).Days(t.Context())
	if err != nil || len(days) != 1 || days[0].Reviews != 4*each {
		t.Errorf("days %+v, %v", days, err)
	}
}

func TestTheCopiedFileOpensElsewhere(t *testing.T) {
	dir, path := recorded(t)
	want := numbersOf(t, openIn(t, dir))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	overwrite(b)(t, filepath.Join(other, fileName))
	if got := numbersOf(t, openIn(t, other)); got != want {
		t.Errorf("copied:\n%s\noriginal:\n%s", got, want)
	}
}

func TestDefaultDirectory(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for _, c := range []struct{ name, value, want string }{
		{"absolute", "/data", "/data/lockdrill"},
		{"empty", "", "/home/me/.local/share/lockdrill"},
		{"relative", "x", "/home/me/.local/share/lockdrill"},
	} {
		t.Setenv("XDG_DATA_HOME", c.value)
		if got, err := DefaultDir(); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	t.Setenv("HOME", "")
	if _, err := DefaultDir(); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("without a home: %v", err)
	}
}
