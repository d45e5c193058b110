package progress

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"modernc.org/sqlite"
)

// killedDir makes the test binary a process that answers cards in this
// directory until it is killed.
const killedDir = "LOCKDRILL_TEST_ANSWER_IN"

// migratedDir makes it one that stays in the middle of a migration there.
const migratedDir = "LOCKDRILL_TEST_MIGRATE_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		fmt.Fprintln(os.Stderr, answerForever(dir))
		os.Exit(1)
	}
	if dir := os.Getenv(migratedDir); dir != "" {
		fmt.Fprintln(os.Stderr, migrateForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// answerForever prints the id of each answer once it is saved.
func answerForever(dir string) error {
	ctx := context.Background()
	r, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		at := time.Date(2026, 11, 29, 12, 0, i, 0, time.UTC)
		v, err := r.Answer(ctx, Answer{Card: fmt.Sprint("card-", i%5), Grade: Good, At: at})
		if err != nil {
			return err
		}
		fmt.Println(v.ID)
	}
}

// TestKilledInMidSession kills a process that answers cards a hundred times.
// Every answer that it reported as saved is there, and the cards are what the
// log says.
func TestKilledInMidSession(t *testing.T) {
	dir := t.TempDir()
	var reported []string
	for i := range 100 {
		reported = append(reported, killAfter(t, dir, 1+i%4)...)
	}
	r := openIn(t, dir)
	saved := map[string]bool{}
	ids, err := list(t.Context(), r, "read the log", "SELECT lower(hex(id)) FROM review", scanText)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		saved[id] = true
	}
	for _, id := range reported {
		if !saved[id] {
			t.Errorf("answer %s was reported as saved and is not there", id)
		}
	}
	before := numbersOf(t, r)
	if err := r.Rebuild(t.Context(), noonUTC); err != nil {
		t.Fatal(err)
	}
	if after := numbersOf(t, r); after != before {
		t.Error("the cards are not what the log says")
	}
	t.Logf("%d answers reported, %d in the log", len(reported), len(ids))
}

// killAfter starts the process, waits for so many answers, kills it, and
// returns every answer it managed to report.
func killAfter(t *testing.T, dir string, answers int) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for sc := bufio.NewScanner(out); sc.Scan(); {
		if len(sc.Text()) == 32 { // a line cut by the kill is no report
			ids = append(ids, sc.Text())
		}
		if len(ids) == answers {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed: that is the error
	if len(ids) < answers {
		t.Fatalf("the process ended after %d answers", len(ids))
	}
	return ids
}

// migrateForever prints a line in the middle of a schema step and stays there.
func migrateForever(dir string) error {
	hang := func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		fmt.Println("migrating")
		select {}
	}
	if err := sqlite.RegisterScalarFunction("hang", 0, hang); err != nil {
		return err
	}
	_, err := open(context.Background(), dir, append(append([]string{}, schema...),
		"ALTER TABLE lab ADD COLUMN note TEXT; CREATE TABLE half (x INTEGER) STRICT; SELECT hang()"))
	return err
}

// A process that is killed in the middle of a migration leaves the old schema
// and the backup; the next start goes on with either program.
func TestKilledInMidMigration(t *testing.T) {
	dir, _ := recorded(t)
	first := openIn(t, dir)
	want := numbersOf(t, first)
	first.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), migratedDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "migrating\n" {
		t.Errorf("the process said %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed: that is the error
	old := openIn(t, dir)
	if got := numbersOf(t, old); got != want || len(old.Backups()) != 1 {
		t.Errorf("after the kill:\n%s\nbefore:\n%s\nbackups %q", got, want, old.Backups())
	}
	old.Close()
	r, err := open(t.Context(), dir, append(append([]string{}, schema...), "ALTER TABLE lab ADD COLUMN note TEXT"))
	if err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, r); got != want || r.Close() != nil {
		t.Errorf("migrated:\n%s\nbefore:\n%s", got, want)
	}
}

func scanText(rows *sql.Rows) (s string, err error) {
	err = rows.Scan(&s)
	return s, err
}
