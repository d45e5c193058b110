package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
	"lockdrill/tui"
)

// drillOptions are the flags of lockdrill drill.
type drillOptions struct {
	studyOptions
	plain   bool
	tonight bool
	topic   string
	limit   int
}

func drillCommand(io streams) *cobra.Command {
	var o drillOptions
	cmd := &cobra.Command{
		Use: "drill", Short: "Drill the cards that are due", Args: noArgs,
		Long: `Shows the cards that are due, then new ones, and schedules each by your grade.
With --plain an empty line shows the answer, 1 to 4 grade it (again, hard, good,
easy), u undoes, q or the end of the input ends.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needsTerminal("drill", o.plain, io); err != nil {
				return err
			}
			if o.tonight && (o.topic != "" || o.limit != 0) {
				return usagef("--tonight is a path of its own: leave --topic and --limit out")
			}
			switch {
			case o.tonight && o.plain:
				return runTonightLines(cmd.Context(), o.studyOptions, io)
			case o.tonight:
				return runScreen(cmd, o.studyOptions, io, func(_ *study, env *tui.Env) (*tui.App, error) { return tui.NewTonight(env), nil })
			case o.plain:
				return runDrill(cmd.Context(), o, io)
			}
			return drillScreen(cmd, o, io)
		},
	}
	cmd.Flags().BoolVar(&o.tonight, "tonight", false, "the half hour before an interview: points aloud, two labs, a quiz and its misses")
	cmd.Flags().BoolVar(&o.plain, "plain", false, "talk in lines on stdin and stdout")
	cmd.Flags().StringVar(&o.topic, "topic", "", "only cards of this `topic`")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "at most so many cards; 0 for all that wait")
	o.dataFlag(cmd)
	o.deckFlag(cmd)
	return cmd
}

// drillScreen drills on the screen.
func drillScreen(cmd *cobra.Command, o drillOptions, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	return runScreen(cmd, o.studyOptions, s, func(st *study, env *tui.Env) (*tui.App, error) {
		return tui.NewDrill(env, drills.Filter{Topic: o.topic, Limit: o.limit}), st.checkTopic(o.topic)
	})
}

func (o drillOptions) check() error {
	if o.limit < 0 {
		return usagef("--limit %d: give the number of cards, or 0 for all", o.limit)
	}
	return nil
}

// runDrill drills on lines: an empty line reveals, 1 to 4 grade, u undoes, q or
// the end of the input ends.
func runDrill(ctx context.Context, o drillOptions, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	st, err := openStudy(ctx, o.studyOptions)
	if err != nil {
		return err
	}
	defer st.close(s)
	if err := st.checkTopic(o.topic); err != nil {
		return err
	}
	st.warnIfNotSaved(s)
	session, err := drills.NewSession(ctx, st.record, st.Cards, drills.Filter{Topic: o.topic, Limit: o.limit}, st.clock.Now())
	if err != nil {
		return err
	}
	d := drillLines{session: session, clock: st.clock, in: readLines(ctx, s.in), out: s.out}
	return d.run(ctx)
}

// drillLines is a drill session in lines, for pipes and screen readers.
type drillLines struct {
	session *drills.Session
	clock   drills.Clock
	in      *lines
	out     io.Writer
}

// errQuit ends a conversation that the user asked to end.
var errQuit = errors.New("quit")

func (d *drillLines) run(ctx context.Context) error {
	fmt.Fprintln(d.out, waitingText(d.session.Left()))
	for {
		card, err := d.session.Next(ctx, d.clock.Now())
		if err == nil {
			err = d.ask(ctx, card)
		}
		switch {
		case errors.Is(err, errQuit), errors.Is(err, io.EOF), errors.Is(err, drills.ErrFinished):
			d.end()
			return nil
		case err != nil:
			return err
		}
	}
}

func waitingText(c drills.Counts) string {
	if c.Total() == 0 {
		return "Nothing is due."
	}
	return fmt.Sprintf("%s: %d due, %d new.", drills.Plural(c.Total(), "card"), c.Due, c.New)
}

// ask shows a card and takes lines until it is graded or another is shown.
func (d *drillLines) ask(ctx context.Context, card drills.Card) error {
	shown := time.Now() // a clock that is never set back measures the answer
	done := d.session.Done()
	fmt.Fprintf(d.out, "\n%d of %d  %s\n\n", done+1, done+d.session.Left().Total(), deck.CleanLine(card.Topic))
	say(d.out, card.Question())
	fmt.Fprintln(d.out, "\nEnter shows the answer; u undoes, q ends.")
	revealed := false
	for {
		line, err := d.in.next(ctx)
		if err != nil {
			return err
		}
		grade, graded := gradeOf(line)
		switch {
		case line == "q":
			return errQuit
		case line == "u":
			if undone, err := d.undo(ctx); undone || err != nil {
				return err
			}
		case line == "" && !revealed:
			revealed = true
			if err := d.reveal(card); err != nil {
				return err
			}
		case graded && revealed:
			return d.grade(ctx, grade, time.Since(shown))
		default:
			fmt.Fprintln(d.out, expected(revealed))
		}
	}
}

func expected(revealed bool) string {
	if revealed {
		return "Give 1 again, 2 hard, 3 good or 4 easy; u undoes, q ends."
	}
	return "Press enter to see the answer first; u undoes, q ends."
}

func gradeOf(line string) (progress.Grade, bool) {
	for _, g := range progress.Grades {
		if line == fmt.Sprint(int(g)) || line == g.String() {
			return g, true
		}
	}
	return 0, false
}

func (d *drillLines) reveal(card drills.Card) error {
	fmt.Fprintln(d.out)
	say(d.out, card.Answer())
	if p := proof(card.Card); p != "" {
		fmt.Fprintf(d.out, "\n  %s\n", p)
	}
	times, err := d.session.Intervals(d.clock.Now())
	if err != nil {
		return err
	}
	fmt.Fprintln(d.out)
	for i, g := range progress.Grades {
		fmt.Fprintf(d.out, "%d %s %s   ", int(g), g, drills.Interval(times[i]))
	}
	fmt.Fprintln(d.out, "u undo   q quit")
	return nil
}

func (d *drillLines) grade(ctx context.Context, g progress.Grade, took time.Duration) error {
	now := d.clock.Now()
	times, err := d.session.Intervals(now)
	if err != nil {
		return err
	}
	if err := d.session.Grade(ctx, g, now, took); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "%s, back in %s.\n", g, drills.Interval(times[g-1]))
	return nil
}

func (d *drillLines) undo(ctx context.Context) (bool, error) {
	_, err := d.session.Undo(ctx, d.clock.Now())
	if errors.Is(err, progress.ErrNothingToUndo) {
		fmt.Fprintln(d.out, "Nothing to undo: no card was graded in this session.")
		return false, nil
	}
	if err == nil {
		fmt.Fprintln(d.out, "Undone; the card again:")
	}
	return err == nil, err
}

func (d *drillLines) end() {
	fmt.Fprintf(d.out, "\n%s. ", drills.Plural(d.session.Done(), "answer"))
	if left := d.session.Left(); left.Total() > 0 {
		fmt.Fprintf(d.out, "Left: %d due, %d new. ", left.Due, left.New)
	}
	if n, first := d.session.Soon(); n > 0 {
		fmt.Fprintf(d.out, "%s soon, the first in %s.", comeBack(n), drills.Interval(max(0, first.Sub(d.clock.Now()))))
	}
	fmt.Fprintln(d.out)
}

func comeBack(n int) string {
	if n == 1 {
		return "1 card comes back"
	}
	return fmt.Sprintf("%d cards come back", n)
}
