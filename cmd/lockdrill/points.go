package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lockdrill/drills/recall"
)

// pointDocument is one of the points that points --json lists.
type pointDocument struct {
	Point int      `json:"point"`
	Title string   `json:"title"`
	Say   string   `json:"say"`
	Ideas []string `json:"ideas"`
}

func pointsCommand(io streams) *cobra.Command {
	var o studyOptions
	cmd := &cobra.Command{
		Use: "points", Short: "Print the six talking points", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.document(io, func(io streams) error { return runPoints(cmd.Context(), o.json, io) })
		},
	}
	o.dataFlag(cmd)
	o.jsonFlag(cmd)
	return cmd
}

// runPoints prints the six talking points.
func runPoints(_ context.Context, asJSON bool, s streams) error {
	points, err := recall.Points()
	if err != nil {
		return err
	}
	docs := make([]pointDocument, 0, len(points))
	for _, p := range points {
		d := pointDocument{Point: p.Number, Title: p.Title, Say: p.Say, Ideas: []string{}}
		for _, idea := range p.Ideas {
			d.Ideas = append(d.Ideas, idea.Name)
		}
		docs = append(docs, d)
	}
	if asJSON {
		return writeDocument(s.out, struct {
			Points []pointDocument `json:"points"`
		}{docs})
	}
	for i, d := range docs {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintf(s.out, "%d  %s\n", d.Point, d.Title)
		say(s.out, d.Say)
	}
	return nil
}
