package labs

import (
	"math"
	"slices"
	"time"
)

// quantile is the value that the share p of all, from 0 to 1, do not exceed; 0
// of none.
func quantile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

// micros is d in whole microseconds.
func micros(d time.Duration) int64 { return d.Microseconds() }

// round1 keeps one decimal.
func round1(f float64) float64 { return math.Round(f*10) / 10 }
