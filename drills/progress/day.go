package progress

import "time"

// rollover is the local hour at which a study day begins: an answer given at
// half past three in the night still belongs to the day before.
const rollover = 4

// Day is a local calendar date, "2026-11-29". It is fixed when an answer is
// given and never recomputed, so past days keep their dates when the reader
// moves to another time zone.
type Day string

// DayOf is the study day of an instant in the location that t carries. It is
// built from calendar fields; subtracting four hours would be wrong on the days
// the clocks change.
func DayOf(t time.Time) Day {
	y, m, d := t.Date()
	if t.Hour() < rollover {
		d--
	}
	return Day(noon(y, m, d).Format(time.DateOnly))
}

// endOfDay is the instant at which the study day of t ends, in t's location.
func endOfDay(t time.Time) time.Time {
	y, m, d := t.Date()
	if t.Hour() >= rollover {
		d++
	}
	return time.Date(y, m, d, rollover, 0, 0, 0, t.Location())
}

// Before is the calendar day before d.
func (d Day) Before() Day {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return ""
	}
	y, m, day := t.Date()
	return Day(noon(y, m, day-1).Format(time.DateOnly))
}

// noon is a time of day that exists on every date in UTC; it carries a date
// and nothing else.
func noon(y int, m time.Month, d int) time.Time {
	return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
}
