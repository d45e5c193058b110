package labs

import "github.com/agnivade/levenshtein"

// Nearest is the known word that a mistyped one most likely meant, or "" if none
// is near.
func Nearest(word string, known []string) string {
	best, least := "", 3 // at most two slips
	if len(word) < 5 {
		least = 2
	}
	for _, k := range known {
		if d := levenshtein.ComputeDistance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}
