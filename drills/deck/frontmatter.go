package deck

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// meta is what front matter may say; other keys are for other programs.
type meta struct {
	Name  string `yaml:"name"`
	Topic string `yaml:"topic"`
}

const (
	maxFrontMatter = 16 << 10 // bytes
	maxName        = 120      // bytes in the name of a deck or topic
)

// named fills in what the front matter leaves out: the deck has the name of
// its file, and the topic that of the deck.
func (m meta) named(file string) (meta, error) {
	m.Name, m.Topic = oneLine(m.Name), oneLine(m.Topic)
	if m.Name == "" {
		m.Name = oneLine(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	}
	if m.Name == "" {
		m.Name = "deck"
	}
	if m.Topic == "" {
		m.Topic = m.Name
	}
	if len(m.Name) > maxName || len(m.Topic) > maxName {
		return m, fault(1, "name or topic of the deck has more than %d bytes; shorten it (\"name:\" in the front matter)", maxName)
	}
	return m, nil
}

func oneLine(s string) string { return strings.TrimSpace(CleanLine(s)) }

// hashcards writes TOML: name = "Medicine". For the one key it has, the change
// of the sign makes it YAML.
var tomlName = regexp.MustCompile(`^name[ \t]*=[ \t]*"`)

// frontMatter reads the YAML between two lines of --- at the top and returns
// the lines after it.
func frontMatter(lines []line) (meta, []line, error) {
	var m meta
	if strings.TrimRight(lines[0].text, " \t") != "---" {
		return m, lines, nil
	}
	end := 1
	for end < len(lines) && strings.TrimRight(lines[end].text, " \t") != "---" {
		end++
	}
	if end == len(lines) {
		return m, nil, fault(1, "front matter is never closed; close it with a line ---")
	}
	var b strings.Builder
	for _, l := range lines[1:end] {
		b.WriteString(tomlName.ReplaceAllString(l.text, `name: "`))
		b.WriteByte('\n')
	}
	if b.Len() > maxFrontMatter {
		return m, nil, fault(1, "front matter has %d bytes, more than %d", b.Len(), maxFrontMatter)
	}
	if err := yaml.Unmarshal([]byte(b.String()), &m); err != nil {
		return m, nil, yamlFault(err)
	}
	return m, lines[end+1:], nil
}

// yamlFault says in one line where in the file the front matter is wrong.
func yamlFault(err error) error {
	at, what := 1, err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		what = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			at += t.Position.Line
		}
	}
	what, _, _ = strings.Cut(what, "\n")
	return fault(at, "front matter is not YAML: %s", what)
}
