package labs

import (
	"context"
	"errors"
	"fmt"
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

// openSite starts the servers of a run, or attaches to those that were named.
// Keys are put under the prefix alone.
func (s *Session) openSite(ctx context.Context) (site, error) {
	o, p, prefix := s.Options, s.plan, "lockdrill/"+runID()+"/"
	if at, ok := o.Servers.at(o.Service); ok {
		return newAttachedSite(ctx, prefix, o, at)
	}
	switch o.Service {
	case "redis", "redis-incr":
		return newRedisSite(ctx, lock.Config{Service: o.Service, Prefix: prefix, Wait: p.wait}, p.replicas, o.Servers.RedisServer)
	case "redlock":
		return newRedlockSite(ctx, prefix, o.Servers.RedisServer)
	case "etcd":
		return newEtcdSite(ctx, lock.Config{Service: o.Service, Prefix: prefix, Token: o.value(flagToken)}, p)
	case "zookeeper":
		return newZooKeeperSite(ctx, lock.Config{Service: o.Service, Prefix: prefix, Token: o.value(flagToken)})
	case NoService:
		return bareSite{}, nil
	}
	return nil, usagef("no lock service is called %q", o.Service)
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

// eachAt is for each client's link number i, from 0.
func (l *links) eachAt(i int, f func(*server.Link)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ks := range l.all {
		if i < len(ks) {
			f(ks[i])
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
