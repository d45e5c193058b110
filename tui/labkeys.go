package tui

import (
	"context"
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"lockdrill/labs"
)

// press handles a key. An action that is not possible now says why.
func (l *lab) press(msg tea.KeyPressMsg) tea.Cmd {
	l.note = ""
	switch {
	case l.typed != nil:
		return l.type_(msg)
	case l.run == nil:
		return nil
	case l.run.guide != nil:
		if cmd, ok := l.pressGuide(msg); ok {
			return cmd
		}
	}
	switch {
	case key.Matches(msg, keyGuide):
		return l.restart(true)
	case key.Matches(msg, keyAgain):
		return l.restart(false)
	case key.Matches(msg, keyEarlier):
		l.move(-1)
	case key.Matches(msg, keyLater):
		l.move(1)
	case key.Matches(msg, keyNewest):
		l.chosen = -1
	case key.Matches(msg, keyWire):
		l.wire = !l.wire
	case key.Matches(msg, keyService) && len(l.spec.Services) > 1:
		return l.otherService()
	case key.Matches(msg, keyFenced) && l.canFence():
		l.opts.Store = labs.Fenced
		return l.restart(true)
	case key.Matches(msg, keyType):
		l.typed = newTypedAction()
		return l.typed.field.Focus()
	default:
		return l.control(msg)
	}
	return nil
}

// control does what the lab offers under this key.
func (l *lab) control(msg tea.KeyPressMsg) tea.Cmd {
	var why error
	for _, c := range l.run.session.Controls() {
		if c.Key != msg.String() {
			continue
		}
		if why = l.run.session.Possible(c.Do[0]); why == nil {
			s := l.run.session
			return l.do(func(ctx context.Context) error { return s.DoAll(ctx, c.Do) })
		}
	}
	if why == nil {
		return nil
	}
	return func() tea.Msg { return failedMsg{fmt.Errorf("not now: %w", why)} }
}

// move selects an earlier or a later event.
func (l *lab) move(by int) {
	at := l.chosen
	if at < 0 {
		at = len(l.run.Events) - 1
	}
	if at += by; at >= len(l.run.Events) {
		at = -1
	}
	l.chosen = max(at, -1)
	if at < 0 && by < 0 {
		l.chosen = 0
	}
}

// canFence says that a write came late and landed in a store that could compare.
func (l *lab) canFence() bool {
	return l.run.Verdict.LateWrite == "landed" && l.store() == labs.Unfenced && slices.Contains(l.spec.Stores, labs.Fenced)
}

// otherService starts the same lab against the next service.
func (l *lab) otherService() tea.Cmd {
	i := slices.Index(l.spec.Services, l.opts.Service)
	l.opts = l.spec.ByHand(labs.Options{
		Service: l.spec.Services[(i+1)%len(l.spec.Services)], Store: l.opts.Store,
	})
	return l.restart(false)
}

func (l *lab) keys() []key.Binding {
	switch {
	case l.run == nil:
		return nil
	case l.typed != nil:
		return []key.Binding{key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "do it"))}
	case l.run.guide != nil:
		if keys := l.run.guide.keys(l.run.doing > 0); keys != nil {
			return keys
		}
	}
	var all []key.Binding
	for _, c := range l.run.possible {
		all = append(all, key.NewBinding(key.WithKeys(c.Key), key.WithHelp(c.Key, c.Label)))
	}
	if l.canFence() {
		all = append(all, keyFenced)
	}
	all = append(all, keyAgain, keyGuide, keyEarlier, keyWire)
	if len(l.spec.Services) > 1 {
		all = append(all, keyService)
	}
	return append(all, keyType)
}

// typedAction is the line in which an action of the scenario language is typed.
type typedAction struct{ field textinput.Model }

func newTypedAction() *typedAction {
	f := textinput.New()
	f.Prompt = ": "
	f.Placeholder = "pause A"
	f.CharLimit = 200
	return &typedAction{f}
}

func (t *typedAction) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	t.field, cmd = t.field.Update(msg)
	return cmd
}

// type_ edits the line; enter carries it out through the same door as the keys.
func (l *lab) type_(msg tea.KeyPressMsg) tea.Cmd {
	if msg.String() != "enter" {
		return l.typed.update(msg)
	}
	line := l.typed.field.Value()
	l.typed = nil
	a, err := labs.ParseAction(line)
	if err == nil {
		err = l.run.session.Possible(a)
	}
	if err != nil {
		return func() tea.Msg { return failedMsg{err} }
	}
	s := l.run.session
	return l.do(func(ctx context.Context) error { return s.Do(ctx, a) })
}
