package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockdrill/labs"
)

// streams are where a command reads and writes: data to out, all else to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run executes the command line and returns the exit code.
func run(args []string, io streams) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	cmd := newRoot(io)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	return report(err, context.Cause(ctx), io.err)
}

// untilSignal returns a context that a signal ends, with the signal as its
// cause. A second signal ends the program at once.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-caught:
			signal.Stop(caught)
			cancel(signalError{s})
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		close(done)
		cancel(nil)
	}
}

func newRoot(io streams) *cobra.Command {
	var o studyOptions
	root := &cobra.Command{
		Use:   "lockdrill",
		Short: "Practise the distributed-locks answer, and break real locks",
		Long: `lockdrill is for people about to sit a system design interview: practise the
distributed-locks answer until you can say it, and see why it is true by
breaking real locks. Redis and etcd run inside the program. Without a command it
opens its screens.`,
		Args:          noArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		RunE:          func(cmd *cobra.Command, _ []string) error { return runHome(cmd, o, io) },
	}
	root.PersistentFlags().StringVar(&o.data, "data", "", dataUsage)
	o.deckFlag(root)
	themeFlag(root)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("lockdrill {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(helpCommand(root))
	root.AddCommand(labCommand(io), doctorCommand(io), versionCommand(io), completionCommand(io))
	root.AddCommand(studyCommands(io)...)
	return root
}

// helpCommand is cobra's, but a topic that does not exist is an error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("no command is called %q%s", strings.Join(args, " "), didYouMean(strings.Join(args, " "), names(root)))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// noArgs refuses surplus words. A command with sub-commands takes them for a
// mistyped one.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasAvailableSubCommands() {
		return usagef("no command is called %q%s", strings.TrimSpace(path(cmd)+" "+args[0]), didYouMean(args[0], names(cmd)))
	}
	return usagef("%s takes no argument, but got %q", path(cmd), args[0])
}

// path is how a command is typed, without the program's name.
func path(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

func names(cmd *cobra.Command) []string {
	var all []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, c.Name())
		}
	}
	return all
}

// didYouMean suggests the nearest of the known words, or says where help is.
func didYouMean(word string, known []string) string {
	if best := labs.Nearest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; see lockdrill --help"
}

func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if best := labs.Nearest(name, known); best != "" {
			return usagef("there is no flag --%s here; did you mean --%s?", name, best)
		}
	}
	return usagef("%s; see %s --help", text, cmd.CommandPath())
}
