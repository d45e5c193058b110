package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lockdrill/drills"
	"lockdrill/drills/progress"
)

// undoneDocument is what undo --json prints.
type undoneDocument struct {
	Undone undoneReview `json:"undone"`
}

type undoneReview struct {
	ID    string         `json:"id"`
	Card  string         `json:"card"`
	Grade progress.Grade `json:"grade"`
}

func undoCommand(io streams) *cobra.Command {
	var o studyOptions
	cmd := &cobra.Command{
		Use: "undo", Short: "Take back the last graded card, also after a restart", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.document(io, func(io streams) error { return runUndo(cmd.Context(), o, io) })
		},
	}
	o.dataFlag(cmd)
	o.deckFlag(cmd)
	o.jsonFlag(cmd)
	return cmd
}

// runUndo takes back the last answer in the record, whenever it was given.
func runUndo(ctx context.Context, o studyOptions, s streams) error {
	st, err := openStudy(ctx, o)
	if err != nil {
		return err
	}
	defer st.close(s)
	now := st.clock.Now()
	v, err := st.record.UndoLast(ctx, now)
	if err != nil {
		return err
	}
	if o.json {
		return writeDocument(s.out, undoneDocument{undoneReview{ID: v.ID.String(), Card: v.Answer.Card, Grade: v.Answer.Grade}})
	}
	memories, err := st.record.Memories(ctx)
	if err != nil {
		return err
	}
	waiting := drills.Waiting(st.Cards, memories, drills.Filter{}, now).Counts()
	fmt.Fprintf(s.out, "Undone: %s on %s, answered %s. %d due, %d new.\n",
		v.Answer.Grade, v.Answer.Card, v.Answer.At.Format("2006-01-02 15:04"), waiting.Due, waiting.New)
	return nil
}
