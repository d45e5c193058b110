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

// Wording is the YAML text of how people word the ideas and the wrong statements
// of the points: abbreviations, concepts (synonym groups) and patterns.
//
//go:embed wording.yaml
var Wording []byte

// Everyday is a list of right English words, one a line, that lie a letter or
// two from a word of Wording and must not be taken for a misspelling of it.
//
//go:embed everyday.txt
var Everyday string
