package labs

import (
	"context"
	"errors"
	"fmt"
)

// againAtMost bounds how often a story goes back because a client lost its
// lease before the story took it away.
const againAtMost = 20

// Play runs the lab's own story to its end.
func (s *Session) Play(ctx context.Context) error {
	steps, err := builtin(s.plan.scenario)
	if err != nil {
		return err
	}
	return s.play(ctx, steps)
}

// Script is the lab's own story, to be played step by step.
func (s *Session) Script() ([]Step, error) { return builtin(s.plan.scenario) }

func (s *Session) play(ctx context.Context, steps []Step) error {
	again := 0
	for i := 0; i < len(steps); i++ {
		err := s.Do(ctx, steps[i].Action)
		if errors.Is(err, errLeaseLost) && again < againAtMost {
			again++
			s.history.Append(Event{Process: steps[i].Actor, Type: OK, Op: OpNote,
				Detail: fmt.Sprintf("%v before the story took it away: it starts again", err)})
			i = lastAcquire(steps[:i], steps[i].Actor) - 1
			continue
		}
		if err != nil {
			return fmt.Errorf("line %d, %s: %w", steps[i].Line, steps[i].Action, err)
		}
	}
	return nil
}

// lastAcquire is the index of a client's last acquire in steps, or 0.
func lastAcquire(steps []Step, name string) int {
	for i := len(steps) - 1; i > 0; i-- {
		if steps[i].Verb == "acquire" && steps[i].Actor == name {
			return i
		}
	}
	return 0
}
