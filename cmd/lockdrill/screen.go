package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"lockdrill/drills/recall"
	"lockdrill/labs"
	"lockdrill/labs/guard"
	"lockdrill/tui"
)

// themes are what --theme takes.
var themes = []string{string(tui.Auto), string(tui.Light), string(tui.Dark)}

// themeFlag adds --theme for every command that opens a screen.
func themeFlag(root *cobra.Command) {
	root.PersistentFlags().String("theme", string(tui.Auto), "colours for a `background`: "+strings.Join(themes, ", "))
}

// themeOf is the theme that was asked for.
func themeOf(cmd *cobra.Command) (tui.Theme, error) {
	name, err := cmd.Flags().GetString("theme")
	if err != nil {
		return "", err
	}
	for _, t := range themes {
		if t == name {
			return tui.Theme(t), nil
		}
	}
	if near := labs.Nearest(name, themes); near != "" {
		return "", usagef("--theme %q is not one of %s; did you mean %q?", name, strings.Join(themes, ", "), near)
	}
	return "", usagef("--theme %q is not one of %s", name, strings.Join(themes, ", "))
}

// hasScreen says whether screens can be shown: a terminal on both sides, and one
// that can move its cursor.
func hasScreen(s streams) bool {
	return isTerminal(s.in) && isTerminal(s.out) && os.Getenv("TERM") != "dumb"
}

// lacking says what screens need that is not there.
func lacking(s streams) string {
	if isTerminal(s.in) && isTerminal(s.out) {
		return "a terminal that can move its cursor, and TERM is dumb; without one"
	}
	return "a terminal; without one"
}

// runHome opens the app.
func runHome(cmd *cobra.Command, o studyOptions, s streams) error {
	if !hasScreen(s) {
		return usagef("the screens need %s there are points, drill --plain, quiz --plain, recall N --plain, lab NAME --plain and stats; see lockdrill --help", lacking(s))
	}
	st, err := openWithoutDecks(cmd.Context(), o)
	if err != nil {
		return err
	}
	return runOver(cmd, st, s, func(env *tui.Env) (*tui.App, error) {
		env.Load = o.material // home is on the screen meanwhile
		return tui.New(env), nil
	})
}

// runScreen opens a screen over the decks and the record and stays until it is
// left. What is wrong with either is said before anything is drawn.
func runScreen(cmd *cobra.Command, o studyOptions, s streams, first func(*study, *tui.Env) (*tui.App, error)) error {
	st, err := openStudy(cmd.Context(), o)
	if err != nil {
		return err
	}
	return runOver(cmd, st, s, func(env *tui.Env) (*tui.App, error) { return first(st, env) })
}

// runOver opens a screen over what is open already.
func runOver(cmd *cobra.Command, st *study, s streams, first func(*tui.Env) (*tui.App, error)) error {
	defer st.close(s)
	theme, err := themeOf(cmd)
	if err != nil {
		return err
	}
	points, err := recall.Points()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	app, err := first(&tui.Env{Ctx: ctx, Material: st.Material, Points: points, Record: st.record, Clock: st.clock, Theme: theme})
	if err != nil {
		return err
	}
	return show(ctx, app, s)
}

// framesPerSecond is how often the screen may change: a key is drawn within 25
// ms, and a screen on which nothing happens costs less than 1 % of a core.
const framesPerSecond = 40

// show runs the program until it is left or its context ends. However that
// comes about, the terminal is as it was and everything the screens started is
// gone when it returns.
func show(ctx context.Context, app *tui.App, s streams) error {
	program := tea.NewProgram(app, tea.WithContext(ctx), tea.WithInput(s.in), tea.WithOutput(s.out),
		tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	var broken atomic.Pointer[panicError]
	undo := guard.OnPanic(func(value any, stack []byte) {
		broken.CompareAndSwap(nil, &panicError{value, stack})
		program.Kill()
	})
	defer undo()
	_, err := program.Run()
	app.Close()
	if p := broken.Load(); p != nil {
		fmt.Fprintf(s.err, "%s\n", p.stack)
		return p
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("a screen broke off; the answers so far are saved; the trace above is for a bug report")
	case err != nil:
		return err
	}
	return app.Err()
}

// panicError is a panic in a goroutine of a lab.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string {
	return fmt.Sprintf("a lab broke off: %v; the answers so far are saved; the trace above is for a bug report", p.value)
}
