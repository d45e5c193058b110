package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"lockdrill/labs"
)

func (o *labOptions) outFlag(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "keep the run in this file: .json (for lab replay), .md, .mmd (Mermaid) or .svg")
}

// canKeep refuses a file that no run can be kept in, before anything is run.
func (o *labOptions) canKeep() error {
	if o.out == "" {
		return nil
	}
	return labs.CanExport(o.out)
}

// keep writes the run to the file that was asked for, also an unfinished one.
func (o *labOptions) keep(r labs.Result) error {
	if o.out == "" {
		return nil
	}
	var b bytes.Buffer
	if err := r.Export(&b, o.out); err != nil {
		return err
	}
	if err := os.WriteFile(o.out, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("the run was not kept: %w", err)
	}
	return nil
}
