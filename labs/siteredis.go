package labs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// startNodes starts n Redis nodes called redis-1 to redis-n: in this process, or
// real ones of the program named.
func startNodes(ctx context.Context, n int, program string) ([]string, map[string]server.Node, error) {
	var names []string
	all := map[string]server.Node{}
	for i := range n {
		name := fmt.Sprintf("redis-%d", i+1)
		node, err := startNode(ctx, program)
		if err != nil {
			return names, all, fmt.Errorf("%s: %w", name, err)
		}
		names, all[name] = append(names, name), node
	}
	return names, all, nil
}

func startNode(ctx context.Context, program string) (server.Node, error) {
	if program == "" {
		r, err := server.StartRedis()
		if err != nil {
			return nil, err
		}
		return r, nil
	}
	r, err := server.StartRedisServer(ctx, program)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// closeNodes closes the last first: a primary waits for no replica.
func closeNodes(names []string, all map[string]server.Node) error {
	var errs []error
	for _, name := range slices.Backward(names) {
		errs = append(errs, all[name].Close()) // closing a killed one again does nothing
	}
	return errors.Join(errs...)
}

// redisSite is a primary and its replicas.
type redisSite struct {
	links
	cfg     lock.Config
	real    bool
	names   []string
	mu      sync.Mutex
	node    map[string]server.Node
	gone    map[string]bool // killed, or cut off
	primary string
}

func newRedisSite(ctx context.Context, cfg lock.Config, replicas int, program string) (*redisSite, error) {
	s := &redisSite{cfg: cfg, real: program != "", gone: map[string]bool{}, primary: "redis-1"}
	var err error
	s.names, s.node, err = startNodes(ctx, replicas+1, program)
	for _, name := range s.names {
		if err == nil && name != s.primary {
			err = s.node[name].Follow(ctx, s.node[s.primary])
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *redisSite) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.primary
}

func (s *redisSite) nodes() []node {
	var all []node
	for i, name := range s.names {
		all = append(all, node{name, map[bool]string{true: "primary", false: "replica"}[i == 0]})
	}
	return all
}

func (s *redisSite) connect(client string) (lock.Config, error) {
	cfg := s.direct()
	var err error
	cfg.Endpoints, err = s.open(client, cfg.Endpoints)
	return cfg, err
}

func (s *redisSite) direct() lock.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	cfg := s.cfg
	cfg.Endpoints = []string{s.node[s.primary].Addr()}
	return cfg
}

func (s *redisSite) simulated() []string {
	var list []string
	if !s.real {
		list = append(list, "Redis is miniredis, in this process")
	}
	switch {
	case len(s.names) == 1:
	case s.real:
		list = append(list, "no Sentinel chooses the replica that is promoted: the lab does")
	default:
		list = append(list, "the replica link and the promotion are a model: keys are shipped, and no Sentinel chooses")
	}
	return list
}

func (s *redisSite) possible(a Action) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.node[a.Actor] == nil:
		return errNoSuchNode(a.Actor, s.names)
	case s.gone[a.Actor]:
		return fmt.Errorf("%s is gone already", a.Actor)
	case a.Verb == "jump" && s.real:
		return server.ErrNoJump
	case a.Verb == "cut" && a.Actor == s.primary:
		return fmt.Errorf("%s is the primary: kill it, or cut a client off", a.Actor)
	case a.Verb == "mend":
		return fmt.Errorf("%s is not cut off", a.Actor)
	case a.Verb == "lag" && a.Actor == s.primary:
		return fmt.Errorf("%s is the primary: only a replica lags", a.Actor)
	case a.Verb == "promote" && a.Actor == s.primary:
		return fmt.Errorf("%s is the primary already", a.Actor)
	case a.Verb == "promote" && !s.gone[s.primary]:
		return fmt.Errorf("%s is alive: kill it first", s.primary)
	}
	return nil
}

func (s *redisSite) operate(ctx context.Context, a Action) (string, error) {
	if err := s.possible(a); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	node := s.node[a.Actor]
	switch a.Verb {
	case "kill":
		s.gone[a.Actor] = true
		return a.Actor, node.Kill()
	case "cut":
		s.gone[a.Actor] = true
		return a.Actor, node.Lag()
	case "lag":
		return a.Actor, node.Lag()
	case "promote":
		return a.Actor, s.promote(ctx, a.Actor)
	case "jump":
		return a.Actor, node.Jump(a.span())
	case "restart":
		return a.Actor, node.Restart(ctx)
	}
	return "", fmt.Errorf("a Redis node cannot %s", a.Verb)
}

// promote makes a node the primary: the others that can be reached follow it,
// and clients find it, as a Sentinel would see to.
func (s *redisSite) promote(ctx context.Context, name string) error {
	s.primary = name
	if err := s.node[name].Lead(ctx); err != nil {
		return err
	}
	for _, other := range s.names {
		if other == name || s.gone[other] {
			continue
		}
		if err := s.node[other].Follow(ctx, s.node[name]); err != nil {
			return fmt.Errorf("%s: %w", other, err)
		}
	}
	s.each(func(k *server.Link) { k.Retarget(s.node[name].Addr()) })
	return nil
}

func (s *redisSite) close() error {
	return errors.Join(s.links.close(), closeNodes(s.names, s.node))
}
