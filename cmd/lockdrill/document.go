package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// documentSchema numbers the form of the --json documents of the study commands.
const documentSchema = 1

// writeDocument prints v as one JSON document on one line, whose first key is
// the schema.
func writeDocument(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	_, err = fmt.Fprintf(w, "{\"schema\":%d,%s\n", documentSchema, body[1:])
	return err
}

// inDocument runs a command under --json: when it fails with nothing written,
// the document holds the error, and stderr stays silent.
func inDocument(s streams, run func(streams) error) error {
	counted := &counter{w: s.out}
	err := run(streams{in: s.in, out: counted, err: s.err})
	if err == nil || counted.n > 0 {
		return err
	}
	if e := writeDocument(s.out, map[string]string{"error": oneLine(err.Error())}); e != nil {
		return e
	}
	return errors.Join(saidError{err}, err) // err itself has the exit code
}

// counter knows whether anything was written.
type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += n
	return n, err
}
