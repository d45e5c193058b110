package labs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxClients is how many clients a scenario file may have.
const maxClients = 8

// Written is a lab made of somebody's scenario file. What it needs (clients,
// replicas, members) is read off its lines; bound is how long one wait may take.
// Its errors are UsageErrors that begin with FILE:LINE.
func Written(file, text string, bound time.Duration) (Lab, error) {
	steps, err := ParseScenario(file, text)
	if err != nil {
		return Lab{}, UsageError{err.Error()}
	}
	if len(steps) == 0 {
		return Lab{}, usagef("%s: no action in it; lockdrill lab show pause prints an example", file)
	}
	p := plan{steps: steps, file: file, bound: bound, members: 1, vendor: true, lockless: true}
	for _, s := range steps {
		if err := p.need(s); err != nil {
			return Lab{}, UsageError{fmt.Sprintf("%s:%d: %v", file, s.Line, err)}
		}
	}
	if len(p.clients) == 0 {
		p.clients = []string{"A"}
	}
	slices.Sort(p.clients)
	return Lab{
		Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Question: headline(text),
		Services: servicesFor(steps), Stores: []string{Unfenced, Fenced},
		ttl:  func(string) time.Duration { return writtenTTL(steps) },
		plan: func(Options) plan { return p },
		say:  sayWritten,
	}, nil
}

// headline is the first comment of a scenario: what it is about.
func headline(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")), "\n")
	if comment, ok := strings.CutPrefix(first, "#"); ok {
		return strings.TrimSpace(comment)
	}
	return ""
}

// need adds what one action asks for to the plan.
func (p *plan) need(s Step) error {
	if s.Verb == verbRun {
		return fmt.Errorf("run is for the labs of this program that are coded")
	}
	switch f := verbs[s.Verb]; {
	case f == formClient, f == formClientValue, f == formUntil && s.Actor != "":
		return p.needClient(s.Actor)
	case f == formNode && isClientName(s.Actor):
		return p.needClient(s.Actor)
	case s.Actor != "":
		return p.needNode(s.Actor)
	case s.Arg == "elected":
		p.members = 3
	}
	return nil
}

// isClientName: clients are single letters.
func isClientName(name string) bool { return len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' }

func (p *plan) needClient(name string) error {
	switch {
	case !isClientName(name):
		return fmt.Errorf("no client is called %q: clients are A to Z", name)
	case slices.Contains(p.clients, name):
		return nil
	case len(p.clients) == maxClients:
		return fmt.Errorf("client %s would be one more than %d", name, maxClients)
	}
	p.clients = append(p.clients, name)
	return nil
}

func (p *plan) needNode(name string) error {
	kind, number, _ := strings.Cut(name, "-")
	n, err := strconv.Atoi(number)
	switch {
	case name == "leader":
		p.members = 3
	case kind == "etcd" && err == nil && n >= 1 && n <= 3:
		p.members = 3
	case kind == "redis" && err == nil && n >= 1 && n <= 5:
		p.replicas = max(p.replicas, n-1)
	default:
		return fmt.Errorf("nobody is called %q: clients are A to Z, nodes redis-1 to redis-5, etcd-1 to etcd-3 and leader", name)
	}
	return nil
}

// servicesFor lists the services that the nodes of a scenario belong to.
func servicesFor(steps []Step) []string {
	for _, s := range steps {
		switch {
		case s.Actor == "leader", s.Arg == "elected", strings.HasPrefix(s.Actor, "etcd-"):
			return []string{"etcd"}
		case s.Verb == "jump", s.Verb == "restart":
			return []string{"redlock"}
		case strings.HasPrefix(s.Actor, "redis-"):
			return []string{"redis", "redis-incr"}
		}
	}
	return []string{"redis", "redis-incr", "redlock", "etcd", "zookeeper"}
}

// writtenTTL: a scenario that waits for an end wants it soon; in one that does
// not, no lease should end by itself.
func writtenTTL(steps []Step) time.Duration {
	if slices.ContainsFunc(steps, func(s Step) bool { return s.Arg == "expired" }) {
		return defaultTTL
	}
	return 30 * time.Second
}

// sayWritten says what the checks found, in one line.
func sayWritten(r Result) Lesson {
	var found []string
	for _, c := range r.Verdict.Checks {
		if c.Verdict == Broken {
			found = append(found, c.Name)
		}
	}
	if len(found) == 0 {
		return Lesson{What: "No check was broken in this run."}
	}
	return Lesson{What: "Broken in this run: " + strings.Join(found, ", ") + "."}
}

// Shown is the text of a built-in scenario, by its own name or its lab's.
func Shown(name string) (string, error) {
	var names []string
	for _, l := range All() {
		names = append(names, l.Name)
		if l.Name != name {
			continue
		}
		o, err := l.Fill(Options{})
		if err != nil {
			return "", err
		}
		p := l.plan(o)
		if p.scenario == "" {
			return fmt.Sprintf("# Lab %s is coded: it counts or measures, and no list of actions says that.\n%s\n", name, verbRun), nil
		}
		name = p.scenario
		break
	}
	if text, err := scenarioFiles.ReadFile("scenarios/" + name + ".txt"); err == nil {
		return string(text), nil
	}
	names = append(names, scenarioNames()...)
	return "", usagef("no lab and no scenario is called %q%s", name, suggestOr(name, names, "; there is "+strings.Join(scenarioNames(), ", ")))
}

func scenarioNames() []string {
	files, _ := scenarioFiles.ReadDir("scenarios") // embedded: it is there
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return names
}
