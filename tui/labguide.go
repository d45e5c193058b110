package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"lockdrill/labs"
)

// guide plays the lab's story, step by step or at one go, and asks one question
// before the decisive moment.
type guide struct {
	story    *labs.Story
	question labs.Question
	asked    bool
	asking   bool
	said     *labs.Prediction // nil = not asked yet, or skipped
	sure     int              // index into labs.Confidence
	chosen   int              // while asking: 1 + the answer chosen; 0 = none yet
	all      bool             // go on by itself
}

func newGuide(story *labs.Story, q labs.Question) *guide {
	return &guide{story: story, question: q}
}

// over says that the story has been told.
func (g *guide) over() bool {
	_, more := g.story.Next()
	return !more
}

func (g *guide) keys(busy bool) []key.Binding {
	switch {
	case g.over():
		return nil
	case g.asking:
		return []key.Binding{g.choose(), keySkip}
	case busy || g.all:
		return []key.Binding{keyRunAlone, keyEarlier}
	}
	return []key.Binding{keyStep, keyAll, keyRunAlone, keyEarlier}
}

// choose is the key for each answer that can be given now.
func (g *guide) choose() key.Binding {
	n := len(g.question.Answers)
	if g.chosen > 0 {
		n = len(labs.Confidence)
	}
	return key.NewBinding(key.WithKeys("1", "2", "3"), key.WithHelp(fmt.Sprintf("1-%d", n), "choose"))
}

// pressGuide handles the keys of a guided run; false leaves the key to the lab.
func (l *lab) pressGuide(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	g := l.run.guide
	switch {
	case g.over():
		return nil, false
	case g.asking:
		return l.answer(msg), true
	case key.Matches(msg, keyStep):
		return l.step(), true
	case key.Matches(msg, keyAll):
		g.all = true
		return l.step(), true
	case key.Matches(msg, keyAgain), key.Matches(msg, keyEarlier), key.Matches(msg, keyLater), key.Matches(msg, keyNewest):
		return nil, false
	}
	return nil, true
}

// step carries out the next step, unless one is under way or the question comes
// first.
func (l *lab) step() tea.Cmd {
	g := l.run.guide
	next, more := g.story.Next()
	if !more || l.run.doing > 0 || g.asking {
		return nil
	}
	if !g.asked && next.Action.String() == g.question.Before {
		g.asked, g.asking = true, true
		return nil
	}
	return l.do(g.story.Step)
}

// answer takes the prediction, then how sure it is. Enter skips.
func (l *lab) answer(msg tea.KeyPressMsg) tea.Cmd {
	g := l.run.guide
	n := slices.Index([]string{"1", "2", "3"}, msg.String())
	switch {
	case key.Matches(msg, keySkip):
		g.asking = false
		return l.step()
	case n < 0:
		return nil
	case g.chosen == 0 && n < len(g.question.Answers):
		g.chosen = n + 1
	case g.chosen > 0:
		g.said, g.sure, g.asking = &g.question.Answers[g.chosen-1], n, false
		return l.step()
	}
	return nil
}

// verdictOnPrediction holds what was said against what happened.
func (g *guide) verdictOnPrediction(v labs.Verdict) string {
	if g.said == nil || !g.over() {
		return ""
	}
	said := "You said: " + g.said.Text + " (" + labs.Confidence[g.sure] + "). "
	if g.said.Came(v) {
		return said + "So it was."
	}
	for _, a := range g.question.Answers {
		if a.Came(v) {
			return said + "What happened: " + a.Text + "."
		}
	}
	return said + "It did not happen."
}

// text is what a guided run says under the lanes.
func (g *guide) text(busy bool) []string {
	next, more := g.story.Next()
	switch {
	case !more:
		return nil
	case g.asking && g.chosen == 0:
		return append([]string{g.question.Text}, choices(answerTexts(g.question))...)
	case g.asking:
		return append([]string{"How sure are you?"}, choices(labs.Confidence[:])...)
	}
	line := "next   " + next.Action.String()
	if busy {
		line = "now    " + next.Action.String()
	}
	if next.Note != "" {
		line += "   " + next.Note
	}
	return []string{line}
}

func answerTexts(q labs.Question) []string {
	var all []string
	for _, a := range q.Answers {
		all = append(all, a.Text)
	}
	return all
}

func choices(texts []string) []string {
	var parts []string
	for i, t := range texts {
		parts = append(parts, string(rune('1'+i))+" "+t)
	}
	return []string{strings.Join(parts, "     ")}
}
