package deck

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of a deck. They are far above what a person learns from and far below
// what would hurt the machine.
const (
	MaxFile  = 8 << 20  // bytes in a file
	MaxCards = 50_000   // cards in a deck
	MaxCard  = 64 << 10 // bytes in one card, as written
	MaxGaps  = 32       // gaps in one C:, each of which is a card with the whole text
)

// Error is why a deck was refused. It prints as one line: FILE:line: what.
type Error struct {
	File string
	Line int // from 1; 0 if the file as a whole is meant
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", CleanLine(e.File), CleanLine(e.What))
	}
	return fmt.Sprintf("%s:%d: %s", CleanLine(e.File), e.Line, CleanLine(e.What))
}

// fault is an Error that does not know its file yet; Parse adds it.
func fault(n int, format string, args ...any) error {
	return &Error{Line: n, What: fmt.Sprintf(format, args...)}
}

// in gives err the name of the file it is about.
func in(file string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{File: file, Line: e.Line, What: e.What}
	}
	return err
}

// line is one line of a deck, cleaned, with its number in the file.
type line struct {
	n    int
	text string
	code bool // inside a code fence, or the fence itself
}

func (l line) blank() bool { return strings.TrimSpace(l.text) == "" }

// decode turns the bytes of a file into lines. LF, CRLF and a lone CR all end a
// line; a byte order mark is dropped.
func decode(data []byte) ([]line, error) {
	if len(data) > MaxFile {
		return nil, fault(0, "%d bytes, more than the %d a deck may have; split it", len(data), MaxFile)
	}
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return nil, fault(0, "encoded as UTF-16; save it as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	text = strings.TrimSuffix(text, "\n")
	rows := strings.Split(text, "\n")
	lines := make([]line, len(rows))
	for i, row := range rows {
		if err := checkRow(i+1, row); err != nil {
			return nil, err
		}
		lines[i] = line{n: i + 1, text: Clean(row)}
	}
	return lines, nil
}

func checkRow(n int, row string) error {
	if len(row) > MaxCard {
		return fault(n, "line has %d bytes, more than the %d of a whole card; split it", len(row), MaxCard)
	}
	if strings.IndexByte(row, 0) >= 0 {
		return fault(n, "holds a NUL byte; a deck is text in UTF-8 (is this UTF-16, or no text at all?)")
	}
	if utf8.ValidString(row) {
		return nil
	}
	for i, r := range row {
		if r == utf8.RuneError && !strings.HasPrefix(row[i:], "\uFFFD") {
			return fault(n, "byte 0x%02X at column %d is not UTF-8 (Latin-1?); save the file as UTF-8", row[i], i+1)
		}
	}
	return nil
}

// uncomment marks the lines that are code and drops HTML comments that stand on
// lines of their own. A fence or comment that is never closed would swallow
// every card after it, so it is refused.
func uncomment(lines []line) ([]line, error) {
	var kept []line
	for i := 0; i < len(lines); i++ {
		end := i
		if fence := fenceOf(lines[i].text); fence != "" {
			if end = closing(lines, i, fence); end < 0 {
				return nil, fault(lines[i].n, "code fence %s is never closed; close it with a line %s", fence, fence)
			}
			for j := i; j <= end; j++ {
				lines[j].code = true
			}
			kept = append(kept, lines[i:end+1]...)
		} else if strings.HasPrefix(strings.TrimSpace(lines[i].text), "<!--") {
			if end = commentEnd(lines, i); end < 0 {
				return nil, fault(lines[i].n, "comment is never closed; close it with -->")
			}
			kept = append(kept, line{n: lines[i].n})
		} else {
			kept = append(kept, lines[i])
		}
		i = end
	}
	return kept, nil
}

// fenceOf returns the run of backticks or tildes that opens a fence on this
// line, or "". A backtick after the run makes it a code span: ```x```.
func fenceOf(text string) string {
	t := afterMarks(strings.TrimSpace(text))
	for _, mark := range []string{"`", "~"} {
		run := t[:len(t)-len(strings.TrimLeft(t, mark))]
		if len(run) >= 3 && (mark == "~" || !strings.Contains(t[len(run):], "`")) {
			return run
		}
	}
	return ""
}

// afterMarks is what follows the marks of list items: a fence may open one.
func afterMarks(t string) string {
	for {
		rest := strings.TrimLeft(t, "0123456789")
		marks := ".)"
		if rest == t {
			marks = "-*+"
		}
		if len(rest) < 2 || !strings.Contains(marks, rest[:1]) || rest[1] != ' ' && rest[1] != '\t' {
			return t
		}
		t = strings.TrimLeft(rest[2:], " \t")
	}
}

// closing returns the index of the line that closes the fence opened on line
// i, or -1.
func closing(lines []line, i int, fence string) int {
	for j := i + 1; j < len(lines); j++ {
		t := strings.TrimSpace(lines[j].text)
		if len(t) >= len(fence) && strings.Trim(t, fence[:1]) == "" {
			return j
		}
	}
	return -1
}

func commentEnd(lines []line, i int) int {
	text := strings.TrimPrefix(strings.TrimSpace(lines[i].text), "<!--")
	for j := i; j < len(lines); j++ {
		if strings.Contains(text, "-->") {
			return j
		}
		if j+1 < len(lines) {
			text = lines[j+1].text
		}
	}
	return -1
}
