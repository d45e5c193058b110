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

// site is the lock service a lab runs against, as its operator sees it.
type site interface {
	// name is the process under which the service's own events are logged.
	name() string
	// nodes are the servers, in order, with the role each started in.
	nodes() []node
	// connect opens a client's own way to the service, one that can be cut.
	connect(client string) (lock.Config, error)
	// of is that way: the client's links.
	of(client string) []*server.Link
	// direct is a way that is never cut, for the lab to look.
	direct() lock.Config
	// operate carries out an action on a node, and says on which one.
	operate(ctx context.Context, a Action) (node string, err error)
	// possible says why an action on a node cannot be done now, or nil.
	possible(a Action) error
	// simulated lists what is not the real thing.
	simulated() []string
	close() error
}

// node is one server of the lock service.
type node struct {
	name, role string
}

// links are the networks between clients and servers.
type links struct {
	mu  sync.Mutex
	all map[string][]*server.Link // by client
}

// open makes one link of the client's per address, and returns their ends.
func (l *links) open(client string, to []string) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string][]*server.Link{}
	}
	var ends []string
	for _, addr := range to {
		k, err := server.NewLink(addr)
		if err != nil {
			return nil, err
		}
		l.all[client] = append(l.all[client], k)
		ends = append(ends, k.Addr())
	}
	return ends, nil
}

func (l *links) each(f func(*server.Link)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ks := range l.all {
		for _, k := range ks {
			f(k)
		}
	}
}

// of is the links of one client.
func (l *links) of(client string) []*server.Link {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[client]
}

func (l *links) close() error {
	var errs []error
	l.each(func(k *server.Link) { errs = append(errs, k.Close()) })
	return errors.Join(errs...)
}

// errNoSuchNode explains an action on a node that is not there.
func errNoSuchNode(node string, known []string) error {
	return fmt.Errorf("no node is called %q; there is %v%s", node, known, suggest(node, known))
}

// redisSite is a primary and its replicas.
type redisSite struct {
	links
	prefix  string
	wait    int
	names   []string
	mu      sync.Mutex
	node    map[string]*server.Redis
	gone    map[string]bool // killed, or cut off
	primary string
}

func newRedisSite(prefix string, replicas, wait int) (*redisSite, error) {
	s := &redisSite{prefix: prefix, wait: wait, node: map[string]*server.Redis{}, gone: map[string]bool{}, primary: "redis-1"}
	for i := range replicas + 1 {
		r, err := server.StartRedis()
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		name := fmt.Sprintf("redis-%d", i+1)
		s.names, s.node[name] = append(s.names, name), r
		if i > 0 {
			s.node["redis-1"].Replicate(r)
		}
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
	ends, err := s.open(client, s.direct().Endpoints)
	return lock.Config{Service: "redis", Endpoints: ends, Prefix: s.prefix, Wait: s.wait}, err
}

func (s *redisSite) direct() lock.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return lock.Config{Service: "redis", Endpoints: []string{s.node[s.primary].Addr()}, Prefix: s.prefix}
}

func (s *redisSite) simulated() []string {
	list := []string{"Redis is miniredis, in this process"}
	if len(s.names) > 1 {
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
	case a.Verb == "cut" && a.Actor == s.primary:
		return fmt.Errorf("%s is the primary: kill it, or cut a client off", a.Actor)
	case a.Verb == "lag" && a.Actor == s.primary:
		return fmt.Errorf("%s is the primary: only a replica lags", a.Actor)
	case a.Verb == "promote" && a.Actor == s.primary:
		return fmt.Errorf("%s is the primary already", a.Actor)
	case a.Verb == "promote" && !s.gone[s.primary]:
		return fmt.Errorf("%s is alive: kill it first", s.primary)
	}
	return nil
}

func (s *redisSite) operate(_ context.Context, a Action) (string, error) {
	if err := s.possible(a); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	node := s.node[a.Actor]
	switch a.Verb {
	case "kill":
		s.gone[a.Actor] = true
		return a.Actor, node.Close()
	case "cut":
		s.gone[a.Actor] = true
		s.node[s.primary].Hold(node)
		return a.Actor, nil
	case "lag":
		s.node[s.primary].Hold(node)
		return a.Actor, nil
	case "promote":
		s.promote(a.Actor)
		return a.Actor, nil
	}
	return "", fmt.Errorf("a Redis node cannot %s", a.Verb)
}

// promote makes a node the primary: the others that can be reached follow it,
// and clients find it, as a Sentinel would see to.
func (s *redisSite) promote(name string) {
	s.primary = name
	for _, other := range s.names {
		if other != name && !s.gone[other] {
			s.node[name].Replicate(s.node[other])
		}
	}
	s.each(func(k *server.Link) { k.Retarget(s.node[name].Addr()) })
}

func (s *redisSite) close() error {
	errs := []error{s.links.close()}
	for _, name := range slices.Backward(s.names) { // replicas first: a primary waits for none
		errs = append(errs, s.node[name].Close()) // closing a killed one again does nothing
	}
	return errors.Join(errs...)
}
