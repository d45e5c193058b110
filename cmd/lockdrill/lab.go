package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/labs"
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
	return cmd
}

func listLabs(io streams, asJSON bool) error {
	if !asJSON {
		for _, l := range labs.All() {
			if _, err := fmt.Fprintf(io.out, "%-18s %s\n%18s services %s; stores %s\n", l.Name, l.Question, "",
				strings.Join(l.Services, ", "), strings.Join(l.Stores, ", ")); err != nil {
				return err
			}
		}
		return nil
	}
	type lab struct {
		Name     string   `json:"name"`
		Question string   `json:"question"`
		Services []string `json:"services"`
		Stores   []string `json:"stores"`
		Points   []int    `json:"points"`
	}
	doc := struct {
		Schema int   `json:"schema"`
		Labs   []lab `json:"labs"`
	}{Schema: 1, Labs: []lab{}}
	for _, l := range labs.All() {
		doc.Labs = append(doc.Labs, lab{l.Name, l.Question, l.Services, l.Stores, l.Points})
	}
	return json.NewEncoder(io.out).Encode(doc)
}

// labOptions are the flags of one lab.
type labOptions struct {
	labs.Options
	studyOptions
	auto, plain bool
	on          map[string]*bool
}

func oneLabCommand(io streams, l labs.Lab) *cobra.Command {
	o := labOptions{on: map[string]*bool{}}
	cmd := &cobra.Command{
		Use: l.Name, Short: l.Question, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("ttl") && o.TTL <= 0 {
				return usagef("--ttl %s is not a length of time to hold a lock", o.TTL)
			}
			for _, f := range l.Flags {
				if *o.on[f.Name] {
					o.On = append(o.On, f.Name)
				}
			}
			if o.plain {
				return runLabByHand(cmd.Context(), l, o, io)
			}
			return runLab(cmd.Context(), l, o, io)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Service, "service", "", "the lock service: "+strings.Join(l.Services, ", ")+" (default "+l.Services[0]+")")
	f.StringVar(&o.Store, "store", "", "the data store: "+strings.Join(l.Stores, ", ")+" (default "+l.Stores[0]+")")
	f.DurationVar(&o.TTL, "ttl", 0, "how long a lease lasts, as in 400ms; etcd rounds up to whole seconds")
	f.BoolVar(&o.auto, "auto", false, "play the story and print it, also on a terminal")
	f.BoolVar(&o.json, "json", false, "one JSON object a line: the events, then the result")
	f.BoolVar(&o.plain, "plain", false, "by hand, in lines: type actions, read what happens")
	o.dataFlag(cmd)
	for _, flag := range l.Flags {
		o.on[flag.Name] = f.Bool(flag.Name, false, flag.Usage)
	}
	return cmd
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
	err = errors.Join(err, s.Close())
	if err != nil {
		return failLab(result, err, o, io)
	}
	if o.json {
		return writeLabJSON(result, "", io)
	}
	return result.WriteText(io.out, l.Lesson(result), textWidth)
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

// labResult is the last line of --json.
type labResult struct {
	Kind      string       `json:"kind"`
	Schema    int          `json:"schema"`
	Lab       string       `json:"lab"`
	Service   string       `json:"service"`
	Store     string       `json:"store"`
	Simulated []string     `json:"simulated"`
	GrantedMS float64      `json:"granted_ttl_ms"`
	LateWrite string       `json:"late_write"`
	Checks    []labs.Check `json:"checks"`
	Lost      []labs.Lost  `json:"lost"`
	WallMS    float64      `json:"wall_ms"`
	Error     string       `json:"error,omitempty"`
}

func writeLabJSON(r labs.Result, failure string, io streams) error {
	enc := json.NewEncoder(io.out)
	for _, e := range r.Events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	simulated := r.Simulated
	if simulated == nil {
		simulated = []string{}
	}
	return enc.Encode(labResult{
		Kind: "result", Schema: 1, Lab: r.Lab, Service: r.Options.Service, Store: r.Options.Store,
		Simulated: simulated, GrantedMS: labs.Milliseconds(r.Granted), LateWrite: r.Verdict.LateWrite,
		Checks: r.Verdict.Checks, Lost: r.Verdict.Lost, WallMS: labs.Milliseconds(r.Wall), Error: failure,
	})
}
