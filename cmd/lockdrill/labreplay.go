package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/drills/deck"
	"lockdrill/labs"
)

func labReplayCommand(io streams) *cobra.Command {
	var auto, asJSON bool
	cmd := &cobra.Command{
		Use:   "replay FILE.json",
		Short: "Show a kept run again",
		Long: `replay shows a run that lab NAME --out FILE.json kept: its events at the pace at
which they happened, then the lanes and the verdict, judged anew. --auto leaves
the waiting out.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readRun(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeLabJSON(r, "", io)
			}
			if !auto {
				if err := tellAtPace(cmd.Context(), r, io); err != nil {
					return err
				}
			}
			return r.WriteText(io.out, labs.LessonOf(r), textWidth)
		},
	}
	cmd.Flags().BoolVar(&auto, "auto", false, "all at once, without waiting as long as it took")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line: the events, then the result")
	return cmd
}

func readRun(file string) (labs.Result, error) {
	f, err := os.Open(file)
	if err != nil {
		return labs.Result{}, err
	}
	defer f.Close()
	r, err := labs.ReadSaved(f)
	if err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// tellAtPace says each event when it is its time.
func tellAtPace(ctx context.Context, r labs.Result, io streams) error {
	began := time.Now()
	for _, e := range r.Events {
		wait := time.NewTimer(e.At - time.Since(began))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		}
		if _, err := fmt.Fprintf(io.out, "%9.1f ms  %-8s %s\n", labs.Milliseconds(e.At), deck.CleanLine(e.Process), deck.CleanLine(labs.Explain(e))); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(io.out)
	return err
}
