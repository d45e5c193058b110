// Package content holds what lockdrill teaches, as data: the decks of cards
// (Markdown) and the six talking points with their rubrics (YAML). It parses
// nothing; package deck and package recall do, with the same parsers that read
// a user's own files.
package content

import "embed"

// Decks holds the built-in decks, one Markdown file each, under "decks".
//
//go:embed decks/*.md
var Decks embed.FS

// Points is the YAML text of the six talking points: what to say, the ideas an
// answer must hold, and the wrong statements to listen for.
//
//go:embed points.yaml
var Points []byte

// Wording holds, under "wording", how people word the ideas and the wrong
// statements of the points: words.yaml (short forms, irregular forms, fillers),
// concepts.yaml (synonym groups), stances.yaml and one file of patterns a point.
//
//go:embed wording/*.yaml
var Wording embed.FS

// Everyday is a list of right English words, one a line, that lie a letter or
// two from a word of Wording and must not be taken for a misspelling of it. The
// words are from SCOWL; everyday-license.txt has its notice.
//
//go:embed everyday.txt
var Everyday string
