package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/labs"
)

// maxScenario bounds a scenario file, in bytes.
const maxScenario = 1 << 20

func labRunCommand(to streams) *cobra.Command {
	var o labOptions
	var bound time.Duration
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Play a scenario file of your own",
		Long: `run plays a scenario: a text file of actions and waits, one a line, with # for
comments. lab show NAME prints a built-in one. What it needs is read off its
lines: clients are A to Z, nodes redis-1 to redis-5, etcd-1 to etcd-3 and leader.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if bound <= 0 {
				return usagef("--bound %s is not a length of time to wait", bound)
			}
			if err := o.canKeep(); err != nil {
				return err
			}
			text, err := readScenario(args[0])
			if err != nil {
				return err
			}
			l, err := labs.Written(args[0], text, bound)
			if err != nil {
				return err
			}
			if o.Servers, err = o.servers(); err != nil {
				return err
			}
			return runLab(cmd.Context(), l, o, to)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Service, "service", "", "the lock service (default: one that has the nodes of the scenario)")
	f.StringVar(&o.Store, "store", "", "the data store: unfenced, fenced (default unfenced)")
	f.DurationVar(&o.TTL, "ttl", 0, "how long a lease lasts, as in 400ms")
	f.DurationVar(&bound, "bound", 10*time.Second, "how long one wait may take")
	f.BoolVar(&o.auto, "auto", false, "print the run at its end, which is what it does anyway")
	f.BoolVar(&o.json, "json", false, "one JSON object a line: the events, then the result")
	o.outFlag(f)
	o.serverFlags.define(f)
	return cmd
}

// oneFile demands exactly one argument.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes one file, but got %d arguments", path(cmd), len(args))
	}
	return nil
}

func readScenario(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxScenario+1))
	if err != nil {
		return "", fmt.Errorf("read the scenario: %w", err)
	}
	if len(text) > maxScenario {
		return "", usagef("%s: longer than %d bytes, so no scenario", file, maxScenario)
	}
	return string(text), nil
}

func labShowCommand(to streams) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Print the scenario of a lab",
		Long:  "show prints a built-in scenario, by its own name or its lab's, as lab run FILE takes it.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s takes one name, but got %d arguments", path(cmd), len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := labs.Shown(args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(to.out, text)
			return err
		},
	}
}
