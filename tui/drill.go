package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
)

// drill shows cards one after the other and takes a grade for each.
type drill struct {
	env     *Env
	filter  drills.Filter
	gate    gate
	session *drills.Session
	pace    time.Duration

	stage    drillStage
	busy     bool // a command is under way; it alone uses the session
	card     drills.Card
	times    [4]time.Duration
	shown    time.Time // by a clock that is never set back
	away     time.Duration
	graded   map[string]gradedAs // by card
	scroll   scroll
	picked   string // the letter picked before the answer of a choice was shown; "" = none
	fresh    bool   // nothing was scrolled since the answer was shown
	standing string // how far one is, as it was shown last
}

// gradedAs is how a card was answered in this session, and when it comes back.
type gradedAs struct {
	grade progress.Grade
	due   time.Time
}

type drillStage int

const (
	drillLoading drillStage = iota
	drillAsked
	drillRevealed
	drillOver
)

func newDrill(env *Env, f drills.Filter) screen {
	d := &drill{env: env, filter: f, graded: map[string]gradedAs{}}
	d.gate.of = d
	return d
}

// What the commands of a drill report.
type (
	drillBegan struct {
		session *drills.Session
		pace    time.Duration
	}
	drillShown struct { // the next card, or that there is none
		card  drills.Card
		times [4]time.Duration
		over  bool
	}
	drillGraded struct {
		card string
		as   gradedAs
		next drillShown
	}
	drillUndone struct{ next drillShown }
	drillFailed struct{ err error }
)

// init begins the session, or comes back to the card that was left for a lab.
func (d *drill) init() tea.Cmd {
	if d.session != nil {
		d.shown = time.Now().Add(-d.away)
		return d.gate.shut()
	}
	d.busy = true
	e, f := d.env, d.filter
	return send(d, func() tea.Msg {
		s, err := drills.NewSession(e.Ctx, e.Record, e.Material.Cards, f, e.Clock.Now())
		if err != nil {
			return drillFailed{err}
		}
		pace, err := e.Record.Pace(e.Ctx)
		if err != nil {
			return drillFailed{err}
		}
		return drillBegan{s, pace}
	})
}

// work runs a command that uses the session; until it has reported no key acts.
func (d *drill) work(cmd func(ctx context.Context, now time.Time) (tea.Msg, error)) tea.Cmd {
	d.busy = true
	return send(d, d.env.record(func(ctx context.Context, now time.Time) tea.Msg {
		msg, err := cmd(ctx, now)
		if err != nil {
			return drillFailed{err}
		}
		return msg
	}))
}

// next is the card to show.
func (d *drill) next(ctx context.Context, now time.Time) (drillShown, error) {
	card, err := d.session.Next(ctx, now)
	if errors.Is(err, drills.ErrFinished) {
		return drillShown{over: true}, nil
	}
	if err != nil {
		return drillShown{}, err
	}
	times, err := d.session.Intervals(now)
	return drillShown{card: card, times: times}, err
}

func (d *drill) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case gateMsg:
		d.gate.tick(msg)
	case drillBegan:
		d.session, d.pace = msg.session, msg.pace
		return d.again()
	case drillShown:
		return d.show(msg)
	case drillGraded:
		d.graded[msg.card] = msg.as
		return d.show(msg.next)
	case drillUndone:
		delete(d.graded, msg.next.card.ID)
		return d.show(msg.next)
	case drillFailed:
		d.busy = false
		return func() tea.Msg { return failedMsg(msg) }
	case tea.KeyPressMsg:
		return d.press(msg)
	}
	return nil
}

// show puts the next card on the screen, or the end.
func (d *drill) show(s drillShown) tea.Cmd {
	d.busy, d.card, d.times = false, s.card, s.times
	d.stage, d.scroll, d.picked = drillAsked, scroll{}, ""
	d.shown, d.away = time.Now(), 0
	if s.over {
		d.stage = drillOver
	}
	return d.gate.shut()
}

// again asks for a card, which may have come out of its step by now.
func (d *drill) again() tea.Cmd {
	return d.work(func(ctx context.Context, now time.Time) (tea.Msg, error) { return d.next(ctx, now) })
}

var (
	drillReveal = key.NewBinding(key.WithKeys("space", "enter"), key.WithHelp("space", "show the answer"))
	drillProve  = key.NewBinding(key.WithKeys("l"), key.WithHelp("l", "prove it"))
	drillUndo   = key.NewBinding(key.WithKeys("u"), key.WithHelp("u", "undo"))
	drillGoOn   = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "go on"))
	drillHome   = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "done"))
)

// gradeKeys are the four grades with the time until the card comes back.
func (d *drill) gradeKeys() []key.Binding {
	var keys []key.Binding
	for i, g := range progress.Grades {
		n := fmt.Sprint(int(g))
		keys = append(keys, key.NewBinding(key.WithKeys(n), key.WithHelp(n, g.String()+" "+drills.Interval(d.times[i]))))
	}
	return keys
}

func (d *drill) keys() []key.Binding {
	var keys []key.Binding
	switch d.stage {
	case drillAsked:
		if len(d.card.Letters()) > 0 {
			keys = append(keys, d.letters())
		}
		keys = append(keys, drillReveal)
	case drillRevealed:
		keys = d.gradeKeys()
		if d.card.Lab != "" {
			keys = append(keys, drillProve)
		}
	case drillOver:
		keys = append(keys, d.overKey())
	}
	if d.session != nil && d.session.Done() > 0 && !d.busy {
		keys = append(keys, drillUndo)
	}
	if d.scroll.page > 0 {
		keys = append(keys, keyScroll)
	}
	return keys
}

// overKey goes on where a card is coming back, and leaves where none is.
func (d *drill) overKey() key.Binding {
	if !d.busy {
		if n, _ := d.session.Soon(); n > 0 {
			return drillGoOn
		}
	}
	return drillHome
}

// press takes keys one at a time: none acts before what it answers has been on
// the screen for a moment, and none while an answer is being saved.
func (d *drill) press(msg tea.KeyPressMsg) tea.Cmd {
	if d.busy {
		return nil
	}
	if d.scroll.press(msg) { // moving answers nothing
		d.fresh = false
		return nil
	}
	if ok, wait := d.gate.pass(); !ok {
		return wait
	}
	switch {
	case d.session == nil:
		return nil
	case key.Matches(msg, drillUndo):
		return d.undo()
	case d.stage == drillOver && key.Matches(msg, drillGoOn):
		return d.over()
	case d.stage == drillAsked && key.Matches(msg, d.letters()):
		d.picked = msg.String()
		return d.reveal()
	case d.stage == drillAsked && key.Matches(msg, drillReveal):
		return d.reveal()
	case d.stage == drillRevealed && key.Matches(msg, drillProve) && d.card.Lab != "":
		d.away = time.Since(d.shown)
		return openLab(d.env, d.card.Lab, d.card.Topic == etcdTopic)
	}
	for i, k := range d.gradeKeys() {
		if d.stage == drillRevealed && key.Matches(msg, k) {
			return d.grade(progress.Grades[i])
		}
	}
	return nil
}

// letters are the keys that pick an option, so that a choice is made before its
// answer is seen.
func (d *drill) letters() key.Binding { return letterKeys(d.card.Letters(), "pick") }

func (d *drill) reveal() tea.Cmd {
	d.stage, d.scroll, d.fresh = drillRevealed, scroll{}, true
	return d.gate.shut()
}

func (d *drill) over() tea.Cmd {
	n, first := d.session.Soon()
	switch now := d.env.Clock.Now(); {
	case n == 0:
		return leave
	case first.After(now):
		return func() tea.Msg { return failedMsg{fmt.Errorf("the next card comes back at %s", clockTime(first, now))} }
	}
	return d.again()
}

func (d *drill) grade(g progress.Grade) tea.Cmd {
	card, took := d.card.ID, time.Since(d.shown)
	return d.work(func(ctx context.Context, now time.Time) (tea.Msg, error) {
		times, err := d.session.Intervals(now)
		if err != nil {
			return nil, err
		}
		if err := d.session.Grade(ctx, g, now, took); err != nil {
			return nil, err
		}
		next, err := d.next(ctx, now)
		return drillGraded{card: card, as: gradedAs{g, now.Add(times[g-1])}, next: next}, err
	})
}

func (d *drill) undo() tea.Cmd {
	return d.work(func(ctx context.Context, now time.Time) (tea.Msg, error) {
		card, err := d.session.Undo(ctx, now)
		if errors.Is(err, progress.ErrNothingToUndo) {
			return nil, errors.New("nothing to undo: no card was graded in this session")
		}
		if err != nil {
			return nil, err
		}
		times, err := d.session.Intervals(now)
		return drillUndone{drillShown{card: card, times: times}}, err
	})
}

func (d *drill) title() (string, string) {
	name := "drill"
	switch d.stage {
	case drillLoading:
		return name, ""
	case drillOver:
		return name, drills.Plural(d.session.Done(), "answer")
	}
	name += "    " + deck.CleanLine(d.card.Topic)
	if d.card.Deck != d.card.Topic && d.card.Deck != "" {
		name += "    " + deck.CleanLine(d.card.Deck)
	}
	if d.busy { // the session is in use: what stood there stays
		return name, d.standing
	}
	done, left := d.session.Done(), d.session.Left().Total()
	d.standing = fmt.Sprintf("%d of %d    %d min", done+1, done+left, drills.Minutes(left, d.pace))
	return name, d.standing
}

func (d *drill) typing() bool          { return false }
func (d *drill) close()                {}
func (d *drill) back() (bool, tea.Cmd) { return true, nil }
