package tui

import (
	"maps"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"lockdrill/drills"
	"lockdrill/drills/deck"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
)

// pieces are what text on a screen may be made of, at its worst.
var pieces = []string{"a", "lease", "분산 락", "分散ロック", "é̂", "👩‍💻", "🏳️‍🌈", "❤️", "🇬🇧", "→", "…", " ", "\n\n", "`code x`", "**bold**",
	strings.Repeat("long", 40), "| a | b |\n|---|---|\n| c | d |", "```\n\tcode " + strings.Repeat("x", 90) + "\n```", "\x1b[2J", "\u202e", "\t"}

func drawText(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 60).Draw(t, name), " ")
}

// screenStates makes an app in each state that shows text from outside.
func screenStates(env *Env, t *rapid.T) map[string]func() *App {
	text := func(name string) string { return drawText(t, name) }
	env.styles = newStyles(env.Theme)
	c := drills.Card{Card: deck.Card{ID: "x/y", Deck: text("deck"), Topic: text("topic"), Kind: deck.QA, Front: text("front"),
		Back: text("back"), Source: text("source"), NoLab: text("no lab")}}
	options := []deck.Option{{Text: text("a"), Why: text("why a")}, {Text: text("b"), Right: true, Why: text("why b")}}
	asked := deck.Card{ID: "x/z", Topic: text("topic"), Kind: deck.Choice, Front: text("question"), Option: options}
	p := env.Points[2]
	marked := recall.Marked{Wrong: []recall.MarkedWrong{{ID: 1, Quote: text("quote"), Why: text("why")}}}
	for i, idea := range p.Ideas {
		marked.Ideas = append(marked.Ideas, recall.MarkedIdea{ID: i + 1, Name: idea.Name, Found: i%2 == 0, Quote: text("quoted")})
	}
	app := func(s screen) *App { return &App{env: env, stack: []screen{s}} }
	drilling := func(stage drillStage) func() *App {
		return func() *App {
			s, err := drills.NewSession(env.Ctx, env.Record, nil, drills.Filter{}, noon)
			if err != nil {
				t.Fatal(err)
			}
			return app(&drill{env: env, session: s, stage: stage, card: c, fresh: true})
		}
	}
	quizzing := func(stage quizStage) func() *App {
		return func() *App {
			q := newQuiz(env, quizOf{QuizOptions: drills.QuizOptions{Questions: 1, Seed: 1}, cards: []deck.Card{asked}}).(*quiz)
			question, _ := q.quiz.Next()
			outcome := drills.Outcome{ID: asked.ID, Topic: asked.Topic, Picked: "a", Right: "b", Why: text("outcome")}
			q.stage, q.number, q.question, q.outcome = stage, 1, question, outcome
			q.result = drills.QuizResult{Asked: 1, Questions: []drills.Outcome{outcome}, Topics: []drills.TopicScore{{Topic: asked.Topic, Asked: 1}}}
			q.missed = q.result.Questions
			return app(q)
		}
	}
	return map[string]func() *App{
		"asked": drilling(drillAsked), "revealed": drilling(drillRevealed), "over": drilling(drillOver),
		"question": quizzing(quizAsked), "verdict": quizzing(quizVerdict), "result": quizzing(quizOver),
		"marked": func() *App {
			s := newRecall(env, p).(*saying)
			s.said, s.stage, s.attempt = text("said"), sayMarked, drills.NewAttempt(p, marked)
			return app(s)
		},
		"typing": func() *App {
			s := newRecall(env, p).(*saying)
			s.update(tea.PasteMsg{Content: text("typed")})
			return app(s)
		},
		"aloud":  func() *App { return app(newAloud(env, p, aloudTime)) },
		"points": func() *App { return app(&points{env: env, told: true}) },
		"home":   func() *App { return app(newHome(env)) },
		"start":  func() *App { return app(newQuizStart(env)) },
		"stats": func() *App {
			known := drills.Stats{Topics: []drills.TopicStats{{Topic: text("topic")}}, Labs: []drills.LabStats{{Lab: "pause"}}}
			return app(&stats{env: env, known: &known})
		},
		"tonight": func() *App {
			path, err := drills.LoadTonight(env.Ctx, env.Record, env.Points, noon)
			if err != nil {
				t.Fatal(err)
			}
			return app(&tonight{env: env, path: path, chosen: -1})
		},
		"failed": func() *App {
			a := app(newHome(env))
			a.err = &progress.FileError{Path: text("path"), Fault: progress.Damaged, Detail: text("detail")}
			return a
		},
	}
}

// No screen has more lines or columns than the terminal, at any size, after any
// resize, whatever stands on it, and none lets a control character through.
func TestNoScreenIsLargerThanTheTerminal(t *testing.T) {
	env := testEnv(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		states := screenStates(env, t)
		all := slices.Sorted(maps.Keys(states))
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(all), 5, 5, rapid.ID).Draw(t, "screens") {
			a := states[name]()
			for range 3 {
				w, h := rapid.IntRange(60, 200).Draw(t, "w"), rapid.IntRange(20, 60).Draw(t, "h")
				a.Update(tea.WindowSizeMsg{Width: w, Height: h})
				fits(t, name, a.View().Content, w, h)
				for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"down", "up", "pgdown", "pgup", "?"}), 0, 3).Draw(t, "keys") {
					if a.top().typing() {
						continue
					}
					a.Update(keyMsg(k))
				}
				fits(t, name, a.View().Content, w, h)
			}
		}
	})
}

func fits(t *rapid.T, name, content string, w, h int) {
	lines := strings.Split(content, "\n")
	if len(lines) > h {
		t.Fatalf("%s at %dx%d has %d lines:\n%s", name, w, h, len(lines), content)
	}
	for _, l := range lines {
		if n := ansi.StringWidth(l); n > w {
			t.Fatalf("%s at %dx%d has a line of %d columns: %q", name, w, h, n, l)
		}
	}
	for _, bad := range []string{"\x1b[2J", "\u202e", "\t", "\r"} {
		if strings.Contains(content, bad) {
			t.Fatalf("%s lets %q through:\n%s", name, bad, content)
		}
	}
}

// Below the least size one line says what is needed.
func TestTooSmall(t *testing.T) {
	a := New(testEnv(t, t.TempDir()))
	for _, size := range [][2]int{{59, 24}, {80, 19}, {10, 3}, {1, 1}, {0, 0}} {
		a.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if got := a.View().Content; strings.Contains(got, "\n") || ansi.StringWidth(got) > size[0] {
			t.Errorf("%v: %q", size, got)
		}
	}
}

// Our own text has no emoji and no symbol that is wider than it looks.
func TestNoEmojiInOurText(t *testing.T) {
	for _, s := range []string{signFound, signMissing, signWrong, "▸", "▎", "▇", "░", "─", "…", "‹", "›", "↑↓", "←→"} {
		for _, r := range s {
			if ansi.StringWidth(string(r)) != 1 || r > 0xffff {
				t.Errorf("%q is %d wide", r, ansi.StringWidth(string(r)))
			}
		}
	}
}
