// Package tui is the terminal app: one root model that owns the size, the errors
// and the end, and a screen a file.
package tui

import (
	"context"
	"slices"
	"sync"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
	"lockdrill/labs"
	"lockdrill/labs/guard"
)

// Env is what the screens work with.
type Env struct {
	Ctx      context.Context // ends with the program
	Material drills.Material
	Load     func() (drills.Material, error) // reads Material while home is on the screen already; nil if it is there
	Points   []recall.Point
	Record   *progress.Record
	Clock    drills.Clock
	Theme    Theme

	labs       []labs.Lab // those to offer; nil for all there are
	styles     styles
	writes     sync.RWMutex   // read-locked while something is being recorded
	background sync.WaitGroup // what screens left behind and is still ending
}

// inBackground runs f, which Close waits for.
func (e *Env) inBackground(f func()) { e.background.Go(guard.Func(f)) }

// allLabs are the labs to offer, in the order to run them.
func (e *Env) allLabs() []labs.Lab {
	if e.labs == nil {
		return labs.All()
	}
	return e.labs
}

// record runs f, a command that writes to the record. It is not cut short when the
// program ends: Close waits for it.
func (e *Env) record(f func(ctx context.Context, now time.Time) tea.Msg) func() tea.Msg {
	return func() tea.Msg {
		e.writes.RLock()
		defer e.writes.RUnlock()
		return f(context.WithoutCancel(e.Ctx), e.Clock.Now())
	}
}

// screen is one thing on the terminal. Update and the others are called from one
// goroutine; whatever may take time is a command whose result comes back through
// update, wrapped by send.
type screen interface {
	// init begins the screen, and again when the one above it is left.
	init() tea.Cmd
	update(msg tea.Msg) tea.Cmd
	// title is the first line: what this is, and how it stands.
	title() (left, right string)
	// body is at most w columns by h lines.
	body(w, h int) string
	// keys are what can be pressed now, the most useful first.
	keys() []key.Binding
	// typing says that printable keys are text.
	typing() bool
	// back handles esc; true means that the screen may be left.
	back() (leave bool, cmd tea.Cmd)
	// close lets go of what the screen holds. It returns at once.
	close()
}

// App is the root model.
type App struct {
	env    *Env
	stack  []screen
	w, h   int
	err    error
	help   bool
	failed error // why the program ended, if not by choice
	// suspended is when the program was last suspended, by the wall clock: a
	// monotonic one may stand still meanwhile.
	suspended time.Time
}

// New returns the app, which begins at home.
func New(env *Env) *App { return newApp(env, newHome) }

// NewDrill returns an app that is one drill.
func NewDrill(env *Env, f drills.Filter) *App {
	return newApp(env, func(env *Env) screen { return newDrill(env, f) })
}

// NewQuizStart returns an app that is one quiz, chosen on its first screen.
func NewQuizStart(env *Env) *App { return newApp(env, newQuizStart) }

// NewLab returns an app that is one lab.
func NewLab(env *Env, l labs.Lab, o labs.Options) *App {
	return newApp(env, func(env *Env) screen { return newLab(env, l, o) })
}

// NewQuiz returns an app that is one quiz; Seed 0 draws one. Then is told the
// result, in a goroutine of its own.
func NewQuiz(env *Env, o drills.QuizOptions, then func(drills.QuizResult)) *App {
	told := func(_ context.Context, r drills.QuizResult) error {
		then(r)
		return nil
	}
	return newApp(env, func(env *Env) screen { return newQuiz(env, quizOf{QuizOptions: o, then: told}) })
}

// NewRecall returns an app in which one point is said; aloud if there is a
// limit, else typed.
func NewRecall(env *Env, p recall.Point, limit time.Duration) *App {
	return newApp(env, func(env *Env) screen {
		if limit > 0 {
			return newAloud(env, p, limit)
		}
		return newRecall(env, p)
	})
}

// NewTonight returns an app that is the short path.
func NewTonight(env *Env) *App { return newApp(env, newTonight) }

func newApp(env *Env, first func(*Env) screen) *App {
	env.styles = newStyles(env.Theme)
	a := &App{env: env, stack: []screen{first(env)}}
	if _, atHome := a.top().(*home); !atHome { // home says it itself
		a.err = env.Record.NotSaved()
	}
	return a
}

// Screens tell the root what to do with these.
type (
	openMsg   struct{ screen }        // put a screen on top
	backMsg   struct{}                // leave the one on top
	failedMsg struct{ err error }     // show this
	quitMsg   struct{ err error }     // end the program, because of err if there is one
	awayMsg   struct{ time.Duration } // the program was suspended for so long
	toMsg     struct {                // for one screen, wherever it is
		to  screen
		msg tea.Msg
	}
)

func open(s screen) tea.Cmd { return func() tea.Msg { return openMsg{s} } }

func leave() tea.Msg { return backMsg{} }

// send runs a command for a screen: its result finds that screen, or nobody.
// An error as result is shown by the root.
func send(to screen, cmd func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case error:
			return failedMsg{msg}
		default:
			return toMsg{to, msg}
		}
	}
}

// Keys that every screen has.
var (
	keyQuit    = key.NewBinding(key.WithKeys("ctrl+c"), key.WithHelp("ctrl+c", "quit"))
	keySuspend = key.NewBinding(key.WithKeys("ctrl+z"), key.WithHelp("ctrl+z", "suspend"))
	keyBack    = key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "back"))
	keyLeave   = key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "leave"))
	keyHelp    = key.NewBinding(key.WithKeys("?"), key.WithHelp("?", "keys"))
)

// Init begins the first screen.
func (a *App) Init() tea.Cmd { return a.top().init() }

func (a *App) top() screen { return a.stack[len(a.stack)-1] }

// Update handles what concerns every screen and passes on the rest.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
		return a, a.top().update(msg)
	case tea.ColorProfileMsg:
		a.env.styles = stylesIn(a.env.Theme, msg.Profile)
		return a, nil
	case tea.KeyPressMsg:
		return a, a.press(msg)
	case openMsg:
		a.stack = append(a.stack, msg.screen)
		return a, msg.screen.init()
	case backMsg:
		return a, a.pop()
	case failedMsg:
		a.err = msg.err
		return a, nil
	case quitMsg:
		a.failed = msg.err
		return a, a.quit()
	case toMsg:
		if slices.Contains(a.stack, msg.to) {
			return a, msg.to.update(msg.msg)
		}
		return a, nil
	case tea.ResumeMsg:
		return a, a.top().update(awayMsg{wallClock().Sub(a.suspended)})
	case tea.InterruptMsg:
		return a, a.quit()
	}
	return a, a.top().update(msg)
}

// press handles the keys of every screen, then the screen's own.
func (a *App) press(msg tea.KeyPressMsg) tea.Cmd {
	a.err = nil
	switch {
	case key.Matches(msg, keyQuit):
		a.failed = ErrInterrupted
		return a.quit()
	case key.Matches(msg, keySuspend):
		a.suspended = wallClock()
		return suspend()
	case a.help:
		a.help = false
		return nil
	case key.Matches(msg, keyBack):
		if ok, cmd := a.top().back(); !ok {
			return cmd
		}
		return a.pop()
	case key.Matches(msg, keyHelp) && !a.top().typing():
		a.help = true
		return nil
	}
	return a.top().update(msg)
}

// pop leaves the screen on top; the last one ends the program.
func (a *App) pop() tea.Cmd {
	if len(a.stack) == 1 {
		return a.quit()
	}
	a.top().close()
	a.stack = a.stack[:len(a.stack)-1]
	return a.top().init()
}

func (a *App) quit() tea.Cmd { return tea.Quit }

// Err is why the program ended: nil by choice, ErrInterrupted by Ctrl-C.
func (a *App) Err() error { return a.failed }

// Close lets go of what the screens hold, servers and clients, and waits until
// it is gone. Call it when the program has ended, however it ended.
func (a *App) Close() {
	for _, s := range slices.Backward(a.stack) {
		s.close()
	}
	a.stack = a.stack[:1]
	a.env.background.Wait()
	a.env.writes.Lock() // the last answer is on disk
	defer a.env.writes.Unlock()
}
