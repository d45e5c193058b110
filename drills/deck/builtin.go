package deck

import (
	"io/fs"

	"lockdrill/content"
)

// Builtin reads the decks that come with the program, by name. An error means
// that the program was built from a broken deck.
func Builtin() ([]Deck, error) {
	files, err := fs.Glob(content.Decks, "decks/*.md")
	if err != nil {
		return nil, err
	}
	decks := make([]Deck, 0, len(files))
	for _, file := range files {
		data, err := content.Decks.ReadFile(file)
		if err != nil {
			return nil, err
		}
		d, err := Parse(file, data)
		if err != nil {
			return nil, err
		}
		decks = append(decks, d)
	}
	return decks, nil
}
