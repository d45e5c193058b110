package labs

import "strings"

// Proves are the talking points that a run of the lab showed, by what it ran
// against and what became of a late write: landed, fenced or none.
func (l Lab) Proves(service, store, lateWrite string) []int {
	onRedis := strings.HasPrefix(service, "red") // redlock is Redis, too
	switch l.Name {
	case "pause":
		return pauseProves(onRedis, service, store, lateWrite)
	case "failover":
		if onRedis {
			return []int{3}
		}
		return []int{4}
	}
	return l.Points
}

// pauseProves: a write that landed shows what a lease alone is worth, and one
// that was refused what the token adds.
func pauseProves(onRedis bool, service, store, lateWrite string) []int {
	tokenless := service == "redis" || service == "redlock"
	switch {
	case lateWrite == "landed" && (store == Unfenced || tokenless) && onRedis:
		return []int{2, 3}
	case lateWrite == "landed" && (store == Unfenced || tokenless):
		return []int{2}
	case lateWrite == "fenced" && store == Fenced && onRedis:
		return []int{1}
	case lateWrite == "fenced" && store == Fenced:
		return []int{1, 4}
	}
	return nil
}
