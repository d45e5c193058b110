package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lockdrill/labs"
)

func labMatrixCommand(to streams) *cobra.Command {
	var asJSON, asMarkdown bool
	var services []string
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Every service and store against every fault, measured now",
		Long: `matrix runs every lock service, with a fenced and an unfenced store, against every
fault, and prints what came of each: a late write landed or was fenced off, there
was one holder at a time, or the rightful holder was refused. --json and
--markdown name the command that replays each.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && asMarkdown {
				return usagef("--json and --markdown are two forms of one table: choose")
			}
			bar := newProgress(to.err)
			m, err := labs.RunMatrix(cmd.Context(), services, bar.show)
			bar.clear()
			write := writeMatrixText
			switch {
			case asJSON:
				write = writeMatrixJSON
			case asMarkdown:
				write = writeMatrixMarkdown
			}
			if len(m.Rows) == 0 && err != nil {
				return err
			}
			if werr := write(to.out, m); werr != nil {
				return werr
			}
			return err
		},
	}
	cmd.Flags().StringSliceVar(&services, "service", nil, "only these lock services (default: all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "a Markdown table, with the commands beneath")
	return cmd
}

// progressBar is a line on a terminal that says how far a long command is.
type progressBar struct{ w io.Writer } // nil = nobody is looking

func newProgress(w io.Writer) progressBar {
	if !isTerminal(w) {
		return progressBar{}
	}
	return progressBar{w}
}

const progressCells = 30

func (p progressBar) show(done, total int) {
	if p.w == nil || total == 0 {
		return
	}
	full := progressCells * done / total
	fmt.Fprintf(p.w, "\r%s%s %d of %d", strings.Repeat("▇", full), strings.Repeat("·", progressCells-full), done, total)
}

func (p progressBar) clear() {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", progressCells+16))
	}
}

// matrixDocument is the form of --json.
type matrixDocument struct {
	Schema   int              `json:"schema"`
	Rows     []labs.MatrixRow `json:"rows"`
	NotTried []labs.Missing   `json:"not_tried"`
}

// writeMatrixJSON leaves out the cells that were not run.
func writeMatrixJSON(w io.Writer, m labs.Matrix) error {
	doc := matrixDocument{Schema: 1, Rows: []labs.MatrixRow{}, NotTried: []labs.Missing{}}
	for _, r := range m.Rows {
		done := labs.MatrixRow{Service: r.Service, Store: r.Store, Cells: []labs.MatrixCell{}}
		for _, c := range r.Cells {
			if c.Outcome != "" {
				done.Cells = append(done.Cells, c)
			}
		}
		doc.Rows = append(doc.Rows, done)
	}
	doc.NotTried = append(doc.NotTried, m.NotTried...)
	return json.NewEncoder(w).Encode(doc)
}

func writeMatrixText(w io.Writer, m labs.Matrix) error {
	var b strings.Builder
	row := func(cells ...string) {
		for i, c := range cells {
			width := 17
			if i < 2 {
				width = 12 - 2*i
			}
			fmt.Fprintf(&b, "%-*s", width, c)
		}
		b.WriteByte('\n')
	}
	row(append([]string{"service", "store"}, labs.Faults()...)...)
	for _, r := range m.Rows {
		row(append([]string{r.Service, r.Store}, outcomes(r)...)...)
	}
	for _, n := range m.NotTried {
		fmt.Fprintf(&b, "%s was not tried: %s\n", n.Service, n.Why)
	}
	b.WriteString("\n--json and --markdown have the command that replays each.\n")
	_, err := io.WriteString(w, trimLines(b.String()))
	return err
}

// outcomes are a row's cells, in words.
func outcomes(r labs.MatrixRow) []string {
	var all []string
	for _, c := range r.Cells {
		if c.Outcome == "" {
			c.Outcome = "not run"
		}
		all = append(all, c.Outcome)
	}
	return all
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func writeMatrixMarkdown(w io.Writer, m labs.Matrix) error {
	var b strings.Builder
	head := append([]string{"service", "store"}, labs.Faults()...)
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, r := range m.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Service, r.Store, strings.Join(outcomes(r), " | "))
	}
	b.WriteString("\n")
	for _, n := range m.NotTried {
		fmt.Fprintf(&b, "- %s was not tried: %s\n", n.Service, n.Why)
	}
	for _, r := range m.Rows {
		for _, c := range r.Cells {
			if c.Command != "" && c.Outcome != "" {
				fmt.Fprintf(&b, "- %s, %s, %s: `%s`\n", r.Service, r.Store, c.Fault, c.Command)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
