package tui

import (
	"fmt"
	"strings"

	"lockdrill/drills"
	"lockdrill/drills/deck"
)

func (q *quiz) body(w, h int) string {
	e := q.env
	q.scroll.page = 0
	switch {
	case q.asking:
		return e.question("Leave this quiz?", "The answers so far are recorded. The score is not.", w)
	case q.quiz.Len() == 0:
		return "   No card of this choice is a question with options."
	case q.stage == quizOver:
		return q.ending(w, h)
	}
	lines := indent(e.markdown().Render(q.question.Card.Front, measure(w)), 3)
	lines = append(lines, "")
	for i, o := range q.question.Options {
		lines = append(lines, q.option(i, o, w)...)
	}
	if q.stage == quizVerdict {
		lines = append(lines, "")
		from := len(lines)
		lines = append(lines, indent(q.reason(q.outcome, w), 3)...)
		if len(lines) > h && !q.moved {
			q.scroll.keep(from, len(lines)-1, h-1)
		}
	}
	if len(lines) <= h {
		return strings.Join(lines, "\n")
	}
	return e.pages(&q.scroll, lines, w, h)
}

// option is one answer under its letter; after the verdict it has a sign.
func (q *quiz) option(i int, o deck.Option, w int) []string {
	e, letter := q.env, deck.Letter(i)
	sign, look := " ", e.styles.plain
	if q.stage == quizVerdict {
		switch letter {
		case q.outcome.Right:
			sign, look = signFound, e.styles.strong
		case q.outcome.Picked:
			sign = signWrong
		}
	}
	var lines []string
	for n, l := range e.markdown().Render(o.Text, max(1, measure(w)-5)) {
		head := "       "
		if n == 0 {
			head = " " + sign + " " + letter + "   "
		}
		lines = append(lines, head+look.Render(l))
	}
	return lines
}

// reason is the verdict in words, why, and where it can be seen.
func (q *quiz) reason(o drills.Outcome, w int) []string {
	e := q.env
	verdict := "Right."
	switch {
	case o.Picked == "":
		verdict = fmt.Sprintf("Not answered: %s is right.", o.Right)
	case !o.Correct:
		verdict = fmt.Sprintf("Not %s: %s is right.", o.Picked, o.Right)
	}
	lines := []string{e.styles.strong.Render(verdict)}
	lines = append(lines, e.markdown().Render(o.Why, measure(w))...)
	if o.Lab != "" && !o.Correct {
		lines = append(lines, e.styles.label.Render("See it in the lab "+o.Lab+"."))
	}
	return lines
}

// ending is the score, and each miss with its reason.
func (q *quiz) ending(w, h int) string {
	e, r := q.env, q.result
	lines := []string{"   " + e.styles.strong.Render(fmt.Sprintf("%d of %d right.", r.Right, r.Asked)), ""}
	for _, t := range r.Topics {
		note := ""
		if r.Weakest != nil && t.Topic == *r.Weakest {
			note = e.styles.label.Render("   weakest")
		}
		lines = append(lines, "   "+left(deck.CleanLine(t.Topic), 28)+right(fmt.Sprintf("%d/%d", t.Right, t.Asked), 6)+note)
	}
	first, last := 0, 0
	for i, o := range q.missed {
		lines = append(lines, "")
		from := len(lines)
		lines = append(lines, q.miss(i, o, w)...)
		if i == q.at {
			first, last = from, len(lines)-1
		}
	}
	if q.moved && len(lines) > h {
		if q.at == 0 {
			first = 0
		}
		q.scroll.keep(first, last, h-1)
		q.scroll.top = min(q.scroll.top, first)
	}
	if len(lines) <= h {
		return strings.Join(lines, "\n")
	}
	return e.pages(&q.scroll, lines, w, h)
}

func (q *quiz) miss(i int, o drills.Outcome, w int) []string {
	e := q.env
	front, picked, good := q.asked(o)
	at, look := " ", e.styles.plain
	if i == q.at && len(q.missed) > 1 {
		at, look = e.styles.accent.Render("▸"), e.styles.strong
	}
	lines := deck.Render(front, measure(w))
	for n := range lines {
		lines[n] = look.Render(lines[n])
	}
	lines = indent(lines, 3)
	if len(lines) > 0 {
		lines[0] = " " + at + " " + strings.TrimPrefix(lines[0], "   ")
	}
	if picked != "" {
		lines = append(lines, q.hung(signWrong, picked, w)...)
	}
	lines = append(lines, q.hung(signFound, good, w)...)
	why := deck.Render(o.Why, measure(w)-2)
	lines = append(lines, indent(why, 5)...)
	if o.Lab != "" {
		lines = append(lines, "     "+e.styles.label.Render("lab "+o.Lab))
	}
	return lines
}

// hung is an option behind its sign.
func (q *quiz) hung(sign, text string, w int) []string {
	lines := indent(deck.Render(text, measure(w)-2), 5)
	if len(lines) > 0 {
		lines[0] = "   " + sign + " " + strings.TrimPrefix(lines[0], "     ")
	}
	return lines
}

// asked is the question of an outcome, the option picked and the right one.
func (q *quiz) asked(o drills.Outcome) (front, picked, good string) {
	for _, c := range q.of.cards {
		if c.ID != o.ID {
			continue
		}
		for shown, i := range c.Shuffled(q.of.Seed) {
			switch deck.Letter(shown) {
			case o.Right:
				good = c.Option[i].Text
			case o.Picked:
				picked = c.Option[i].Text
			}
		}
		return c.Front, picked, good
	}
	return "", "", ""
}
