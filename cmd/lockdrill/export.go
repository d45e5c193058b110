package main

import (
	"context"

	"github.com/spf13/cobra"
)

func exportCommand(io streams) *cobra.Command {
	o := studyOptions{json: true} // the only form there is, so the flag changes nothing
	cmd := &cobra.Command{
		Use: "export", Short: "Print the whole log as one JSON document", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.document(io, func(io streams) error { return runExport(cmd.Context(), o.data, io) })
		},
	}
	o.dataFlag(cmd)
	o.jsonFlag(cmd)
	return cmd
}

// runExport writes the whole log as one JSON document, the only form it has.
func runExport(ctx context.Context, data string, s streams) error {
	r, err := openRecord(ctx, data)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Export(ctx, s.out)
}
