package progress

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// TestSameAsTSFSRS replays 10,000 random review sequences whose outcome was
// written down once from ts-fsrs 5.4.2 (testdata/fsrs_fixture.mjs).
func TestSameAsTSFSRS(t *testing.T) {
	f, err := os.Open("testdata/fsrs.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines, reviews := 0, 0
	sc := bufio.NewScanner(z)
	for sc.Scan() {
		lines++
		n, err := replaySequence(sc.Text())
		if err != nil {
			t.Fatalf("sequence %d, review %d: %v", lines, n, err)
		}
		reviews += n
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if lines != 10_000 {
		t.Fatalf("read %d sequences, want 10000", lines)
	}
	t.Logf("%d sequences, %d reviews", lines, reviews)
}

type expected struct {
	minutes, grade, state, due int
	stability, difficulty      float64
	lapses                     int
}

func replaySequence(line string) (int, error) {
	var m Memory
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, field := range strings.Split(line, ";") {
		var e expected
		if _, err := fmt.Sscanf(field, "%d,%d,%d,%d,%g,%g,%d", &e.minutes, &e.grade, &e.state,
			&e.due, &e.stability, &e.difficulty, &e.lapses); err != nil {
			return i, err
		}
		now = now.Add(time.Duration(e.minutes) * time.Minute)
		after, err := m.After(Grade(e.grade), now)
		if err != nil {
			return i, err
		}
		if m = after; !e.matches(m, now) {
			return i, fmt.Errorf("got %+v, want %+v", m, e)
		}
	}
	return strings.Count(line, ";") + 1, nil
}

func (e expected) matches(m Memory, now time.Time) bool {
	const sixDecimals = 1e-6
	return int(m.Phase) == e.state && m.Lapses == e.lapses &&
		math.Round(m.Due.Sub(now).Minutes()) == float64(e.due) &&
		math.Abs(m.Stability-e.stability) < sixDecimals &&
		math.Abs(m.Difficulty-e.difficulty) < sixDecimals
}
