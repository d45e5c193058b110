package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/recall"
)

func statsCommand(io streams) *cobra.Command {
	var o studyOptions
	cmd := &cobra.Command{
		Use: "stats", Short: "Print what is due and how the points and topics stand", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.document(io, func(io streams) error { return runStats(cmd.Context(), o, io) })
		},
	}
	o.dataFlag(cmd)
	o.deckFlag(cmd)
	o.jsonFlag(cmd)
	return cmd
}

// runStats prints what the record says. It writes nothing to it.
func runStats(ctx context.Context, o studyOptions, s streams) error {
	st, err := openStudy(ctx, o)
	if err != nil {
		return err
	}
	defer st.close(s)
	points, err := recall.Points()
	if err != nil {
		return err
	}
	stats, err := drills.ReadStats(ctx, st.record, st.Material, points, st.clock.Now())
	if err != nil {
		return err
	}
	if o.json {
		return writeDocument(s.out, stats)
	}
	printStats(s.out, stats)
	return nil
}

func printStats(w io.Writer, s drills.Stats) {
	fmt.Fprintf(w, "%d due, %d new\n", s.Due, s.New)
	fmt.Fprintf(w, "%s, %d today, %s in a row; retention %s\n",
		drills.Plural(s.Reviews, "review"), s.Today, drills.Plural(s.Streak, "day"), percent(s.Retention))
	fmt.Fprintf(w, "\n%-44s %8s %8s %9s\n", "The six points", "said", "quiz", "readiness")
	for _, p := range s.Points {
		said := "-"
		if p.Attempts > 0 {
			said = fmt.Sprintf("%d/%d", p.Found, p.Of)
		}
		fmt.Fprintf(w, "%d  %-41s %8s %8s %9s\n", p.Point, p.Title, said, score(p.QuizRight, p.QuizAsked), readiness(p.Readiness))
	}
	fmt.Fprintf(w, "\n%-26s %8s %8s %8s %8s %9s\n", "Topics", "cards", "due", "new", "quiz", "readiness")
	for _, t := range s.Topics {
		fmt.Fprintf(w, "%-26s %8d %8d %8d %8s %9s\n", deck.CleanLine(t.Topic), t.Cards, t.Due, t.New,
			score(t.QuizRight, t.QuizAsked), readiness(&t.Readiness))
	}
	if len(s.Labs) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-12s %-12s %-10s %6s %8s %11s\n", "Labs", "service", "store", "runs", "verdict", "late write")
	for _, l := range s.Labs {
		fmt.Fprintf(w, "%-12s %-12s %-10s %6d %8s %11s\n", l.Lab, l.Service, l.Store, l.Runs, l.Verdict, l.LateWrite)
	}
}

// readiness is predicted recall in percent, a dash where no card was ever
// answered.
func readiness(share *float64) string {
	if share == nil || *share == 0 {
		return "-"
	}
	return percent(share)
}

// percent is a share in percent, a dash where there is none.
func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100**share)
}

func score(right, asked int) string {
	if asked == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", right, asked)
}
