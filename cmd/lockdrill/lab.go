package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/drills/progress"
	"lockdrill/labs"
	"lockdrill/tui"
)

// textWidth is how wide the lanes are drawn where the output is no terminal.
const textWidth = 100

func labCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Run experiments on real locks",
		Long:  "lab lists the experiments. lab NAME runs one: it plays the story and prints what was observed.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			_, err := labs.Named(args[0])
			return err
		},
		RunE: func(*cobra.Command, []string) error { return listLabs(io, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	for _, l := range labs.All() {
		cmd.AddCommand(oneLabCommand(io, l))
	}
	cmd.AddCommand(labRunCommand(io), labShowCommand(io), labReplayCommand(io), labMatrixCommand(io))
	return cmd
}

// labOptions are the flags of one lab.
type labOptions struct {
	labs.Options
	studyOptions
	labFlags
	serverFlags
	auto, plain bool
	out         string // file to keep the run in; "" = none
}

func oneLabCommand(io streams, l labs.Lab) *cobra.Command {
	var o labOptions
	cmd := &cobra.Command{
		Use: l.Name, Short: l.Question, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("ttl") && o.TTL <= 0 {
				return usagef("--ttl %s is not a length of time to hold a lock", o.TTL)
			}
			if err := o.canKeep(); err != nil {
				return err
			}
			o.On, o.Values = o.labFlags.set(l)
			var err error
			if o.Servers, err = o.servers(); err != nil {
				return err
			}
			switch {
			case o.plain:
				return runLabByHand(cmd.Context(), l, o, io)
			case !o.auto && !o.json && o.out == "" && hasScreen(io):
				return labScreen(cmd, l, o, io)
			}
			return runLab(cmd.Context(), l, o, io)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Service, "service", "", "the lock service: "+strings.Join(l.Services, ", ")+" (default "+l.Services[0]+")")
	f.StringVar(&o.Store, "store", "", "the data store: "+strings.Join(l.Stores, ", ")+" (default "+l.Stores[0]+")")
	if l.Leases() {
		f.DurationVar(&o.TTL, "ttl", 0, "how long a lease lasts, as in 400ms; etcd rounds up to whole seconds")
	}
	f.BoolVar(&o.auto, "auto", false, "play the story and print it, also on a terminal")
	f.BoolVar(&o.json, "json", false, "one JSON object a line: the events, then the result")
	f.BoolVar(&o.plain, "plain", false, "by hand, in lines: type actions, read what happens")
	o.outFlag(f)
	f.StringVar(&o.data, "data", "", dataUsage+"; with --auto, --json and --out a run is recorded only if this is given")
	o.labFlags.define(l, f)
	o.serverFlags.define(f)
	return cmd
}

// labScreen opens a lab by hand on the screen.
func labScreen(cmd *cobra.Command, l labs.Lab, o labOptions, io streams) error {
	if _, err := l.Fill(o.Options); err != nil {
		return err
	}
	return runScreen(cmd, o.studyOptions, io, func(_ *study, env *tui.Env) (*tui.App, error) { return tui.NewLab(env, l, o.Options), nil })
}

// runLabByHand lets a person break the lab in lines.
func runLabByHand(ctx context.Context, l labs.Lab, o labOptions, io streams) error {
	if _, err := l.Fill(o.Options); err != nil {
		return err
	}
	s, err := openStudy(ctx, o.studyOptions)
	if err != nil {
		return err
	}
	defer s.close(io)
	s.warnIfNotSaved(io)
	return runLabLines(ctx, l, o.Options, s, io)
}

// runLab plays a lab's story and prints what was observed. An unfinished run is
// printed as far as it came.
func runLab(ctx context.Context, l labs.Lab, o labOptions, io streams) error {
	opts, err := l.Fill(o.Options)
	if err != nil {
		return err
	}
	began := time.Now()
	s, err := labs.Start(ctx, l, opts)
	if err != nil {
		return failLab(labs.Result{Lab: l.Name, Options: opts, Wall: time.Since(began), Verdict: labs.Judge(nil)}, err, o, io)
	}
	err = s.Play(ctx)
	result := s.Result()
	if err = errors.Join(err, s.Close(), o.keep(result)); err == nil && o.data != "" {
		err = recordRun(ctx, o.studyOptions, result, io)
	}
	if err != nil {
		return failLab(result, err, o, io)
	}
	if o.json {
		return writeLabJSON(result, "", io)
	}
	return result.WriteText(io.out, l.Lesson(result), textWidth)
}

// recordRun adds a run that was not watched to the record, if it came to
// something.
func recordRun(ctx context.Context, o studyOptions, r labs.Result, io streams) error {
	if !r.Verdict.Decided() {
		return nil
	}
	s, err := openWithoutDecks(ctx, o)
	if err != nil {
		return err
	}
	defer s.close(io)
	s.warnIfNotSaved(io)
	return s.addRun(ctx, r, progress.LabResult{})
}

// addRun adds a run to the record, with what was predicted of it.
func (s *study) addRun(ctx context.Context, r labs.Result, said progress.LabResult) error {
	said.Lab, said.Service, said.Store = r.Lab, r.Options.Service, r.Options.Store
	said.Verdict, said.LateWrite = string(r.Verdict.Worst()), r.Verdict.LateWrite
	said.At = s.clock.Now()
	return s.record.AddLab(context.WithoutCancel(ctx), said)
}

func failLab(r labs.Result, err error, o labOptions, io streams) error {
	if !o.json {
		return err
	}
	if werr := writeLabJSON(r, oneLine(err.Error()), io); werr != nil {
		return werr
	}
	return saidError{err}
}
