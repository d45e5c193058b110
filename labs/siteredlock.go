package labs

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// redlockNodes is the number of nodes that the Redlock documentation uses.
const redlockNodes = 5

// redlockSite is five Redis nodes that know nothing of each other.
type redlockSite struct {
	links
	prefix string
	real   bool
	names  []string
	mu     sync.Mutex
	node   map[string]server.Node
	dead   map[string]bool
	cut    map[string]bool // off from all clients
}

func newRedlockSite(ctx context.Context, prefix, program string) (*redlockSite, error) {
	s := &redlockSite{prefix: prefix, real: program != "", dead: map[string]bool{}, cut: map[string]bool{}}
	var err error
	if s.names, s.node, err = startNodes(ctx, redlockNodes, program); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *redlockSite) name() string { return "redlock" }

func (s *redlockSite) nodes() []node {
	var all []node
	for _, name := range s.names {
		all = append(all, node{name, "independent"})
	}
	return all
}

func (s *redlockSite) direct() lock.Config {
	cfg := lock.Config{Service: "redlock", Prefix: s.prefix}
	for _, name := range s.names {
		cfg.Endpoints = append(cfg.Endpoints, s.node[name].Addr())
	}
	return cfg
}

func (s *redlockSite) connect(client string) (lock.Config, error) {
	cfg := s.direct()
	var err error
	cfg.Endpoints, err = s.open(client, cfg.Endpoints)
	return cfg, err
}

func (s *redlockSite) simulated() []string {
	if s.real {
		return nil
	}
	return []string{"the five Redis nodes are miniredis, in this process"}
}

func (s *redlockSite) possible(a Action) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.node[a.Actor] == nil:
		return errNoSuchNode(a.Actor, s.names)
	case s.dead[a.Actor] && a.Verb != "restart":
		return fmt.Errorf("%s is dead: restart it first", a.Actor)
	case a.Verb == "jump" && s.real:
		return server.ErrNoJump
	case a.Verb == "cut" && s.cut[a.Actor]:
		return fmt.Errorf("%s is cut off already", a.Actor)
	case a.Verb == "mend" && !s.cut[a.Actor]:
		return fmt.Errorf("%s is not cut off", a.Actor)
	case a.Verb == "lag" || a.Verb == "promote":
		return fmt.Errorf("%s has no primary and no replica: the five are independent", a.Actor)
	}
	return nil
}

func (s *redlockSite) operate(ctx context.Context, a Action) (string, error) {
	if err := s.possible(a); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	node := s.node[a.Actor]
	switch a.Verb {
	case "kill":
		s.dead[a.Actor] = true
		return a.Actor, node.Kill()
	case "jump":
		return a.Actor, node.Jump(a.span())
	case "restart":
		s.dead[a.Actor] = false
		return a.Actor, node.Restart(ctx)
	case "cut", "mend":
		s.cut[a.Actor] = a.Verb == "cut"
		s.eachTo(a.Actor, map[bool]func(*server.Link){true: (*server.Link).Cut, false: (*server.Link).Mend}[s.cut[a.Actor]])
		return a.Actor, nil
	}
	return "", fmt.Errorf("a Redis node cannot %s", a.Verb)
}

// eachTo is for each client's link to one node.
func (s *redlockSite) eachTo(name string, f func(*server.Link)) {
	for i, known := range s.names {
		if known == name {
			s.eachAt(i, f)
		}
	}
}

func (s *redlockSite) close() error {
	return errors.Join(s.links.close(), closeNodes(s.names, s.node))
}
