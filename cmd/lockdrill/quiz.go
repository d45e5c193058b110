package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/tui"
)

// quizOptions are the flags of lockdrill quiz.
type quizOptions struct {
	studyOptions
	plain     bool
	questions int
	seed      int64 // 0 draws one
	topic     string
	exam      bool
	limit     time.Duration
	minScore  float64 // percent; below it the quiz fell short
}

func (o quizOptions) check() error {
	switch {
	case o.questions < 1:
		return fmt.Errorf("-n %d: ask for one question or more", o.questions)
	case o.limit < 0:
		return fmt.Errorf("--time %v: give a time such as 5m, or 0 for no limit", o.limit)
	case !(o.minScore >= 0 && o.minScore <= 100):
		return fmt.Errorf("--min-score %v: give a percentage, 0 to 100", o.minScore)
	}
	return nil
}

// quizDocument is what quiz --json prints.
type quizDocument struct {
	Seed int64 `json:"seed"`
	drills.QuizResult
}

func quizCommand(io streams) *cobra.Command {
	var o quizOptions
	cmd := &cobra.Command{
		Use: "quiz", Short: "Take a multiple-choice quiz over the topics", Args: noArgs,
		Long: `Asks multiple-choice questions mixed over the topics and takes one answer a
line. With --json the questions are not printed: one document at the end holds
them, the answers and the score. Below --min-score it exits with 3.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needsTerminal("quiz", o.plain || o.json, io); err != nil {
				return err
			}
			if !o.plain && !o.json {
				return quizScreen(cmd, o, io)
			}
			return o.document(io, func(io streams) error { return runQuiz(cmd.Context(), o, io) })
		},
	}
	cmd.Flags().BoolVar(&o.plain, "plain", false, "talk in lines on stdin and stdout")
	cmd.Flags().IntVarP(&o.questions, "questions", "n", 10, "how many questions")
	cmd.Flags().Int64Var(&o.seed, "seed", 0, "the same `number` asks the same questions; 0 draws one")
	cmd.Flags().StringVar(&o.topic, "topic", "", "only questions of this `topic`")
	cmd.Flags().BoolVar(&o.exam, "exam", false, "say what was right only at the end")
	cmd.Flags().DurationVar(&o.limit, "time", 0, "the time for all questions, such as 5m; 0 for no limit")
	cmd.Flags().Float64Var(&o.minScore, "min-score", 0, "exit with 3 below this `percentage`")
	o.dataFlag(cmd)
	o.deckFlag(cmd)
	o.jsonFlag(cmd)
	return cmd
}

// quizScreen takes a quiz on the screen; if nothing was chosen on the command
// line, it is chosen there.
func quizScreen(cmd *cobra.Command, o quizOptions, s streams) error {
	if err := o.check(); err != nil {
		return usagef("%v", err)
	}
	chosen := false
	for _, name := range []string{"questions", "seed", "topic", "exam", "time", "min-score"} {
		chosen = chosen || cmd.Flags().Changed(name)
	}
	var result atomic.Pointer[drills.QuizResult]
	err := runScreen(cmd, o.studyOptions, s, func(st *study, env *tui.Env) (*tui.App, error) {
		if !chosen {
			return tui.NewQuizStart(env), nil
		}
		return tui.NewQuiz(env, drills.QuizOptions{Questions: o.questions, Topic: o.topic, Seed: uint64(o.seed), Exam: o.exam, Limit: o.limit},
			func(r drills.QuizResult) { result.Store(&r) }), st.checkTopic(o.topic)
	})
	if err != nil || o.minScore == 0 {
		return err
	}
	if r := result.Load(); r == nil {
		return shortError{"the quiz was left before its end"}
	} else if r.Percent() < o.minScore {
		return shortError{fmt.Sprintf("%.0f %% right, below --min-score %v", r.Percent(), o.minScore)}
	}
	return nil
}

// runQuiz asks the questions and takes one answer a line. Under --json nothing
// is printed but the document at the end.
func runQuiz(ctx context.Context, o quizOptions, s streams) error {
	if err := o.check(); err != nil {
		return usagef("%v", err)
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
	if o.seed == 0 {
		o.seed = 1 + rand.Int64N(999_999) // short enough to type again
	}
	quiz := drills.NewQuiz(st.record, st.Cards, drills.QuizOptions{Questions: o.questions, Topic: o.topic,
		Seed: uint64(o.seed), Exam: o.exam, Limit: o.limit})
	q := quizLines{options: o, quiz: quiz, clock: st.clock, in: readLines(ctx, s.in), out: s.out, note: s.err}
	if o.json {
		q.out = io.Discard
	}
	if err := q.run(ctx); err != nil {
		return err
	}
	result, err := quiz.Finish(ctx, st.clock.Now())
	if err != nil {
		return err
	}
	if o.json {
		err = writeDocument(s.out, quizDocument{Seed: o.seed, QuizResult: result})
	} else {
		printResult(s.out, o, result)
	}
	if err == nil && o.minScore > 0 && result.Percent() < o.minScore {
		return shortError{fmt.Sprintf("%.0f %% right, below --min-score %v", result.Percent(), o.minScore)}
	}
	return err
}

// quizLines is a quiz in lines.
type quizLines struct {
	options quizOptions
	quiz    *drills.Quiz
	clock   drills.Clock
	in      *lines
	out     io.Writer
	note    io.Writer
}

func (q *quizLines) run(ctx context.Context) error {
	if n := q.quiz.Len(); n < q.options.questions {
		fmt.Fprintf(q.note, "only %s to ask\n", drills.Plural(n, "question"))
	}
	fmt.Fprintf(q.out, "%s, seed %d.%s\n", drills.Plural(q.quiz.Len(), "question"), q.options.seed, limitText(q.options.limit))
	began := time.Now()
	for question, ok := q.quiz.Next(); ok; question, ok = q.quiz.Next() {
		err := q.ask(ctx, question, began)
		if errors.Is(err, io.EOF) || errors.Is(err, errQuit) {
			return nil
		}
		if errors.Is(err, drills.ErrTimeUp) {
			fmt.Fprintln(q.out, "The time is up.")
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func limitText(limit time.Duration) string {
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf(" You have %v.", limit)
}

// ask shows one question and takes lines until it is answered or skipped.
func (q *quizLines) ask(ctx context.Context, question drills.Question, began time.Time) error {
	fmt.Fprintf(q.out, "\n%d of %d  %s\n\n", q.quiz.Past()+1, q.quiz.Len(), deck.CleanLine(question.Card.Topic))
	say(q.out, question.Card.Front)
	fmt.Fprintln(q.out)
	for i, o := range question.Options {
		say(q.out, deck.Letter(i)+") "+o.Text)
	}
	last := deck.Letter(len(question.Options) - 1)
	fmt.Fprintf(q.out, "\na to %s answers, an empty line skips, q ends.\n", last)
	for {
		line, err := q.line(ctx, began)
		if err != nil {
			return err
		}
		switch line {
		case "":
			q.quiz.Skip()
			return nil
		case "q":
			return errQuit
		}
		outcome, err := q.quiz.Pick(ctx, line, q.clock.Now(), time.Since(began))
		if errors.Is(err, drills.ErrNotAnOption) {
			fmt.Fprintf(q.note, "answer a to %s, not %s\n", last, deck.CleanLine(line))
			continue
		}
		if err == nil && !q.options.exam {
			printOutcome(q.out, outcome)
		}
		return err
	}
}

// line waits for an answer, no longer than the time that is left.
func (q *quizLines) line(ctx context.Context, began time.Time) (string, error) {
	if q.options.limit == 0 {
		line, err := q.in.next(ctx)
		return strings.ToLower(line), err
	}
	timed, cancel := context.WithDeadlineCause(ctx, began.Add(q.options.limit), drills.ErrTimeUp)
	defer cancel()
	line, err := q.in.next(timed)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(timed), drills.ErrTimeUp) {
		return "", drills.ErrTimeUp
	}
	return strings.ToLower(line), err
}

func printOutcome(w io.Writer, o drills.Outcome) {
	verdict := "Right."
	switch {
	case o.Picked == "":
		verdict = fmt.Sprintf("Not answered; %s is right.", o.Right)
	case !o.Correct:
		verdict = fmt.Sprintf("Wrong: %s is right.", o.Right)
	}
	fmt.Fprintln(w, verdict)
	say(w, o.Why)
	if o.Lab != "" && !o.Correct {
		fmt.Fprintf(w, "  see it: lockdrill lab %s\n", o.Lab)
	}
}

func printResult(w io.Writer, o quizOptions, r drills.QuizResult) {
	fmt.Fprintf(w, "\n%d of %d right.\n", r.Right, r.Asked)
	for _, t := range r.Topics {
		fmt.Fprintf(w, "  %d of %d  %s\n", t.Right, t.Asked, deck.CleanLine(t.Topic))
	}
	if r.Weakest != nil {
		fmt.Fprintf(w, "Weakest: %s\n", deck.CleanLine(*r.Weakest))
	}
	for i, missed := range r.Questions {
		if missed.Correct {
			continue
		}
		fmt.Fprintf(w, "\nQuestion %d, %s\n", i+1, missed.ID)
		printOutcome(w, missed)
	}
	fmt.Fprintf(w, "\nThe same questions again: --seed %d -n %d\n", o.seed, o.questions)
}
