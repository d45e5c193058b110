package labs

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed scenarios/*.txt
var scenarioFiles embed.FS

// Step is one line of a scenario: an action, and where it stands.
type Step struct {
	Action
	Line int    // from 1
	Note string // the comment beside it: why it is done
}

// maxSteps bounds a scenario file.
const maxSteps = 1000

// ParseScenario reads a scenario: one action a line; a # starts a comment.
// Errors are FILE:LINE: what.
func ParseScenario(file, text string) ([]Step, error) {
	var steps []Step
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for i, line := range strings.Split(text, "\n") {
		line, note, _ := strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		a, err := ParseAction(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		if steps = append(steps, Step{a, i + 1, strings.TrimSpace(note)}); len(steps) > maxSteps {
			return nil, fmt.Errorf("%s:%d: more than %d actions", file, i+1, maxSteps)
		}
	}
	return steps, nil
}

// builtin is the embedded scenario of that name.
func builtin(name string) ([]Step, error) {
	file := "scenarios/" + name + ".txt"
	text, err := scenarioFiles.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseScenario(file, string(text))
}
