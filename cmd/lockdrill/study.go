package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
	"lockdrill/labs"
)

// studyOptions are the flags that the study commands share.
type studyOptions struct {
	data  string   // --data: the directory of the record; "" for the default
	decks []string // --deck: files to use instead of the built-in decks
	json  bool     // --json: one document on stdout
}

// studyCommands are the commands of the study half.
func studyCommands(io streams) []*cobra.Command {
	return []*cobra.Command{pointsCommand(io), drillCommand(io), quizCommand(io), recallCommand(io),
		statsCommand(io), undoCommand(io), deckCommand(io), exportCommand(io)}
}

const dataUsage = "keep the record in this `directory`"

func (o *studyOptions) dataFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.data, "data", "", dataUsage)
}

func (o *studyOptions) deckFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.decks, "deck", nil, "use this Markdown `file` of cards instead of the built-in decks; may be repeated")
}

func (o *studyOptions) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", o.json, "print one JSON document")
}

// document runs a command, under --json so that it prints exactly one document.
func (o *studyOptions) document(s streams, run func(streams) error) error {
	if o.json {
		return inDocument(s, run)
	}
	return run(s)
}

// needsTerminal refuses to talk to a pipe that was not told to be talked to.
func needsTerminal(command string, plain bool, s streams) error {
	if plain || hasScreen(s) {
		return nil
	}
	return usagef("%s needs %s, use --plain to talk to it in lines", command, lacking(s))
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// study is what a study command works on.
type study struct {
	drills.Material
	record *progress.Record
	clock  drills.Clock
}

// openStudy reads the decks and opens the record. Nothing is created yet.
func openStudy(ctx context.Context, o studyOptions) (*study, error) {
	st, err := openWithoutDecks(ctx, o)
	if err != nil {
		return nil, err
	}
	if st.Material, err = o.material(); err != nil {
		return nil, errors.Join(err, st.record.Close())
	}
	return st, nil
}

// openWithoutDecks opens the record alone.
func openWithoutDecks(ctx context.Context, o studyOptions) (*study, error) {
	clock, err := drills.NewClock(os.Getenv(drills.NowVariable))
	if err != nil {
		return nil, usagef("%v", err)
	}
	record, err := openRecord(ctx, o.data)
	if err != nil {
		return nil, err
	}
	return &study{record: record, clock: clock}, nil
}

// material reads the decks.
func (o *studyOptions) material() (drills.Material, error) { return drills.Load(o.decks, labNames()) }

// openRecord opens the record in dir, or in the default directory.
func openRecord(ctx context.Context, dir string) (*progress.Record, error) {
	if dir != "" {
		return progress.Open(ctx, dir)
	}
	dir, err := progress.DefaultDir()
	if err != nil {
		return progress.Unsaved(ctx, fmt.Errorf("answers will not be saved: %w", err))
	}
	return progress.Open(ctx, dir)
}

// recordState says where the record is or would be, and what there is of it.
func recordState(ctx context.Context, dir string) (string, error) {
	r, err := openRecord(ctx, dir)
	if err != nil {
		return "", err
	}
	defer r.Close()
	if why := r.NotSaved(); why != nil {
		return "", why
	}
	if _, err := os.Stat(r.Path()); err != nil {
		return deck.CleanLine(r.Path()) + ", not there yet", nil
	}
	return fmt.Sprintf("%s, %s", deck.CleanLine(r.Path()), drills.Plural(len(r.Backups()), "backup")), nil
}

func labNames() []string {
	var names []string
	for _, l := range labs.All() {
		names = append(names, l.Name)
	}
	return names
}

// checkTopic refuses a topic that no card has; "" stands for all.
func (s *study) checkTopic(topic string) error {
	topics := s.Topics()
	if topic == "" || slices.Contains(topics, topic) {
		return nil
	}
	hint := "; the topics are " + strings.Join(topics, ", ")
	if near := labs.Nearest(topic, topics); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return usagef("no card has the topic %q%s", topic, deck.CleanLine(hint))
}

// warnIfNotSaved says before the first answer that nothing will be kept.
func (s *study) warnIfNotSaved(to streams) {
	if why := s.record.NotSaved(); why != nil {
		fmt.Fprintln(to.err, deck.CleanLine(why.Error()))
	}
}

// close releases the record and reports a backup that could not be made.
func (s *study) close(to streams) {
	if err := s.record.BackupError(); err != nil {
		fmt.Fprintf(to.err, "the answers are saved, but today's backup is not: %s\n", deck.CleanLine(err.Error()))
	}
	if err := s.record.Close(); err != nil {
		fmt.Fprintln(to.err, deck.CleanLine(err.Error()))
	}
}
