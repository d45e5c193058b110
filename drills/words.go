package drills

import (
	"fmt"
	"time"
)

// Interval says a time until a card comes back in the largest unit that is
// whole enough: 10m, 5h, 13d, 4mo.
func Interval(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute).Minutes()))
	case d < day:
		return fmt.Sprintf("%dh", int(d.Round(time.Hour).Hours()))
	case d < 100*day:
		return fmt.Sprintf("%dd", int(d.Round(day)/day))
	case d < 730*day:
		return fmt.Sprintf("%dmo", int(d.Hours()/24/30.4+0.5))
	}
	return fmt.Sprintf("%.1fy", d.Hours()/24/365.25)
}

// Plural is "1 card" or "3 cards".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
