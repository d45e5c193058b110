// Package recall marks an answer to one of the six talking points: which ideas
// it holds, in the learner's own words, and which wrong statements it makes.
//
// It reads the answer with a rubric of concepts (synonym groups of stems) and
// patterns over them, with roles (who does what to whom), negation scope and
// stance (asserted, asked, reported, denied). It uses no network and no model.
package recall

import (
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"lockdrill/content"
)

// MaxAnswer is the longest answer that is marked, in characters.
const MaxAnswer = 20_000

// Point is one of the six talking points.
type Point struct {
	Number int
	Title  string  // short, for screens
	Say    string  // what to say in the room, one or two sentences
	Ideas  []Idea  // what an answer must hold; ids count from 1
	Wrong  []Wrong // what it must not claim; ids count from 1
}

// Idea is one thing an answer to a point must say.
type Idea struct {
	ID   int
	Name string
	Hint string // what the words for it should contain
}

// Wrong is a statement that people make and that is not true.
type Wrong struct {
	ID        int
	Statement string
	Why       string // why it is wrong, one or two spoken sentences
	Lab       string // the lab that shows it; "" when none does
}

// Marked is what an answer earned.
type Marked struct {
	Ideas []MarkedIdea  // every idea of the point, in order
	Wrong []MarkedWrong // the wrong statements that the answer makes, never nil

	// TooLong: the answer has more than MaxAnswer characters, nothing was marked.
	TooLong bool
}

// MarkedIdea tells whether an idea was found. Quote is the part of the answer
// that earned it, empty when it was not.
type MarkedIdea struct {
	ID    int
	Name  string
	Found bool
	Quote string
}

// MarkedWrong is a wrong statement with the part of the answer that makes it.
type MarkedWrong struct {
	ID                         int
	Statement, Quote, Why, Lab string
}

// Found counts the ideas that were found.
func (m Marked) Found() int {
	n := 0
	for _, i := range m.Ideas {
		if i.Found {
			n++
		}
	}
	return n
}

// Points returns the six talking points, in order.
func Points() ([]Point, error) { return loadPoints() }

var loadPoints = sync.OnceValues(func() ([]Point, error) {
	var file struct{ Points []Point }
	if err := yaml.UnmarshalWithOptions(content.Points, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("points.yaml: %w", err)
	}
	return file.Points, nil
})

// fewestWords is from how many words on an answer can say an idea: naming a
// keyword is not an answer.
const fewestWords = 4

// Mark finds the ideas and the wrong statements of the point in an answer. Of an
// answer longer than MaxAnswer nothing is marked.
func (p Point) Mark(answer string) Marked {
	out := Marked{Ideas: []MarkedIdea{}, Wrong: []MarkedWrong{}}
	if utf8.RuneCountInString(answer) > MaxAnswer {
		out.TooLong, answer = true, ""
	}
	r, err := loadRubric()
	if err != nil {
		panic(err) // the wording is compiled in, and a test compiles it
	}
	rules := r.points[p.Number]
	a := r.read(answer, rules.needs)
	if a.written < fewestWords {
		rules.ideas = nil
	}
	for _, i := range p.Ideas {
		at, found := a.idea(rules.ideas[i.ID])
		out.Ideas = append(out.Ideas, MarkedIdea{ID: i.ID, Name: i.Name, Found: found, Quote: a.quote(at)})
	}
	for _, w := range p.Wrong {
		if at, found := a.wrong(rules.wrong[w.ID]); found {
			out.Wrong = append(out.Wrong, MarkedWrong{w.ID, w.Statement, a.quote(at), w.Why, w.Lab})
		}
	}
	return out
}
