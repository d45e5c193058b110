package drills

import (
	"context"
	"slices"
	"time"

	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
)

// Attempt is one try at saying a talking point, and its marks, which the speaker
// may change.
type Attempt struct {
	Point recall.Point
	Aloud bool // ticked by the speaker; otherwise typed and marked
	Ideas []recall.MarkedIdea
	Wrong []recall.MarkedWrong // as marked, also those that were dismissed

	overruled []int // ideas whose mark was changed
	dismissed []int // wrong statements that were not made after all
}

// NewAttempt is what was typed to a point, with its marks.
func NewAttempt(p recall.Point, m recall.Marked) *Attempt {
	return &Attempt{Point: p, Ideas: m.Ideas, Wrong: m.Wrong}
}

// NewAloud is what was said aloud to a point, with no idea ticked yet.
func NewAloud(p recall.Point) *Attempt {
	a := NewAttempt(p, p.Mark(""))
	a.Aloud = true
	return a
}

// Found is how many ideas were found.
func (a *Attempt) Found() int {
	return recall.Marked{Ideas: a.Ideas}.Found()
}

// Change turns the mark of an idea round, and reports whether there is such an
// idea. What is ticked after speaking aloud is no overruling.
func (a *Attempt) Change(id int) bool {
	i := slices.IndexFunc(a.Ideas, func(m recall.MarkedIdea) bool { return m.ID == id })
	if i < 0 {
		return false
	}
	a.Ideas[i].Found = !a.Ideas[i].Found
	if !a.Aloud {
		a.overruled = toggle(a.overruled, id)
	}
	return true
}

// Overruled reports whether the mark of an idea is the speaker's.
func (a *Attempt) Overruled(id int) bool { return slices.Contains(a.overruled, id) }

// Dismiss says that a wrong statement was not made, or that it was after all;
// it reports whether there is such a mark.
func (a *Attempt) Dismiss(id int) bool {
	if !slices.ContainsFunc(a.Wrong, func(w recall.MarkedWrong) bool { return w.ID == id }) {
		return false
	}
	a.dismissed = toggle(a.dismissed, id)
	return true
}

// Dismissed reports whether a wrong statement was dismissed.
func (a *Attempt) Dismissed(id int) bool { return slices.Contains(a.dismissed, id) }

func toggle(ids []int, id int) []int {
	if at := slices.Index(ids, id); at >= 0 {
		return slices.Delete(ids, at, at+1)
	}
	return append(ids, id)
}

// Save records the attempt as its marks now stand.
func (a *Attempt) Save(ctx context.Context, r *progress.Record, now time.Time) error {
	row := progress.RecallAttempt{Point: a.Point.Number, Aloud: a.Aloud, Found: a.Found(), Of: len(a.Ideas),
		Overruled: a.overruled, At: now}
	for _, i := range a.Ideas {
		if i.Found {
			row.Ideas = append(row.Ideas, i.ID)
		}
	}
	for _, w := range a.Wrong {
		if !a.Dismissed(w.ID) {
			row.Wrong = append(row.Wrong, w.ID)
		}
	}
	return r.AddRecall(ctx, row)
}
