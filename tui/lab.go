package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills/progress"
	"lockdrill/labs"
)

// frameEvery is how often a live lab is drawn anew, however many events come.
const frameEvery = 80 * time.Millisecond

// lab is a running experiment: lanes over time, the event that is selected, and
// the keys that break things.
type lab struct {
	env    *Env
	spec   labs.Lab
	opts   labs.Options
	ctx    context.Context // ends when the screen is left
	cancel context.CancelFunc

	run    *run // nil while it starts
	runs   int  // counts restarts, so that news of an old run is told apart
	chosen int  // index of the selected event; -1 = the newest
	wire   bool
	note   string // what the lab has to say about itself, until the next key
	typed  *typedAction
}

// run is one session and how far it is understood.
type run struct {
	session     *labs.Session
	labs.Result // as of the last look
	lesson      labs.Lesson
	judged      int       // events judged
	rest        time.Time // before which nothing is judged anew, so that judging stays cheap
	guide       *guide
	now         time.Duration
	possible    []labs.Control // what can be done now
	doing       int            // actions under way
	saved       bool
}

// What a lab's commands bring back.
type (
	startedMsg struct {
		n       int
		session *labs.Session
		story   *labs.Story
	}
	frameMsg struct{ n int }
	doneMsg  struct {
		n   int
		err error
	}
	labFailedMsg struct {
		n   int
		err error
	}
)

// newLab opens a lab by hand, with the options that are set and defaults for the
// rest.
func newLab(env *Env, l labs.Lab, o labs.Options) screen {
	ctx, cancel := context.WithCancel(env.Ctx)
	return &lab{env: env, spec: l, opts: l.ByHand(o), ctx: ctx, cancel: cancel, chosen: -1}
}

func (l *lab) init() tea.Cmd {
	if l.run != nil {
		return l.frame()
	}
	return l.restart(false)
}

// restart gives up the present run and starts a fresh one, by hand or guided.
func (l *lab) restart(guided bool) tea.Cmd {
	saved := l.save()
	l.drop()
	l.runs++
	l.chosen, l.note, l.wire = -1, "", false
	n, spec, opts, ctx := l.runs, l.spec, l.opts, l.ctx
	if guided {
		// The story's own pace: nobody has to keep up with it.
		opts.TTL = min(opts.TTL, time.Second)
	}
	return tea.Batch(saved, send(l, func() tea.Msg {
		s, err := labs.Start(ctx, spec, opts)
		if err != nil {
			return labFailedMsg{n, err}
		}
		if !guided {
			l.env.inBackground(func() { _ = s.SetScene(ctx) }) // what goes wrong is in the history
			return startedMsg{n: n, session: s}
		}
		story, err := s.Story()
		if err != nil {
			return labFailedMsg{n, err}
		}
		return startedMsg{n, s, story}
	}))
}

// drop ends the present run in the background.
func (l *lab) drop() {
	if l.run == nil {
		return
	}
	s := l.run.session
	l.run = nil
	l.env.inBackground(func() { _ = s.Close() }) // nothing is left to tell of it
}

func (l *lab) close() {
	l.cancel()
	if cmd := l.save(); cmd != nil {
		l.env.inBackground(func() { cmd() })
	}
	l.drop()
}

// frame comes back when it is time to draw again.
func (l *lab) frame() tea.Cmd {
	n := l.runs
	return tea.Tick(frameEvery, func(time.Time) tea.Msg { return toMsg{l, frameMsg{n}} })
}

func (l *lab) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case startedMsg:
		return l.started(msg)
	case labFailedMsg:
		if msg.n != l.runs {
			return nil
		}
		return func() tea.Msg { return failedMsg{msg.err} }
	case frameMsg:
		if msg.n != l.runs || l.run == nil {
			return nil
		}
		l.catchUp()
		return l.frame()
	case doneMsg:
		return l.done(msg)
	case awayMsg:
		l.resumed(msg.Duration)
		return nil
	case tea.KeyPressMsg:
		return l.press(msg)
	case tea.PasteMsg:
		if l.typed != nil {
			return l.typed.update(msg)
		}
	}
	return nil
}

func (l *lab) started(msg startedMsg) tea.Cmd {
	if msg.n != l.runs { // left, or started again meanwhile
		l.env.inBackground(func() { _ = msg.session.Close() })
		return nil
	}
	l.run = &run{session: msg.session, Result: msg.session.ResultOf(nil, labs.Judge(nil))}
	if msg.story != nil {
		l.run.guide = newGuide(msg.story, msg.session.Question())
	}
	l.catchUp()
	return l.frame()
}

// catchUp takes in what has happened. A long history is judged less often, so
// that looking never takes more than a tenth of the time.
func (l *lab) catchUp() {
	r := l.run
	began := time.Now()
	events, verdict := r.session.History().Events(), r.Verdict
	if len(events) > r.judged && began.After(r.rest) {
		verdict, r.judged = labs.Judge(events), len(events)
		r.rest = began.Add(10 * time.Since(began))
	}
	r.Result = r.session.ResultOf(events, verdict)
	r.now = r.session.History().Now()
	r.possible = possible(r.session)
	r.lesson = l.spec.Lesson(r.Result)
}

// possible are the controls that can be used now.
func possible(s *labs.Session) []labs.Control {
	return slices.DeleteFunc(slices.Clone(s.Controls()), func(c labs.Control) bool {
		return s.Possible(c.Do[0]) != nil
	})
}

func (l *lab) done(msg doneMsg) tea.Cmd {
	if msg.n != l.runs || l.run == nil {
		return nil
	}
	l.run.doing--
	l.catchUp()
	if msg.err != nil {
		if g := l.run.guide; g != nil {
			g.all = false
		}
		return func() tea.Msg { return failedMsg{msg.err} }
	}
	if g := l.run.guide; g != nil && g.all {
		return l.step()
	}
	return nil
}

// resumed says what the lab's clocks did while the program was suspended.
func (l *lab) resumed(away time.Duration) {
	if l.run != nil && away > time.Second {
		l.note = fmt.Sprintf("suspended for %s: the service and the store stood still, the clients and the clock did not", labs.Span(away.Round(100*time.Millisecond)))
	}
}

// do carries out actions without holding up the keyboard.
func (l *lab) do(f func(context.Context) error) tea.Cmd {
	l.run.doing++
	l.chosen = -1
	n, ctx := l.runs, l.ctx
	return send(l, func() tea.Msg { return doneMsg{n, f(ctx)} })
}

// save records what the run showed, once it showed something.
func (l *lab) save() tea.Cmd {
	if l.run == nil || l.run.saved || !l.run.Verdict.Decided() {
		return nil
	}
	l.run.saved = true
	result := progress.LabResult{
		Lab: l.spec.Name, Service: l.run.Options.Service, Store: l.run.Options.Store, // what is set by now is the next run's
		Verdict: string(l.run.Verdict.Worst()), LateWrite: l.run.Verdict.LateWrite, At: l.env.Clock.Now(),
	}
	if g := l.run.guide; g != nil && g.said != nil {
		result.Predicted, result.Confidence = g.said.Text, g.sure+1
	}
	return send(l, func() tea.Msg {
		if err := l.env.Record.AddLab(context.WithoutCancel(l.ctx), result); err != nil {
			return fmt.Errorf("the lab's result was not saved: %w", err)
		}
		return nil
	})
}

func (l *lab) store() string {
	if l.opts.Store == "" {
		return l.spec.Stores[0]
	}
	return l.opts.Store
}

func (l *lab) title() (string, string) {
	parts := []string{l.opts.Service, "store " + l.store()}
	for _, f := range l.opts.On {
		parts = append(parts, "--"+f)
	}
	if l.run == nil {
		return l.spec.Name, strings.Join(append(parts, "starting"), "   ")
	}
	if granted := l.run.Granted; granted > 0 {
		parts = append(parts, "lease "+labs.Span(granted))
	}
	parts = append(parts, fmt.Sprintf("%.1f s", l.run.now.Seconds()))
	return l.spec.Name, strings.Join(parts, "   ")
}

func (l *lab) typing() bool { return l.typed != nil }

func (l *lab) back() (bool, tea.Cmd) {
	switch {
	case l.typed != nil:
		l.typed = nil
		return false, nil
	case l.wire:
		l.wire = false
		return false, nil
	}
	return true, nil
}

// newLabKeys are the keys of every lab; the controls come from the lab itself.
var (
	keyGuide    = key.NewBinding(key.WithKeys("g"), key.WithHelp("g", "guided"))
	keyAgain    = key.NewBinding(key.WithKeys("n"), key.WithHelp("n", "again"))
	keyEarlier  = key.NewBinding(key.WithKeys("left"), key.WithHelp("←→", "events"))
	keyLater    = key.NewBinding(key.WithKeys("right"))
	keyNewest   = key.NewBinding(key.WithKeys("end"))
	keyWire     = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "wire"))
	keyService  = key.NewBinding(key.WithKeys("v"), key.WithHelp("v", "service"))
	keyFenced   = key.NewBinding(key.WithKeys("F"), key.WithHelp("F", "fence and run again"))
	keyType     = key.NewBinding(key.WithKeys(":"), key.WithHelp(":", "type an action"))
	keyStep     = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "next step"))
	keyAll      = key.NewBinding(key.WithKeys("g"), key.WithHelp("g", "all at once"))
	keySkip     = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "skip"))
	keyRunAlone = key.NewBinding(key.WithKeys("n"), key.WithHelp("n", "by hand"))
)
