package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
	"lockdrill/labs"
)

// tonightLines is the short path in lines. It stands in the record, so that it
// can be left and resumed, also on the screen.
type tonightLines struct {
	*study
	points []recall.Point
	in     *lines
	to     streams
}

func runTonightLines(ctx context.Context, o studyOptions, s streams) error {
	st, err := openStudy(ctx, o)
	if err != nil {
		return err
	}
	defer st.close(s)
	points, err := recall.Points()
	if err != nil {
		return err
	}
	st.warnIfNotSaved(s)
	t := tonightLines{study: st, points: points, in: readLines(ctx, s.in), to: s}
	err = t.run(ctx)
	if errors.Is(err, io.EOF) || errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// run goes from stop to stop until all are done.
func (t *tonightLines) run(ctx context.Context) error {
	for {
		path, err := drills.LoadTonight(ctx, t.record, t.points, t.clock.Now())
		if err != nil {
			return err
		}
		stop, more := path.Next()
		t.list(path)
		if !more {
			fmt.Fprintln(t.to.out, "That was the path.")
			return nil
		}
		fmt.Fprintf(t.to.out, "Enter: %s. s skips it, q leaves.\n", stop.Text)
		line, err := t.in.next(ctx)
		if err != nil {
			return err
		}
		switch line {
		case "q":
			return errQuit
		case "s":
			path.Skip(stop.Name)
		}
		if err := path.Save(ctx, t.record, t.clock.Now()); err != nil {
			return err
		}
		if line == "" {
			if err := t.do(ctx, path, stop); err != nil {
				return err
			}
		}
	}
}

// list is every stop with what it takes, and whether it is done.
func (t *tonightLines) list(path *drills.Tonight) {
	fmt.Fprintln(t.to.out, "\nInterview tomorrow:")
	for i, s := range path.Stops() {
		takes := fmt.Sprintf("about %d min", s.Minutes)
		if s.Done {
			takes = "done"
		}
		fmt.Fprintf(t.to.out, "  %d  %-40s %s\n", i+1, s.Text, takes)
	}
}

func (t *tonightLines) do(ctx context.Context, path *drills.Tonight, s drills.Stop) error {
	switch s.Name {
	case "points":
		p, _ := path.Unsaid()
		r := recallLines{study: t.study, point: p, in: t.in, out: t.to.out}
		return r.aloud(ctx, defaultAloud*time.Second)
	case "quiz":
		return t.quiz(ctx, path, t.Cards, 10, path.Quiz)
	case "again":
		misses := path.Misses(t.Cards)
		return t.quiz(ctx, path, misses, len(misses), func(drills.QuizResult) { path.Again = true })
	}
	return t.lab(ctx, s.Lab)
}

// quiz asks questions; one that was left early does not count.
func (t *tonightLines) quiz(ctx context.Context, path *drills.Tonight, cards []deck.Card, n int, told func(drills.QuizResult)) error {
	seed := 1 + rand.Int64N(999_999)
	o := quizOptions{questions: n, seed: seed}
	quiz := drills.NewQuiz(t.record, cards, drills.QuizOptions{Questions: n, Seed: uint64(seed)})
	q := quizLines{options: o, quiz: quiz, clock: t.clock, in: t.in, out: t.to.out, note: t.to.err}
	if err := q.run(ctx); err != nil {
		return err
	}
	if quiz.Past() < quiz.Len() {
		return errQuit
	}
	result, err := quiz.Finish(ctx, t.clock.Now())
	if err != nil {
		return err
	}
	fmt.Fprintf(t.to.out, "\n%d of %d right.\n", result.Right, result.Asked)
	told(result)
	return path.Save(ctx, t.record, t.clock.Now())
}

// lab plays a lab's story and records what it ended in.
func (t *tonightLines) lab(ctx context.Context, name string) error {
	l, err := labs.Named(name)
	if err != nil {
		return err
	}
	var text strings.Builder
	result, err := playLab(ctx, l, &text)
	if err != nil {
		return err
	}
	fmt.Fprint(t.to.out, text.String())
	return t.record.AddLab(context.WithoutCancel(ctx), progress.LabResult{Lab: name, Service: result.Options.Service,
		Store: result.Options.Store, Verdict: string(result.Verdict.Worst()), LateWrite: result.Verdict.LateWrite, At: t.clock.Now()})
}

// playLab plays the story of a lab as it is by default.
func playLab(ctx context.Context, l labs.Lab, to io.Writer) (labs.Result, error) {
	opts, err := l.Fill(labs.Options{})
	if err != nil {
		return labs.Result{}, err
	}
	s, err := labs.Start(ctx, l, opts)
	if err != nil {
		return labs.Result{}, err
	}
	err = s.Play(ctx)
	result := s.Result()
	if err = errors.Join(err, s.Close()); err != nil {
		return result, err
	}
	return result, result.WriteText(to, l.Lesson(result), textWidth)
}
