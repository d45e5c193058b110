package progress

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// killedDir makes the test binary a process that answers cards in this
// directory until it is killed.
const killedDir = "LOCKDRILL_TEST_ANSWER_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		fmt.Fprintln(os.Stderr, answerForever(dir))
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

func scanText(rows *sql.Rows) (s string, err error) {
	err = rows.Scan(&s)
	return s, err
}
