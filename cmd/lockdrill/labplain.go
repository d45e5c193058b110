package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
	"lockdrill/labs"
)

// labLines is a lab by hand in lines: actions are typed, and what happens is
// told, one event a line. It is what a screen reader reads.
type labLines struct {
	study *study
	spec  labs.Lab
	opts  labs.Options
	in    *lines
	out   io.Writer

	saying  sync.Mutex // one line at a time
	session *labs.Session
	stop    context.CancelFunc // ends the telling
	told    sync.WaitGroup
	result  progress.LabResult // the prediction, until it is recorded
	shown   string             // the verdict as it was last said; "" = not in this run
}

const labLinesHelp = `Type an action and press enter, as in: pause A
  keys       what can be done now
  story      the lab's own story, from the start
  verdict    what the run has shown so far
  again      start over
  quit       leave; the end of the input does, too`

// runLabLines talks about a lab in lines until there are no more.
func runLabLines(ctx context.Context, l labs.Lab, o labs.Options, s *study, to streams) (err error) {
	p := &labLines{study: s, spec: l, opts: l.ByHand(o), in: readLines(ctx, to.in), out: to.out}
	p.say("%s", l.Question)
	p.say("%s", labLinesHelp)
	if err := p.start(ctx, true); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.end(ctx)) }()
	for {
		line, err := p.in.next(ctx)
		if errors.Is(err, io.EOF) || line == "quit" || line == "q" {
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.obey(ctx, line); err != nil {
			return err
		}
	}
}

func (p *labLines) say(format string, args ...any) {
	p.saying.Lock()
	defer p.saying.Unlock()
	fmt.Fprintf(p.out, format+"\n", args...)
}

// obey carries out one line. Only what ends the session is an error of it.
func (p *labLines) obey(ctx context.Context, line string) error {
	switch line {
	case "":
		return nil
	case "help", "?":
		p.say("%s", labLinesHelp)
		return nil
	case "keys":
		p.keys()
		return nil
	case "verdict":
		p.verdict()
		return nil
	case "again":
		return p.again(ctx, true)
	case "story":
		if err := p.again(ctx, false); err != nil {
			return err
		}
		return p.story(ctx)
	}
	p.act(ctx, line)
	return ctx.Err()
}

func (p *labLines) act(ctx context.Context, line string) {
	a, err := labs.ParseAction(line)
	if err == nil {
		err = p.session.Possible(a)
	}
	if err == nil {
		err = p.session.Do(ctx, a)
	}
	if err != nil {
		p.say("not done: %s", deck.CleanLine(err.Error()))
	}
}

// start begins a run and tells of its events as they come.
func (p *labLines) start(ctx context.Context, scene bool) error {
	s, err := labs.Start(ctx, p.spec, p.opts)
	if err != nil {
		return err
	}
	p.session, p.result, p.shown = s, progress.LabResult{}, ""
	telling, stop := context.WithCancel(ctx)
	p.stop = stop
	p.told.Go(func() { p.tell(telling, s.History()) })
	if scene {
		return s.SetScene(ctx)
	}
	return nil
}

// tell says each event but the renewals, which would drown the rest: of those
// the ones that were refused, with the request that is answered.
func (p *labLines) tell(ctx context.Context, h *labs.History) {
	for i := 0; ; i++ {
		e, err := h.Next(ctx, i)
		if err != nil {
			return
		}
		if e.Op == labs.OpRenew && e.Type != labs.Fail {
			continue
		}
		if e.Op == labs.OpRenew && e.Call > 0 {
			p.sayEvent(h.Events()[e.Call-1])
		}
		p.sayEvent(e)
	}
}

func (p *labLines) sayEvent(e labs.Event) {
	p.say("%d  %.0f ms  %s %s", e.Seq, labs.Milliseconds(e.At), e.Process, deck.CleanLine(labs.Explain(e)))
}

// end says what the run showed, unless that was the last word on it, records it
// and gives the run up.
func (p *labLines) end(ctx context.Context) error {
	r := p.session.Result()
	err := p.session.Close()
	p.told.Wait() // the history is closed, so that everything has been told
	p.stop()
	if !r.Verdict.Decided() {
		return err
	}
	if p.block(r) != p.shown {
		p.verdict()
	}
	return errors.Join(err, p.study.addRun(ctx, r, p.result))
}

func (p *labLines) again(ctx context.Context, scene bool) error {
	if err := p.end(ctx); err != nil {
		return err
	}
	return p.start(ctx, scene)
}

// story plays the lab's own story and asks what will happen before it does.
func (p *labLines) story(ctx context.Context) error {
	story, err := p.session.Story()
	if err != nil {
		return err
	}
	q, asked := p.session.Question(), false
	var said *labs.Prediction
	for step, more := story.Next(); more; step, more = story.Next() {
		if !asked && step.Action.String() == q.Before {
			asked = true
			if said, err = p.ask(ctx, q); err != nil {
				return err
			}
		}
		p.say("> %s", step.Action)
		if err := story.Step(ctx); err != nil {
			return err
		}
	}
	p.verdict()
	if v := p.session.Result().Verdict; said != nil {
		p.say("You said: %s (%s). %s", said.Text, labs.Confidence[p.result.Confidence-1],
			map[bool]string{true: "So it was.", false: "It was not so."}[said.Came(v)])
	}
	return nil
}

// ask takes a prediction and how sure it is; an empty line skips.
func (p *labLines) ask(ctx context.Context, q labs.Question) (*labs.Prediction, error) {
	p.say("%s", q.Text)
	for i, a := range q.Answers {
		p.say("  %d %s", i+1, a.Text)
	}
	n, err := p.number(ctx, len(q.Answers))
	if n == 0 || err != nil {
		return nil, err
	}
	p.say("How sure are you?  1 %s  2 %s  3 %s", labs.Confidence[0], labs.Confidence[1], labs.Confidence[2])
	sure, err := p.number(ctx, len(labs.Confidence))
	if sure == 0 || err != nil {
		return nil, err
	}
	p.result.Predicted, p.result.Confidence = q.Answers[n-1].Text, sure
	return &q.Answers[n-1], nil
}

// number reads a number from 1 to most; 0 for an empty line or the end.
func (p *labLines) number(ctx context.Context, most int) (int, error) {
	for {
		line, err := p.in.next(ctx)
		if errors.Is(err, io.EOF) || line == "" {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if len(line) == 1 && line[0] >= '1' && int(line[0]-'0') <= most {
			return int(line[0] - '0'), nil
		}
		p.say("a number from 1 to %d, or an empty line to skip", most)
	}
}

func (p *labLines) keys() {
	for _, c := range p.session.Controls() {
		var words []string
		for _, a := range c.Do {
			words = append(words, a.String())
		}
		if why := p.session.Possible(c.Do[0]); why != nil {
			p.say("  not now: %s (%s)", c.Label, why)
			continue
		}
		p.say("  %s: %s", c.Label, strings.Join(words, ", then "))
	}
}

func (p *labLines) verdict() {
	p.shown = p.block(p.session.Result())
	p.say("%s", p.shown)
}

// block is the verdict on a run and, once it has come to something, what to make
// of it.
func (p *labLines) block(r labs.Result) string {
	var lines []string
	for _, c := range r.Verdict.Checks {
		lines = append(lines, fmt.Sprintf("%s: %s", c.Name, c.Verdict))
	}
	lines = append(lines, "late write: "+r.Verdict.LateWrite)
	for _, l := range r.Verdict.Lost {
		lines = append(lines, fmt.Sprintf("lost: %s's %s, overwritten by %s", l.Writer, l.Value, l.By))
	}
	if r.Verdict.Decided() {
		lesson := p.spec.Lesson(r)
		lines = append(lines, lesson.What, lesson.Why, "In the room: "+lesson.Room)
	}
	return strings.Join(lines, "\n")
}
