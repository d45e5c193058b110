package labs

import (
	"context"
	"fmt"
)

const (
	flagMode    = "mode"
	flagWriters = "writers"
)

// timesEach is how often each writer increments the row.
const timesEach = 5

// optimisticLab: one row, many writers.
func optimisticLab() Lab {
	return Lab{
		Name:     "optimistic",
		Question: "Many writers, one row: what keeps them from losing each other's work?",
		Services: []string{NoService},
		Stores:   []string{Unfenced},
		Points:   []int{6},
		Flags: []Flag{
			{Name: flagMode, Values: []string{modeNone, modeVersion, modeRowLock}, Default: modeNone,
				Usage: "nothing, a version compared at the write, or the row locked (SQLite: BEGIN IMMEDIATE, which locks the whole database)"},
			{Name: flagWriters, Min: 1, Max: 32, Default: "2", Usage: "how many write at the same time"},
		},
		plan: func(Options) plan { return plan{bare: true} },
		run:  runOptimistic,
		question: func(Options) Question {
			return Question{
				Before: verbRun,
				Text:   "All writers read the row before any of them writes. What becomes of their increments?",
				Answers: []Prediction{
					{"some are lost", func(v Verdict) bool { return len(v.Lost) > 0 }},
					{"none is lost", func(v Verdict) bool { return len(v.Lost) == 0 }},
				},
			}
		},
		say: sayOptimistic,
	}
}

// contention are the figures of writers on one row.
type contention struct {
	Mode         string  `json:"mode"`
	Writers      int     `json:"writers"`
	Acknowledged int     `json:"acknowledged"`
	Final        int     `json:"final"` // the row's value at the end, which began at 0
	Lost         int     `json:"lost"`  // acknowledged increments that are not in it
	Conflicts    int     `json:"conflicts"`
	Waited       float64 `json:"waited_ms"` // for the lock, all writers together
	PerSecond    float64 `json:"per_second"`
}

// contentions are a run's figures, and how they change with the writers.
type contentions struct {
	contention
	Sweep []contention `json:"sweep"`
}

func measureContention(ctx context.Context, mode string, writers int, h *History) (contention, error) {
	t, final, took, err := contend(ctx, mode, writers, timesEach, h)
	return contention{
		Mode: mode, Writers: writers, Acknowledged: t.acknowledged, Final: final, Lost: t.acknowledged - final,
		Conflicts: t.conflicts, Waited: Milliseconds(t.waited), PerSecond: round1(float64(t.acknowledged) / took.Seconds()),
	}, err
}

func runOptimistic(ctx context.Context, s *Session) error {
	mode, writers := s.Options.value(flagMode), s.Options.number(flagWriters)
	main, err := measureContention(ctx, mode, writers, s.history)
	if err != nil {
		return err
	}
	f := contentions{contention: main}
	var bars []Bar
	for _, n := range []int{1, 2, 4, 8, 16, 32} {
		c, err := measureContention(ctx, mode, n, nil)
		if err != nil {
			return err
		}
		f.Sweep = append(f.Sweep, c)
		bars = append(bars, Bar{Label: countOf(n, "writer"), Value: c.PerSecond, Text: sweepText(c)})
	}
	return s.measure(f, fmt.Sprintf("%s: %s, %d increments acknowledged, the row says %d: %d lost, %d conflicts",
		mode, countOf(writers, "writer"), f.Acknowledged, f.Final, f.Lost, f.Conflicts), bars...)
}

// sweepText says what a bar's writers paid with.
func sweepText(c contention) string {
	switch c.Mode {
	case modeVersion:
		return fmt.Sprintf("%d conflicts", c.Conflicts)
	case modeRowLock:
		return fmt.Sprintf("%.0f ms waited", c.Waited)
	}
	return fmt.Sprintf("%d of %d lost", c.Lost, c.Acknowledged)
}

// countOf is a number of things, in words that agree.
func countOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func sayOptimistic(r Result) Lesson {
	f := figures[contentions](r)
	switch {
	case f.Writers == 0:
		return Lesson{What: "The writers are not done."}
	case f.Lost > 0:
		return Lesson{
			What: fmt.Sprintf("%d increments were acknowledged, and the row says %d: %d were lost, and nobody was told.", f.Acknowledged, f.Final, f.Lost),
			Why:  "Each writer worked out its value from a row that another was about to change.",
			Room: "Read, work out, write is a lost update unless the write compares what was read.",
		}
	case f.Mode == modeVersion:
		return Lesson{
			What: fmt.Sprintf("%d acknowledged, the row says %d. %s met 0 rows and began anew.", f.Acknowledged, f.Final, countOf(f.Conflicts, "write")),
			Why:  fmt.Sprintf("The statement compares the version. With %s there were %d conflicts: whoever loses the race does the work again.", countOf(32, "writer"), lastSweep(f).Conflicts),
			Room: "Optimistic suits rows that rarely collide; read the number of rows, and expect a storm of retries on a hot one.",
		}
	case f.Mode == modeRowLock:
		return Lesson{
			What: fmt.Sprintf("%d acknowledged, the row says %d, no conflict. The others waited.", f.Acknowledged, f.Final),
			Why:  fmt.Sprintf("Whoever has the lock does its work once; with %s they waited %.0f ms together.", countOf(32, "writer"), lastSweep(f).Waited),
			Room: "Pessimistic suits rows that collide often and are held briefly: waiting costs less than doing the work again.",
		}
	}
	return Lesson{
		What: fmt.Sprintf("%d increments, and none was lost: nobody else was writing.", f.Acknowledged),
		Why:  "One writer has nobody to overwrite.",
		Room: "A missing check shows only under contention, which is not what a test has.",
	}
}

func lastSweep(f contentions) contention {
	if len(f.Sweep) == 0 {
		return contention{}
	}
	return f.Sweep[len(f.Sweep)-1]
}
