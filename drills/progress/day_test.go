package progress

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func inZone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestDayTurnsAtFourLocal(t *testing.T) {
	for _, zone := range []string{"Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles", "UTC"} {
		loc := inZone(t, zone)
		for _, c := range []struct {
			clock string
			want  Day
		}{
			{"2026-11-29 03:30", "2026-11-28"},
			{"2026-11-29 03:59", "2026-11-28"},
			{"2026-11-29 04:00", "2026-11-29"},
			{"2026-11-29 04:01", "2026-11-29"},
			{"2026-11-29 17:30", "2026-11-29"},
			{"2027-01-01 00:10", "2026-12-31"},
		} {
			now, err := time.ParseInLocation("2006-01-02 15:04", c.clock, loc)
			if err != nil {
				t.Fatal(err)
			}
			if got := DayOf(now); got != c.want {
				t.Errorf("%s %s: day %s, want %s", zone, c.clock, got, c.want)
			}
		}
	}
}

// The clocks change within the study days drawn here, in both hemispheres and
// by half an hour (Lord Howe).
func TestDayAndItsEndAgree(t *testing.T) {
	zones := []*time.Location{inZone(t, "Europe/Berlin"), inZone(t, "America/Los_Angeles"),
		inZone(t, "Australia/Lord_Howe"), inZone(t, "Pacific/Apia"), time.UTC}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.IntRange(0, 2*365*24*60).Draw(t, "minutes")
		now := start.Add(time.Duration(minutes) * time.Minute).In(rapid.SampledFrom(zones).Draw(t, "zone"))
		end := endOfDay(now)
		if !end.After(now) || end.Sub(now) > 25*time.Hour {
			t.Fatalf("%v ends at %v", now, end)
		}
		if DayOf(end.Add(-time.Second)) != DayOf(now) || DayOf(end) == DayOf(now) {
			t.Fatalf("%v: the day turns elsewhere than at %v", now, end)
		}
		if DayOf(end).Before() != DayOf(now) {
			t.Fatalf("%v: the day before %s is not %s", now, DayOf(end), DayOf(now))
		}
	})
}

func TestDueIsByStudyDayOnceScheduledInDays(t *testing.T) {
	loc := inZone(t, "Asia/Kolkata")
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, loc) }
	due := at(29, 20, 0)
	for _, c := range []struct {
		name  string
		phase Phase
		now   time.Time
		want  bool
	}{
		{"the night before still belongs to the day before", Reviewing, at(29, 3, 30), false},
		{"from four in the morning", Reviewing, at(29, 4, 1), true},
		{"three days late", Reviewing, at(32, 9, 0), true},
		{"a learning step waits for its minute", Learning, at(29, 19, 59), false},
		{"and is due at it", Learning, at(29, 20, 0), true},
		{"relearning too", Relearning, at(29, 19, 59), false},
		{"a new card is never due", New, at(30, 12, 0), false},
	} {
		if got := (Memory{Phase: c.phase, Due: due}).DueBy(c.now); got != c.want {
			t.Errorf("%s: due %v, want %v", c.name, got, c.want)
		}
	}
}
