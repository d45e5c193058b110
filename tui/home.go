package tui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/labs"
)

// home answers three questions: how strong is each point, what to do next, what
// has been proved.
type home struct {
	env    *Env
	known  *homeData // nil until it was read
	chosen int       // index of a point; -1 for none
}

// homeData is what home shows.
type homeData struct {
	material drills.Material
	stats    drills.Stats
	advice   drills.Advice
	weak     int // the weakest point, 0 for none
	why      string
}

func newHome(env *Env) screen { return &home{env: env, chosen: -1} }

// init reads the numbers, and the cards if that was left to the screen.
func (h *home) init() tea.Cmd {
	e := h.env
	load, material := e.Load, e.Material
	return send(h, func() tea.Msg {
		var failed error
		var loading sync.WaitGroup
		if load != nil {
			loading.Go(func() { material, failed = load() })
		}
		numbers, err := drills.ReadNumbers(e.Ctx, e.Record)
		loading.Wait()
		if failed != nil {
			return homeFailed{failed}
		}
		if err != nil {
			return err
		}
		return homeRead(e, material, numbers)
	})
}

// homeFailed says that there is nothing to study.
type homeFailed struct{ err error }

func homeRead(e *Env, m drills.Material, numbers drills.Numbers) tea.Msg {
	pace, err := e.Record.Pace(e.Ctx)
	if err != nil {
		return err
	}
	stats := numbers.Stats(m, e.Points, e.Clock.Now())
	d := homeData{material: m, stats: stats, advice: drills.Advise(stats, e.Points, labNames(e), pace)}
	d.weak, d.why = stats.Weakest(e.Points)
	return d
}

func labNames(e *Env) []string {
	var names []string
	for _, l := range e.allLabs() {
		names = append(names, l.Name)
	}
	return names
}

var (
	homeOpen    = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "open"))
	homeStart   = key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "start"))
	homeQuit    = key.NewBinding(key.WithKeys("q"), key.WithHelp("q", "quit"))
	homePoints  = key.NewBinding(key.WithKeys("p"), key.WithHelp("p", "points"))
	homeQuiz    = key.NewBinding(key.WithKeys("z"), key.WithHelp("z", "quiz"))
	homeTonight = key.NewBinding(key.WithKeys("i"), key.WithHelp("i", "tonight"))
	homeStats   = key.NewBinding(key.WithKeys("s"), key.WithHelp("s", "stats"))
	homeDrill   = key.NewBinding(key.WithKeys("d"), key.WithHelp("d", "drill"))
	homeLabs    = key.NewBinding(key.WithKeys("l"), key.WithHelp("l", "labs"))
)

func (h *home) keys() []key.Binding {
	drill, lab := homeDrill, homeLabs
	if h.known != nil {
		s := h.known.stats
		drill.SetHelp("d", "drill "+strconv.Itoa(s.Due+s.New))
		lab.SetHelp("l", fmt.Sprintf("labs %d/%d", h.labsRun(), len(h.env.allLabs())))
	}
	keys := []key.Binding{drill, homePoints, homeQuiz, lab, homeTonight, homeStats, keyBreak, keyUp}
	if h.chosen >= 0 {
		keys = append(keys, homeOpen)
	}
	return append(keys, homeQuit)
}

// hidden is the key that stands beside what it starts.
func (h *home) hidden() []key.Binding {
	if h.chosen >= 0 {
		return nil
	}
	return []key.Binding{homeStart}
}

// labsRun is how many of the labs that exist were run.
func (h *home) labsRun() int {
	n, run := 0, h.known.stats.LabsRun()
	for _, l := range h.env.allLabs() {
		if run[l.Name] {
			n++
		}
	}
	return n
}

func (h *home) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case homeData:
		h.known = &msg
		h.env.Material, h.env.Load = msg.material, nil
	case homeFailed:
		return func() tea.Msg { return quitMsg(msg) }
	case tea.KeyPressMsg:
		return h.press(msg)
	}
	return nil
}

func (h *home) press(msg tea.KeyPressMsg) tea.Cmd {
	e := h.env
	switch {
	case key.Matches(msg, homeQuit):
		return func() tea.Msg { return quitMsg{} }
	case h.known == nil: // the doors lead to cards
		return nil
	case key.Matches(msg, keyUp):
		h.chosen = max(-1, h.chosen-1)
	case key.Matches(msg, keyDown):
		h.chosen = min(len(e.Points)-1, h.chosen+1)
	case key.Matches(msg, homeStart):
		return h.enter()
	case key.Matches(msg, homeDrill):
		return open(newDrill(e, drills.Filter{}))
	case key.Matches(msg, homePoints):
		return open(newPoints(e, 0))
	case key.Matches(msg, homeQuiz):
		return open(newQuizStart(e))
	case key.Matches(msg, homeLabs):
		return open(newLabList(e))
	case key.Matches(msg, homeTonight):
		return open(newTonight(e))
	case key.Matches(msg, homeStats):
		return open(newStats(e))
	}
	return nil
}

// enter opens the chosen point, or starts what is advised.
func (h *home) enter() tea.Cmd {
	if h.chosen >= 0 {
		return open(newPoints(h.env, h.chosen))
	}
	switch a := h.known.advice; a.Do {
	case drills.DoDue, drills.DoNew:
		return open(newDrill(h.env, drills.Filter{Limit: a.Cards}))
	case drills.DoPoint:
		return open(newPoints(h.env, a.Point-1))
	case drills.DoLab:
		return openLab(h.env, a.Lab, false)
	default:
		return open(newQuiz(h.env, quizOf{QuizOptions: drills.QuizOptions{Questions: 10}}))
	}
}

// openLab opens a lab by its name, on the service that what it proves is about:
// one that issues tokens for etcd's topic and point, else the lab's own default.
func openLab(e *Env, name string, etcd bool) tea.Cmd {
	l, err := labs.Named(name)
	if err != nil {
		return func() tea.Msg { return failedMsg{err} }
	}
	var o labs.Options
	if etcd && slices.Contains(l.Services, "etcd") {
		o.Service = "etcd"
	}
	return open(newLab(e, l, o))
}

// The topic and the point about what etcd adds.
const (
	etcdTopic = "etcd-zookeeper"
	etcdPoint = 4
)

func (h *home) title() (string, string) {
	if h.known != nil && h.known.stats.Streak > 1 {
		return "lockdrill", fmt.Sprintf("%d days in a row", h.known.stats.Streak)
	}
	return "lockdrill", ""
}

func (h *home) typing() bool { return false }
func (h *home) close()       {}

// back lets go of what is chosen; home is left by q.
func (h *home) back() (bool, tea.Cmd) {
	h.chosen = -1
	return false, nil
}

func (h *home) body(w, room int) string {
	lines := append(h.top(w), "", h.env.rule(w))
	airy := room >= 30
	if airy {
		lines = slices.Insert(lines, 1, "")
		lines = append(lines, "")
	}
	lines = append(lines, h.table(w, airy)...)
	if len(lines) > room { // every line with something on it comes first
		lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	}
	return strings.Join(lines, "\n")
}

// top is how ready one is, and what comes next.
func (h *home) top(w int) []string {
	s := h.env.styles
	label := func(t string) string { return " " + s.label.Render(left(t, 8)) }
	ready, next, why := "–", "", ""
	if d := h.known; d != nil {
		if r := d.stats.Readiness(); r != nil {
			ready = left(percent(r), 8) + h.bar(*r, max(10, min(60, w-30)))
		}
		next = d.advice.Text
		if d.weak > 0 && d.why != "" {
			why = fmt.Sprintf("Point %d is your weakest: %s", d.weak, d.why)
		}
	}
	start := ""
	if h.chosen < 0 && next != "" {
		start = "enter " + s.label.Render("start")
	}
	lines := []string{label("Ready") + ready}
	room := w - 9 - 13
	for i, l := range wrap(next, room) {
		if i == 0 {
			lines = append(lines, label("Next")+s.strong.Render(left(l, room))+right(start, 12))
		} else {
			lines = append(lines, label("")+s.strong.Render(l))
		}
	}
	if why != "" {
		for _, l := range wrap(why, w-10) {
			lines = append(lines, label("")+l)
		}
	}
	return append(lines, h.notSaved(w)...)
}

// notSaved says that nothing will be kept, and why.
func (h *home) notSaved(w int) []string {
	why := h.env.Record.NotSaved()
	if why == nil {
		return nil
	}
	lines := []string{""}
	for _, l := range wrap(deck.CleanLine(why.Error()), w-4) {
		lines = append(lines, h.env.styles.accent.Render(" ▎ ")+l)
	}
	return lines
}

// bar draws a share, 0 to 1, n cells wide.
func (h *home) bar(share float64, n int) string {
	full := int(math.Round(share * float64(n)))
	full = max(0, min(n, full))
	return strings.Repeat("▇", full) + h.env.styles.rule.Render(strings.Repeat("░", n-full))
}
