package labs

import (
	"slices"

	"github.com/agnivade/levenshtein"
)

// Nearest is the known word that a mistyped one most likely meant, or "" if none
// is near.
func Nearest(word string, known []string) string {
	best, least := "", 3 // at most two slips
	if len(word) < 5 {
		least = 2
	}
	for _, k := range known {
		d := levenshtein.ComputeDistance(word, k)
		if slices.Equal(slices.Sorted(slices.Values([]byte(word))), slices.Sorted(slices.Values([]byte(k)))) {
			d = min(d, 1) // letters in the wrong order are one slip
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}
