package labs

import (
	"context"
	"errors"
	"fmt"
)

// againAtMost bounds how often a story goes back because a client lost its
// lease before the story took it away.
const againAtMost = 20

// Story is a scenario being played on a session, step by step.
type Story struct {
	s     *Session
	steps []Step
	next  int
	again int
	done  int // steps carried out at least once
}

// Story begins the lab's own story. It wants a fresh session.
func (s *Session) Story() (*Story, error) {
	steps, err := s.plan.story()
	if err != nil {
		return nil, err
	}
	return &Story{s: s, steps: steps}, nil
}

// story is the plan's scenario, or the one step that runs a coded story.
func (p plan) story() ([]Step, error) {
	switch {
	case p.steps != nil:
		return p.steps, nil
	case p.scenario == "":
		return []Step{{Action: Action{Verb: verbRun}, Line: 1}}, nil
	}
	return builtin(p.scenario)
}

// Play runs the lab's own story to its end.
func (s *Session) Play(ctx context.Context) error {
	story, err := s.Story()
	if err != nil {
		return err
	}
	return story.play(ctx)
}

// Next is the step to come; false at the end.
func (t *Story) Next() (Step, bool) {
	if t.next >= len(t.steps) {
		return Step{}, false
	}
	return t.steps[t.next], true
}

// Step carries out the next step. A client that lost its lease before the story
// took it away begins again where it acquired.
func (t *Story) Step(ctx context.Context) error {
	step, ok := t.Next()
	if !ok {
		return nil
	}
	if t.next < t.done && verbs[step.Verb] == formNode {
		t.next++ // a server dies, lags or is promoted once, also where a client begins again
		return nil
	}
	after := len(t.s.history.Events())
	err := t.s.Do(ctx, step.Action)
	if err == nil && step.Verb == "wait" && t.again < againAtMost && t.s.refused(step.Action, after) {
		t.again++ // as a slow majority's time-outs: whoever waits asks again
		return nil
	}
	if errors.Is(err, errLeaseLost) && t.again < againAtMost {
		t.again++
		t.s.history.Append(Event{Process: step.Actor, Type: OK, Op: OpNote,
			Detail: fmt.Sprintf("%v before the story took it away: it starts again", err)})
		t.next = lastAcquire(t.steps[:t.next], step.Actor)
		return nil
	}
	if err != nil && t.s.plan.file != "" {
		return fmt.Errorf("%s:%d: %s: %w", t.s.plan.file, step.Line, step.Action, err)
	}
	if err != nil && step.Verb != verbRun {
		return fmt.Errorf("line %d, %s: %w", step.Line, step.Action, err)
	}
	if err != nil {
		return err
	}
	t.next++
	t.done = max(t.done, t.next)
	if t.next == len(t.steps) {
		return t.s.settle(ctx)
	}
	return nil
}

func (t *Story) play(ctx context.Context) error {
	for _, ok := t.Next(); ok; _, ok = t.Next() {
		if err := t.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle waits for the answers to renewals that are under way: a client that was
// stopped in the middle of one hears only when it wakes, and a history that ends
// before that leaves open what the client is about to be told.
func (s *Session) settle(ctx context.Context) error {
	for name := range s.clients {
		e := s.last(func(e Event) bool { return e.Process == name && e.Op == OpRenew })
		woke := s.last(func(e Event) bool { return e.Process == name && e.Op == OpResume })
		if e.Type != Invoke || e.Seq > woke.Seq || s.isAsleep(name) || s.isDead(name) {
			continue
		}
		_, err := s.await(ctx, e.Seq, func(a Event) bool { return a.Call == e.Seq }, name, "the answer to "+name+"'s renewal")
		if err != nil {
			return err
		}
	}
	return nil
}

// lastAcquire is the index of a client's last acquire in steps, or 0.
func lastAcquire(steps []Step, name string) int {
	for i := len(steps) - 1; i > 0; i-- {
		if (steps[i].Verb == "acquire" || steps[i].Verb == "wait") && steps[i].Actor == name {
			return i
		}
	}
	return 0
}
