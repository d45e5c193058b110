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
		return func() tea.Msg { return quitMsg{msg.err} }
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

// table is how each point stands. Where there is air, a line below each says
// what it lacked.
func (h *home) table(w int, airy bool) []string {
	e := h.env
	cols := homeColumns(w)
	var b strings.Builder
	for _, c := range cols {
		b.WriteString(c.set(c.name))
	}
	lines := []string{" " + e.styles.label.Render(left("The six points", cols.title(w)+3)+b.String())}
	for i, p := range e.Points {
		var stats drills.PointStats
		if h.known != nil {
			stats = h.known.stats.Points[i]
		}
		mark, look := " ", e.styles.plain
		if i == h.chosen {
			mark, look = e.styles.accent.Render("▸"), e.styles.strong
		}
		row := mark + look.Render(strconv.Itoa(p.Number)+"  "+left(p.Title, cols.title(w)))
		for _, c := range cols {
			row += c.set(c.value(h, p.Number, stats))
		}
		lines = append(lines, row)
		if airy {
			lines = append(lines, "    "+e.styles.label.Render(missing(e, i, stats)), "")
		}
	}
	return lines
}

// missing names the ideas that were left out last time.
func missing(e *Env, point int, s drills.PointStats) string {
	var names []string
	for _, id := range s.Missing {
		if id >= 1 && id <= len(e.Points[point].Ideas) {
			names = append(names, e.Points[point].Ideas[id-1].Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "left out: " + strings.Join(names, ", ")
}

// column is one column of the table, to the right of the titles.
type column struct {
	name  string
	gap   int  // spaces before it
	width int  // cells
	right bool // numbers stand to the right
	value func(h *home, point int, s drills.PointStats) string
}

func (c column) set(text string) string {
	if c.right {
		return strings.Repeat(" ", c.gap) + right(text, c.width)
	}
	return strings.Repeat(" ", c.gap) + left(text, c.width)
}

type columns []column

// title is what is left for the titles.
func (cs columns) title(w int) int {
	for _, c := range cs {
		w -= c.gap + c.width
	}
	return max(10, min(w-4, 56))
}

// homeColumns are the columns that a screen has room for.
func homeColumns(w int) columns {
	said := column{"said", 2, 5, true, func(_ *home, _ int, s drills.PointStats) string { return said(s) }}
	quiz := column{"quiz", 3, 5, true, func(_ *home, _ int, s drills.PointStats) string { return score(s.QuizRight, s.QuizAsked) }}
	ready := column{"ready", 3, 6, true, func(h *home, _ int, s drills.PointStats) string { return h.ready(s) }}
	proved := column{"proved by", 3, 15, false, func(h *home, p int, _ drills.PointStats) string { return h.provedBy(p, 15) }}
	switch {
	case w >= 100:
		proved.width = w - 100 + 15
		proved.width = min(proved.width, 40)
		proved.value = func(h *home, p int, _ drills.PointStats) string { return h.provedBy(p, proved.width) }
		return columns{said, quiz, ready, proved}
	case w >= 76:
		return columns{said, quiz, proved}
	}
	said.width, proved.gap, proved.width, proved.name = 4, 2, 8, "proved"
	proved.value = func(h *home, p int, _ drills.PointStats) string { return h.provedBy(p, 8) }
	return columns{said, proved}
}

func (h *home) ready(s drills.PointStats) string {
	if h.known == nil {
		return "–"
	}
	return readiness(s.Readiness)
}

// readiness is predicted recall; a dash where no card was ever answered.
func readiness(share *float64) string {
	if share == nil || *share == 0 {
		return "–"
	}
	return percent(share)
}

// provedBy names the labs that were run and prove a point, in w cells: those
// that do not fit are counted.
func (h *home) provedBy(point, w int) string {
	if h.known == nil {
		return "–"
	}
	var names []string
	run := h.known.stats.LabsRun()
	for _, l := range h.env.allLabs() {
		if run[l.Name] && slices.Contains(l.Points, point) {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return "–"
	}
	for n := len(names); n > 0; n-- {
		text := strings.Join(names[:n], ", ")
		if n < len(names) {
			text += fmt.Sprintf(" +%d", len(names)-n)
		}
		if len(text) <= w {
			return text
		}
	}
	return names[0]
}

func said(s drills.PointStats) string {
	if s.Attempts == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.Found, s.Of)
}

func score(right, asked int) string {
	if asked == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", right, asked)
}

// percent is a share in percent, a dash where there is none.
func percent(share *float64) string {
	if share == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100**share)
}
