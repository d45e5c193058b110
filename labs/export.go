package labs

import (
	"io"
	"path/filepath"
	"strings"
)

// exports are the forms in which a run can be kept, by the end of the file's
// name.
var exports = map[string]func(r Result, l Lesson, w io.Writer) error{
	".json": func(r Result, _ Lesson, w io.Writer) error { return r.WriteSaved(w) },
	".md":   func(r Result, l Lesson, w io.Writer) error { return r.WriteMarkdown(w, l) },
	".mmd":  func(r Result, _ Lesson, w io.Writer) error { return r.WriteMermaid(w) },
	".svg":  func(r Result, l Lesson, w io.Writer) error { return r.WriteSVG(w, l) },
}

// CanExport says what is wrong with the name of a file to keep a run in, or nil.
func CanExport(file string) error {
	if ext := strings.ToLower(filepath.Ext(file)); exports[ext] == nil {
		return usagef("--out %q: its name should end in one of %s", file, strings.Join(sortedKeys(exports), ", "))
	}
	return nil
}

// Export writes the run in the form that the file's name asks for.
func (r Result) Export(w io.Writer, file string) error {
	if err := CanExport(file); err != nil {
		return err
	}
	return exports[strings.ToLower(filepath.Ext(file))](r, LessonOf(r), w)
}
