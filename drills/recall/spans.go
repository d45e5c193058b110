package recall

import (
	"cmp"
	"slices"
	"sort"
)

func sortSpans(s []span) {
	slices.SortFunc(s, func(x, y span) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	})
}

func sortCandidates(cs []candidate) {
	slices.SortStableFunc(cs, func(x, y candidate) int { return cmp.Compare(x.from, y.from) })
}

func (s span) holds(i int) bool { return s.from <= i && i < s.to }

// firstFrom returns the index of the first span that starts at or after from.
func firstFrom(spans []span, from int) int {
	return sort.Search(len(spans), func(i int) bool { return spans[i].from >= from })
}
