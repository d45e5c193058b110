package labs

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Bar is one line of the picture of a measurement.
type Bar struct {
	Label string  `json:"label"` // at most 15 characters
	Value float64 `json:"value"` // its length, in any unit that all bars of the picture share
	Bound float64 `json:"bound"` // a mark where it cannot go beyond; 0 = none
	Text  string  `json:"text"`  // the figure for people, at most NoteWidth characters
}

// labName is the process under which the lab itself speaks.
const labName = "lab"

// measure ends a run that measured: its figures, one line for people, and a
// picture.
func (s *Session) measure(figures any, text string, bars ...Bar) error {
	raw, err := json.Marshal(figures)
	if err != nil {
		return fmt.Errorf("the figures of lab %s: %w", s.Lab.Name, err)
	}
	s.history.Append(Event{Process: labName, Type: OK, Op: OpMeasure, Detail: text, Measured: raw, Bars: bars})
	return nil
}

// note puts a word into the history.
func (s *Session) note(format string, args ...any) {
	s.history.Append(Event{Process: labName, Type: OK, Op: OpNote, Detail: fmt.Sprintf(format, args...)})
}

// lastMeasure is the event with the figures of a run, or the zero event.
func lastMeasure(events []Event) Event {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Op == OpMeasure {
			return events[i]
		}
	}
	return Event{}
}

// Measured is what the run measured, as JSON; nil if it measured nothing.
func (r Result) Measured() json.RawMessage { return lastMeasure(r.Events).Measured }

// figures reads what a run measured; the zero value if it did not come so far.
func figures[T any](r Result) (f T) {
	_ = json.Unmarshal(r.Measured(), &f) // the lab wrote it; there may be none
	return f
}

// drawBars makes one lane of each bar, the longest over all the cells.
func drawBars(bars []Bar, cells int) []Lane {
	longest := 0.0
	for _, b := range bars {
		longest = max(longest, b.Value, b.Bound)
	}
	if longest == 0 {
		longest = 1
	}
	col := func(v float64) int { return int(math.Round(v / longest * float64(cells))) }
	var lanes []Lane
	for _, b := range bars {
		row := []Cell(nil)
		for i := range cells {
			c := Cell{' ', Plain}
			if i < max(1, col(b.Value)) {
				c = Cell{'▇', Running}
			}
			row = append(row, c)
		}
		if b.Bound > 0 {
			row[max(0, min(cells, col(b.Bound))-1)] = Cell{'│', Axis}
		}
		who, what := split(b.Label, 8)
		lanes = append(lanes, Lane{Who: who, What: what, Cells: row, Note: b.Text})
	}
	return lanes
}

// split cuts a label into the two columns that lanes have for it.
func split(label string, n int) (string, string) {
	if len([]rune(label)) <= n {
		return label, ""
	}
	r := []rune(label)
	return string(r[:n]), strings.TrimRight(string(r[n:min(len(r), n+7)]), " ")
}
