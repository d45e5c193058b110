package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"lockdrill/drills/deck"
)

// maxLine is the longest line read from stdin, in bytes.
const maxLine = 64 << 10

// plainWidth is how wide text is set where no screen says otherwise, in cells.
const plainWidth = 78

// lines reads stdin line by line without keeping an interrupt waiting.
type lines struct {
	read chan string
	err  error // why read was closed
}

func readLines(ctx context.Context, in io.Reader) *lines {
	l := &lines{read: make(chan string)}
	go func() {
		defer close(l.read)
		sc := bufio.NewScanner(in)
		sc.Buffer(make([]byte, 0, 4096), maxLine)
		for sc.Scan() {
			select {
			case l.read <- sc.Text():
			case <-ctx.Done():
				return
			}
		}
		if l.err = sc.Err(); errors.Is(l.err, bufio.ErrTooLong) {
			l.err = fmt.Errorf("a line of the answers is longer than %d bytes: split it", maxLine)
		}
	}()
	return l
}

// next is the next line without its end and the spaces round it; io.EOF at the
// end, the context's error when it is done.
func (l *lines) next(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	select {
	case text, ok := <-l.read:
		if ok {
			return strings.TrimSpace(strings.TrimSuffix(text, "\r")), nil
		}
		if l.err != nil {
			return "", l.err
		}
		return "", io.EOF
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// say prints Markdown, indented.
func say(w io.Writer, markdown string) {
	for _, line := range deck.Render(markdown, plainWidth-2) {
		if line == "" {
			fmt.Fprintln(w)
			continue
		}
		fmt.Fprintln(w, "  "+line)
	}
}

// proof is the line that says what a card rests on.
func proof(c deck.Card) string {
	var parts []string
	if c.Lab != "" {
		parts = append(parts, "prove it: lockdrill lab "+c.Lab)
	}
	if c.Source != "" {
		parts = append(parts, "source: "+deck.CleanLine(c.Source))
	}
	return strings.Join(parts, "; ")
}
