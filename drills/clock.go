package drills

import (
	"fmt"
	"time"
	_ "time/tzdata" // a TZ that is set means the same where no zones are installed
)

// NowVariable is the environment variable that sets the clock.
const NowVariable = "LOCKDRILL_NOW"

// Clock tells the time in the reader's zone. One that was set stands still, so
// that the same commands print the same documents.
type Clock struct {
	set time.Time // zero: the machine's clock
}

// NewClock reads the value of NowVariable; "" is the machine's clock.
func NewClock(value string) (Clock, error) {
	if value == "" {
		return Clock{}, nil
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return Clock{}, fmt.Errorf("%s is %q: write an RFC 3339 time such as 2026-12-04T18:00:00Z", NowVariable, value)
	}
	return Clock{set: t.Local()}, nil
}

// Now is the present, in the local time zone.
func (c Clock) Now() time.Time {
	if c.set.IsZero() {
		return time.Now()
	}
	return c.set
}
