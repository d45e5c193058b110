package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockdrill/drills"
	"lockdrill/drills/deck"
)

// deckDocument is one deck of deck list --json.
type deckDocument struct {
	Name   string   `json:"name"`
	Cards  int      `json:"cards"`
	Topics []string `json:"topics"`
}

func deckCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "deck", Short: "Look at the decks of cards", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(deckListCommand(io))
	return cmd
}

func deckListCommand(io streams) *cobra.Command {
	var o studyOptions
	cmd := &cobra.Command{
		Use: "list", Short: "List the decks, their cards and topics", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.document(io, func(io streams) error { return runDeckList(cmd.Context(), o, io) })
		},
	}
	o.dataFlag(cmd)
	o.deckFlag(cmd)
	o.jsonFlag(cmd)
	return cmd
}

// runDeckList lists the decks. It needs no record.
func runDeckList(_ context.Context, o studyOptions, s streams) error {
	m, err := drills.Load(o.decks, labNames())
	if err != nil {
		return err
	}
	docs := []deckDocument{}
	for _, d := range m.Decks {
		topics := []string{}
		for _, c := range d.Cards {
			topics = append(topics, c.Topic)
		}
		slices.Sort(topics)
		docs = append(docs, deckDocument{Name: d.Name, Cards: len(d.Cards), Topics: slices.Compact(topics)})
	}
	if o.json {
		return writeDocument(s.out, struct {
			Decks []deckDocument `json:"decks"`
		}{docs})
	}
	for _, d := range docs {
		fmt.Fprintf(s.out, "%-28s %10s  %s\n", deck.CleanLine(d.Name), drills.Plural(d.Cards, "card"),
			deck.CleanLine(strings.Join(d.Topics, ", ")))
	}
	return nil
}
