package labs

import (
	"context"
	"errors"
)

// verbRun plays the lab's own coded story.
const verbRun = "run"

// runControl is what a lab offers whose story is coded.
func runControl(Options) []Control { return []Control{control("r", "run it", verbRun)} }

// canRun says why the lab's coded story cannot run now, or nil.
func (s *Session) canRun() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.Lab.run == nil:
		return errors.New("this lab is played step by step: there is nothing to run")
	case s.ran:
		return errors.New("it has run: start the lab again to run it again")
	}
	return nil
}

func (s *Session) runStory(ctx context.Context) error {
	if err := s.canRun(); err != nil {
		return err
	}
	s.mu.Lock()
	s.ran = true
	s.mu.Unlock()
	return s.Lab.run(ctx, s)
}
