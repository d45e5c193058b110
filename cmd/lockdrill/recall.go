package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/recall"
	"lockdrill/tui"
)

// recallOptions are the argument and flags of lockdrill recall.
type recallOptions struct {
	studyOptions
	point   string
	plain   bool
	aloud   bool
	seconds int // how long there is to say it aloud
}

// The time to say a point aloud, in seconds.
const (
	leastAloud   = 60
	mostAloud    = 90
	defaultAloud = 75
)

// markedDocument is what recall --json prints.
type markedDocument struct {
	Point int             `json:"point"`
	Ideas []ideaDocument  `json:"ideas"`
	Wrong []wrongDocument `json:"wrong"`
	Found int             `json:"found"`
	Of    int             `json:"of"`
}

type ideaDocument struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Found bool   `json:"found"`
	Quote string `json:"quote"`
}

type wrongDocument struct {
	ID        int    `json:"id"`
	Statement string `json:"statement"`
	Quote     string `json:"quote"`
	Why       string `json:"why"`
	Lab       string `json:"lab"`
}

func recallCommand(io streams) *cobra.Command {
	var o recallOptions
	cmd := &cobra.Command{
		Use: "recall POINT", Short: "Say one of the six points and have it marked",
		Long: `Marks which ideas of a talking point your answer holds, which are missing, and
what is wrong in it. With --aloud you say it to the wall while a clock runs, and
tick the ideas yourself. With --plain a line with a single dot ends the answer;
with --json the whole of stdin is the answer.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("recall takes the number of one point, 1 to 6; lockdrill points lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.point = args[0]
			if err := needsTerminal("recall", o.plain || o.json, io); err != nil {
				return err
			}
			if !o.plain && !o.json {
				return recallScreen(cmd, o, io)
			}
			return o.document(io, func(io streams) error { return runRecall(cmd.Context(), o, io) })
		},
	}
	cmd.Flags().BoolVar(&o.plain, "plain", false, "talk in lines on stdin and stdout")
	cmd.Flags().BoolVar(&o.aloud, "aloud", false, "say it aloud and tick the ideas yourself")
	cmd.Flags().IntVar(&o.seconds, "seconds", defaultAloud, "with --aloud: the time there is, 60 to 90")
	o.dataFlag(cmd)
	o.jsonFlag(cmd)
	return cmd
}

func (o recallOptions) check() error {
	if o.aloud && (o.seconds < leastAloud || o.seconds > mostAloud) {
		return usagef("--seconds %d: give %d to %d", o.seconds, leastAloud, mostAloud)
	}
	return nil
}

// recallScreen has a point said on the screen.
func recallScreen(cmd *cobra.Command, o recallOptions, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	point, err := pointNumbered(o.point)
	if err != nil {
		return err
	}
	limit := time.Duration(0)
	if o.aloud {
		limit = time.Duration(o.seconds) * time.Second
	}
	return runScreen(cmd, o.studyOptions, s, func(_ *study, env *tui.Env) (*tui.App, error) { return tui.NewRecall(env, point, limit), nil })
}

// runRecall marks what is said to a point, or lets the speaker tick it.
func runRecall(ctx context.Context, o recallOptions, s streams) error {
	if err := o.check(); err != nil {
		return err
	}
	st, err := openStudy(ctx, o.studyOptions)
	if err != nil {
		return err
	}
	defer st.close(s)
	point, err := pointNumbered(o.point)
	if err != nil {
		return err
	}
	st.warnIfNotSaved(s)
	r := recallLines{study: st, point: point, out: s.out}
	if o.json {
		r.out = io.Discard
	}
	if o.aloud {
		r.in = readLines(ctx, s.in)
		err = r.aloud(ctx, time.Duration(o.seconds)*time.Second)
	} else {
		err = r.typed(ctx, s.in, o.json)
	}
	if err == nil && o.json {
		err = writeDocument(s.out, r.document())
	}
	return err
}

// pointNumbered is the talking point that the argument names.
func pointNumbered(arg string) (recall.Point, error) {
	points, err := recall.Points()
	if err != nil {
		return recall.Point{}, err
	}
	for _, p := range points {
		if arg == strconv.Itoa(p.Number) {
			return p, nil
		}
	}
	return recall.Point{}, usagef("there is no point %q: choose 1 to %d", arg, len(points))
}

// recallLines is one try at a point, in lines.
type recallLines struct {
	*study
	point   recall.Point
	in      *lines
	out     io.Writer
	attempt *drills.Attempt
}

// typed marks an answer: all of stdin under --json, else up to a line with a
// single dot, after which marks can be changed.
func (r *recallLines) typed(ctx context.Context, in io.Reader, whole bool) error {
	r.in = readLines(ctx, in)
	fmt.Fprintf(r.out, "Point %d, %s. Say it in your own words; a line with a single dot ends it.\n", r.point.Number, r.point.Title)
	answer, err := r.answer(ctx, whole)
	if err != nil {
		return err
	}
	marked := r.point.Mark(answer)
	if marked.TooLong {
		return fmt.Errorf("the answer is longer than %d characters: say it in fewer words", recall.MaxAnswer)
	}
	r.attempt = drills.NewAttempt(r.point, marked)
	r.print()
	if strings.TrimSpace(answer) == "" {
		return nil // nothing was said: no attempt
	}
	if !whole {
		if err := r.overrule(ctx); err != nil {
			return err
		}
	}
	return r.attempt.Save(ctx, r.record, r.clock.Now())
}

func (r *recallLines) answer(ctx context.Context, whole bool) (string, error) {
	var b strings.Builder
	for {
		line, err := r.in.next(ctx)
		if errors.Is(err, io.EOF) || err == nil && line == "." && !whole {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
}

// document is the attempt as recall --json prints it.
func (r *recallLines) document() markedDocument {
	a := r.attempt
	d := markedDocument{Point: a.Point.Number, Ideas: []ideaDocument{}, Wrong: []wrongDocument{}, Of: len(a.Ideas), Found: a.Found()}
	for _, i := range a.Ideas {
		d.Ideas = append(d.Ideas, ideaDocument(i))
	}
	for _, w := range a.Wrong {
		if !a.Dismissed(w.ID) {
			d.Wrong = append(d.Wrong, wrongDocument{ID: w.ID, Statement: w.Statement, Quote: w.Quote, Why: w.Why, Lab: r.ShownLab(w.Lab)})
		}
	}
	return d
}

// print shows the marks, in words and not by sign or colour alone.
func (r *recallLines) print() {
	marked := r.document()
	fmt.Fprintf(r.out, "\n%d of %d ideas\n", marked.Found, marked.Of)
	for n, i := range marked.Ideas {
		switch {
		case i.Found && i.Quote != "" && !r.attempt.Overruled(i.ID):
			fmt.Fprintf(r.out, "  %d found    %s: %q\n", i.ID, i.Name, deck.CleanLine(i.Quote))
		case i.Found:
			fmt.Fprintf(r.out, "  %d found    %s\n", i.ID, i.Name)
		default:
			fmt.Fprintf(r.out, "  %d missing  %s: %s\n", i.ID, i.Name, r.point.Ideas[n].Hint)
		}
	}
	for _, w := range marked.Wrong {
		fmt.Fprintf(r.out, "  w%d wrong   %q\n", w.ID, deck.CleanLine(w.Quote))
		say(r.out, "  not so: "+w.Statement)
		say(r.out, "  "+w.Why)
		if w.Lab != "" {
			fmt.Fprintf(r.out, "    see it: lockdrill lab %s\n", w.Lab)
		}
	}
}

// overrule takes the numbers of marks to change until an empty line, q or the
// end.
func (r *recallLines) overrule(ctx context.Context) error {
	fmt.Fprintln(r.out, "\nA number changes a mark, w and a number removes a wrong one, an empty line keeps them.")
	for {
		line, err := r.in.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case line == "" || line == "q":
			return nil
		case r.change(line):
			r.print()
		default:
			fmt.Fprintf(r.out, "There is no mark %s.\n", deck.CleanLine(line))
		}
	}
}

// change turns one mark round, and reports whether there is such a mark.
func (r *recallLines) change(line string) bool {
	number, wrong := strings.CutPrefix(line, "w")
	id, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	if wrong {
		return !r.attempt.Dismissed(id) && r.attempt.Dismiss(id)
	}
	return r.attempt.Change(id)
}

// aloud runs the clock until a line comes or it is over, and then asks for each
// idea whether it was said.
func (r *recallLines) aloud(ctx context.Context, limit time.Duration) error {
	fmt.Fprintf(r.out, "Point %d, %s. Say it aloud: %v. Enter ends the clock.\n", r.point.Number, r.point.Title, limit)
	timed, cancel := context.WithTimeout(ctx, limit)
	_, err := r.in.next(timed)
	cancel()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, io.EOF) {
		return err
	}
	r.attempt = drills.NewAloud(r.point)
	fmt.Fprintf(r.out, "\nDid you say it? y or n for each.\n")
	ticked, err := r.tick(ctx)
	if err != nil || !ticked {
		return err
	}
	r.print()
	return r.attempt.Save(ctx, r.record, r.clock.Now())
}

// tick reports whether any idea was answered for.
func (r *recallLines) tick(ctx context.Context) (bool, error) {
	for i, idea := range r.attempt.Ideas {
		fmt.Fprintf(r.out, "  %d %s: %s\n", idea.ID, idea.Name, r.point.Ideas[i].Hint)
		line, err := r.in.next(ctx)
		if errors.Is(err, io.EOF) {
			return i > 0, nil
		}
		if err != nil {
			return false, err
		}
		if strings.HasPrefix(strings.ToLower(line), "y") {
			r.attempt.Change(idea.ID)
		}
	}
	return true, nil
}
