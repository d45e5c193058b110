package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/recall"
)

// aloudTime is how long there is to say a point aloud.
const aloudTime = 75 * time.Second

// saying is one try at a talking point: typed and marked, or aloud and ticked.
type saying struct {
	env   *Env
	point recall.Point
	gate  gate

	stage   sayStage
	asking  bool // whether to throw away what there is
	text    textarea.Model
	said    string // what was typed
	limit   time.Duration
	until   time.Time // aloud: when the clock is over
	left    time.Duration
	attempt *drills.Attempt
	busy    bool
	marks   marks
}

type sayStage int

const (
	sayTyping sayStage = iota
	sayAloud
	sayMarked
	sayKept
)

type (
	clockMsg struct{ until time.Time }
	keptMsg  struct{ again bool }
	sayError struct{ err error }
)

// newRecall has a point said by typing.
func newRecall(env *Env, p recall.Point) screen {
	s := &saying{env: env, point: p, text: newText(env)}
	s.gate.of = s
	return s
}

// newAloud has a point said aloud while a clock runs.
func newAloud(env *Env, p recall.Point, limit time.Duration) screen {
	s := &saying{env: env, point: p, stage: sayAloud, limit: limit, left: limit}
	s.gate.of = s
	return s
}

// newText is an empty field that takes every printable key.
func newText(env *Env) textarea.Model {
	t := textarea.New()
	t.Prompt, t.ShowLineNumbers, t.CharLimit, t.MaxHeight = "", false, recall.MaxAnswer, 0
	t.EndOfBufferCharacter = ' '
	t.KeyMap.Paste.SetEnabled(false)         // the terminal's own paste comes as a message
	t.KeyMap.CopySelection.SetEnabled(false) // nothing goes to the clipboard unasked
	t.KeyMap.DeleteCharacterForward.SetKeys("delete")
	styles := textarea.Styles{Cursor: textarea.CursorStyle{Color: nil, Blink: false}}
	styles.Focused.Placeholder = env.styles.label
	styles.Blurred.Placeholder = env.styles.label
	t.SetStyles(styles)
	t.Focus()
	return t
}

func (s *saying) init() tea.Cmd {
	if s.stage == sayAloud && s.until.IsZero() {
		s.until = time.Now().Add(s.limit)
		return tea.Batch(s.tick(), s.gate.shut())
	}
	return s.gate.shut()
}

// tick moves the clock once a second.
func (s *saying) tick() tea.Cmd {
	until := s.until
	rest := time.Until(until)
	wait := rest % time.Second
	if wait <= 0 {
		wait = time.Second
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return toMsg{s, clockMsg{until}} })
}

var (
	sayMark    = key.NewBinding(key.WithKeys("ctrl+d", "ctrl+s"), key.WithHelp("ctrl+d", "mark it"))
	sayEnd     = key.NewBinding(key.WithKeys("enter", "space"), key.WithHelp("enter", "said it"))
	sayKeep    = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "keep"))
	sayChange  = key.NewBinding(key.WithKeys("space"), key.WithHelp("space", "change"))
	sayTick    = key.NewBinding(key.WithKeys("space"), key.WithHelp("space", "tick"))
	sayProve   = key.NewBinding(key.WithKeys("l"), key.WithHelp("l", "prove it"))
	sayAgain   = key.NewBinding(key.WithKeys("r"), key.WithHelp("r", "again"))
	sayDiscard = key.NewBinding(key.WithKeys("y"), key.WithHelp("y", "throw it away"))
	sayStay    = key.NewBinding(key.WithKeys("n", "enter"), key.WithHelp("n", "go on"))
)

func (s *saying) keys() []key.Binding {
	switch {
	case s.asking:
		return []key.Binding{sayDiscard, sayStay}
	case s.stage == sayTyping:
		return []key.Binding{sayMark}
	case s.stage == sayAloud:
		return []key.Binding{sayEnd}
	case s.busy || s.stage == sayKept:
		return nil
	}
	change := sayChange
	if s.attempt.Aloud {
		change = sayTick
	}
	keys := []key.Binding{sayKeep, change, keyUp}
	if s.lab() != "" {
		keys = append(keys, sayProve)
	}
	return append(keys, sayAgain)
}

func (s *saying) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case gateMsg:
		s.gate.tick(msg)
	case clockMsg:
		return s.clock(msg)
	case keptMsg:
		return s.kept(msg)
	case sayError:
		s.busy = false
		return func() tea.Msg { return failedMsg(msg) }
	case tea.KeyPressMsg:
		return s.press(msg)
	case tea.PasteMsg:
		if s.stage == sayTyping && !s.asking {
			return s.typed(tea.PasteMsg{Content: deck.Clean(lineBreaks.Replace(msg.Content))})
		}
	}
	return nil
}

// lineBreaks turns the line breaks of other systems, and those that terminals
// paste, into ours.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func (s *saying) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case s.asking:
		return s.answer(msg)
	case s.stage == sayTyping:
		if key.Matches(msg, sayMark) {
			return s.mark()
		}
		msg.Text = deck.Clean(msg.Text)
		return s.typed(msg)
	case s.busy:
		return nil
	}
	if s.stage == sayMarked && s.marks.press(msg, s.attempt) { // moving changes nothing
		return nil
	}
	if ok, wait := s.gate.pass(); !ok {
		return wait
	}
	switch {
	case s.stage == sayAloud:
		if key.Matches(msg, sayEnd) {
			return s.ticking()
		}
	case key.Matches(msg, sayKeep):
		return s.keep(false)
	case key.Matches(msg, sayAgain):
		return s.keep(true)
	case key.Matches(msg, sayChange):
		s.marks.change(s.attempt)
	case key.Matches(msg, sayProve) && s.lab() != "":
		return openLab(s.env, s.lab(), s.point.Number == etcdPoint)
	}
	return nil
}

func (s *saying) typed(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	s.text, cmd = s.text.Update(msg)
	if cmd == nil {
		return nil
	}
	return send(s, cmd)
}

// answer takes the decision whether to throw away; no other key counts.
func (s *saying) answer(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, sayDiscard):
		s.asking = false
		return leave
	case key.Matches(msg, sayStay):
		s.asking = false
	}
	return nil
}

// mark reads what was typed.
func (s *saying) mark() tea.Cmd {
	s.said = strings.TrimSpace(s.text.Value())
	if s.said == "" {
		return func() tea.Msg { return failedMsg{errors.New("nothing is typed yet: say it in a few sentences")} }
	}
	marked := s.point.Mark(s.said)
	if marked.TooLong {
		return func() tea.Msg {
			return failedMsg{fmt.Errorf("that is longer than %d characters: say it in fewer words", recall.MaxAnswer)}
		}
	}
	s.attempt = drills.NewAttempt(s.point, marked)
	s.stage, s.marks = sayMarked, marks{}
	return s.gate.shut()
}

// clock counts down, and ends the speaking when the time is over.
func (s *saying) clock(m clockMsg) tea.Cmd {
	if s.stage != sayAloud || !m.until.Equal(s.until) {
		return nil
	}
	s.left = max(0, time.Until(s.until)).Round(time.Second)
	if s.left == 0 {
		return s.ticking()
	}
	return s.tick()
}

// ticking shows the ideas to tick.
func (s *saying) ticking() tea.Cmd {
	s.attempt = drills.NewAloud(s.point)
	s.stage, s.marks = sayMarked, marks{}
	return s.gate.shut()
}

// keep records the attempt; then it is said again, or the screen is left.
func (s *saying) keep(again bool) tea.Cmd {
	s.busy = true
	e, a := s.env, s.attempt
	return send(s, e.record(func(ctx context.Context, now time.Time) tea.Msg {
		if err := a.Save(ctx, e.Record, now); err != nil {
			return sayError{err}
		}
		return keptMsg{again}
	}))
}

func (s *saying) kept(m keptMsg) tea.Cmd {
	s.busy, s.stage = false, sayKept
	if !m.again {
		return leave
	}
	if s.attempt.Aloud {
		s.stage, s.left, s.until = sayAloud, s.limit, time.Time{}
		return s.init()
	}
	s.stage = sayTyping
	s.text.Reset()
	return s.gate.shut()
}

// lab is the one that shows what is chosen: a wrong statement's own, else one
// that proves the point.
func (s *saying) lab() string {
	if w := s.marks.wrong(s.attempt); w != nil {
		return s.env.Material.ShownLab(w.Lab)
	}
	return s.env.provingLab(s.point.Number)
}

func (s *saying) title() (string, string) {
	name := fmt.Sprintf("point %d    %s", s.point.Number, s.point.Title)
	if s.attempt != nil && s.stage == sayMarked {
		return name, fmt.Sprintf("%d of %d ideas", s.attempt.Found(), len(s.attempt.Ideas))
	}
	return name, ""
}

func (s *saying) typing() bool { return s.stage == sayTyping }
func (s *saying) close()       {}

// back asks before anything is lost.
func (s *saying) back() (bool, tea.Cmd) {
	typed := s.stage == sayTyping && strings.TrimSpace(s.text.Value()) != ""
	if s.asking || s.busy || typed || s.stage == sayMarked {
		s.asking = !s.busy && !s.asking
		return false, nil
	}
	return true, nil
}

// confirms says that a question about leaving is open.
func (s *saying) confirms() bool { return s.asking }
