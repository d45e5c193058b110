package progress

import (
	"math"
	"time"
)

// ts-fsrs, whose numbers other FSRS tools show, rounds the predicted recall and
// every result to eight decimals; go-fsrs does not round. A review that comes
// early multiplies that difference until it is seen in the sixth decimal, so
// the rounding is applied here to what go-fsrs returns. The intervals, whole
// days, are left as go-fsrs gives them.

// asTSFSRS is next with the stability and difficulty that ts-fsrs gives for
// the same step from m.
func asTSFSRS(m, next Memory, g Grade) Memory {
	if days := utcDays(m.Last, next.Last); m.Phase != New && days > 0 {
		next.Stability = m.rescale(next.Stability, days, g)
	}
	next.Stability = max(round8(next.Stability), minStability)
	next.Difficulty = round8(next.Difficulty)
	if m.Phase != New {
		next.Difficulty = m.difficultyAfter(g)
	}
	return next
}

// difficultyAfter is FSRS's linear damping and mean reversion, each rounded.
func (m Memory) difficultyAfter(g Grade) float64 {
	w := scheduler.W
	damped := m.Difficulty + round8(-w[6]*float64(g-Good)*(10-m.Difficulty)/9)
	easiest := round8(w[4] - math.Exp(w[5]*float64(Easy-Again)) + 1)
	return min(max(round8(w[7]*easiest+(1-w[7])*damped), 1), 10)
}

// minStability is the least stability FSRS gives, in days.
const minStability = 0.001

// rescale replaces the recall that went into stability s by the rounded one.
// Both of FSRS's formulas have it in one factor, so that is divided out.
func (m Memory) rescale(s, days float64, g Grade) float64 {
	w := scheduler.W
	exact := scheduler.ForgettingCurve(days, m.Stability)
	rounded := round8(math.Pow(1+round8(scheduler.Factor)*days/m.Stability, scheduler.Decay))
	if g != Again {
		growth := func(recall float64) float64 { return math.Exp((1-recall)*w[10]) - 1 }
		return m.Stability + (s-m.Stability)*growth(rounded)/growth(exact)
	}
	most := m.Stability / math.Exp(w[17]*w[18])
	if s >= most {
		return most
	}
	return min(most, s*math.Exp((exact-rounded)*w[14]))
}

// utcDays counts the UTC midnights between two instants, as FSRS measures the
// time between reviews.
func utcDays(from, to time.Time) float64 {
	const day = 24 * time.Hour
	return to.UTC().Truncate(day).Sub(from.UTC().Truncate(day)).Hours() / 24
}

func round8(f float64) float64 { return math.Round(f*1e8) / 1e8 }
