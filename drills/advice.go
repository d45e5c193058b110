package drills

import (
	"fmt"
	"math"
	"time"

	"lockdrill/drills/recall"
)

// Do is a thing to do next.
type Do int

// What can be advised.
const (
	DoLab   Do = 1 + iota
	DoDue      // the cards that are due
	DoNew      // some cards that were never seen
	DoPoint    // say a talking point
	DoQuiz
)

// Advice is the one thing to do next.
type Advice struct {
	Do      Do
	Lab     string // DoLab
	Point   int    // DoPoint
	Cards   int    // DoDue, DoNew: how many
	Text    string // one line without the end
	Minutes int    // about how long it takes
}

// Guesses that hold until there is something to measure, and sizes of a helping.
const (
	usualPace   = 25 * time.Second // one card
	newHelping  = 10               // new cards at a time
	newPerDay   = 20               // answers on a day after which no new card is advised
	labMinutes  = 2
	sayMinutes  = 2
	quizMinutes = 5
)

// Advise says what to do next: what is due, the lab that makes sense of the rest
// while none was run, some new cards, the weakest point, a lab not seen yet, a quiz. Labs
// are the names of those there are, in the order to run them; pace is the usual
// time for a card, 0 if unknown.
func Advise(s Stats, points []recall.Point, labs []string, pace time.Duration) Advice {
	seen := s.LabsRun()
	switch {
	case s.Due > 0:
		n := Minutes(s.Due, pace)
		return Advice{Do: DoDue, Cards: s.Due, Minutes: n, Text: fmt.Sprintf("%s due, %s", cardsAre(s.Due), about(n))}
	case len(seen) == 0 && len(labs) > 0:
		return Advice{Do: DoLab, Lab: labs[0], Minutes: labMinutes,
			Text: fmt.Sprintf("Run the %s lab. Two minutes, and the rest makes sense.", labs[0])}
	case s.New > 0 && s.Today < newPerDay:
		cards := min(newHelping, s.New)
		n := Minutes(cards, pace)
		return Advice{Do: DoNew, Cards: cards, Minutes: n, Text: fmt.Sprintf("%s to learn, %s", newCards(cards), about(n))}
	}
	if p, why := s.Weakest(points); p != 0 && why != "" {
		return Advice{Do: DoPoint, Point: p, Minutes: sayMinutes, Text: fmt.Sprintf("Say point %d, %s", p, about(sayMinutes))}
	}
	for _, name := range labs {
		if !seen[name] {
			return Advice{Do: DoLab, Lab: name, Minutes: labMinutes, Text: fmt.Sprintf("Run the %s lab, %s", name, about(labMinutes))}
		}
	}
	return Advice{Do: DoQuiz, Minutes: quizMinutes, Text: fmt.Sprintf("A quiz of ten, %s", about(quizMinutes))}
}

// Minutes is about how long so many cards take at this pace; 0 is the usual one.
func Minutes(cards int, pace time.Duration) int {
	if pace <= 0 {
		pace = usualPace
	}
	if cards == 0 {
		return 0
	}
	return max(1, int(math.Round((time.Duration(cards) * pace).Minutes())))
}

func about(minutes int) string {
	if minutes == 1 {
		return "about a minute"
	}
	return fmt.Sprintf("about %d minutes", minutes)
}

func cardsAre(n int) string {
	if n == 1 {
		return "1 card is"
	}
	return fmt.Sprintf("%d cards are", n)
}

func newCards(n int) string {
	if n == 1 {
		return "1 new card"
	}
	return fmt.Sprintf("%d new cards", n)
}

// LabsRun are the labs that were run to an end.
func (s Stats) LabsRun() map[string]bool {
	seen := map[string]bool{}
	for _, l := range s.Labs {
		seen[l.Lab] = true
	}
	return seen
}

// Readiness is the predicted recall over the six points, 0 to 1; nil before
// there is anything to go by.
func (s Stats) Readiness() *float64 {
	sum, n := 0.0, 0
	for _, p := range s.Points {
		if p.Readiness != nil {
			sum, n = sum+*p.Readiness, n+1
		}
	}
	if n == 0 || s.Reviews == 0 {
		return nil
	}
	sum /= float64(n)
	return &sum
}

// Weakest is the point that is known least, by what was said and what the quiz
// showed, and why in one clause: of those in which nothing is wrong, the first
// that was not said yet. The number is 0 if there is none, or while nothing was
// done at all.
func (s Stats) Weakest(points []recall.Point) (point int, why string) {
	least, unsaid := 1.0, 0
	done := s.Reviews > 0
	for i, p := range s.Points {
		share, fault := p.weakness(points[i])
		if share < least {
			least, point, why = share, p.Point, fault
		}
		done = done || p.Attempts > 0 || p.QuizAsked > 0
		if p.Attempts == 0 && unsaid == 0 {
			unsaid = p.Point
		}
	}
	if point == 0 && unsaid > 0 && done {
		return unsaid, "not said yet"
	}
	return point, why
}

// weakness is the lower of the shares that were said and were right in the quiz,
// 0 to 1, and what it says of the point: 1 and "" if nothing speaks against it.
func (p PointStats) weakness(about recall.Point) (share float64, why string) {
	share = 1
	if p.Attempts > 0 && p.Of > 0 && p.Found < p.Of {
		share, why = float64(p.Found)/float64(p.Of), p.leftOut(about)
	}
	if p.QuizAsked == 0 {
		return share, why
	}
	if quiz := float64(p.QuizRight) / float64(p.QuizAsked); quiz < share {
		return quiz, fmt.Sprintf("%d of %d right in the quiz", p.QuizRight, p.QuizAsked)
	}
	return share, why
}

// leftOut names the ideas that the latest attempt lacked.
func (p PointStats) leftOut(about recall.Point) string {
	switch len(p.Missing) {
	case 0:
		return fmt.Sprintf("%d of %d ideas said", p.Found, p.Of)
	case 1:
		return "you left out: " + ideaName(about, p.Missing[0])
	}
	return fmt.Sprintf("%d ideas left out, the first: %s", len(p.Missing), ideaName(about, p.Missing[0]))
}

func ideaName(p recall.Point, id int) string {
	if id < 1 || id > len(p.Ideas) {
		return ""
	}
	return p.Ideas[id-1].Name
}
