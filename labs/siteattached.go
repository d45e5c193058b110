package labs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"lockdrill/labs/lock"
)

// Bounds of what is done to a server that the lab did not start.
const (
	probeWithin = 10 * time.Second
	sweepWithin = 10 * time.Second // a cluster may be about to get a leader again
)

// Servers says which servers a lab runs against. The zero value is those of this
// process, and ZooKeeper beside it.
type Servers struct {
	// RedisServer is the redis-server program to run for every Redis, by path or
	// name; "" = Redis in this process.
	RedisServer string
	// Redis, Etcd and ZooKeeper are running servers to attach to; nil = none.
	Redis, Etcd, ZooKeeper *lock.Config
}

// at is the running server that a service is to be attached to.
func (v Servers) at(service string) (lock.Config, bool) {
	at := map[string]*lock.Config{"redis": v.Redis, "etcd": v.Etcd, "zookeeper": v.ZooKeeper}[kindOf(service)]
	if at == nil {
		return lock.Config{}, false
	}
	return *at, true
}

// kindOf is the kind of server that a service needs.
func kindOf(service string) string {
	switch service {
	case "redis", "redis-incr", "redlock":
		return "redis"
	}
	return service
}

// fits says what is wrong with the servers chosen, for that service and plan.
func (v Servers) fits(o Options, p plan) error {
	kind := kindOf(o.Service)
	for flag, at := range map[string]*lock.Config{"redis": v.Redis, "etcd": v.Etcd, "zookeeper": v.ZooKeeper} {
		if at != nil && flag != kind {
			return usagef("--%s means nothing to service %s", flag, o.Service)
		}
	}
	if v.RedisServer != "" && kind != "redis" {
		return usagef("--redis-server means nothing to service %s", o.Service)
	}
	at, attached := v.at(o.Service)
	switch n := len(at.Endpoints); {
	case !attached:
		return nil
	case v.RedisServer != "":
		return usagef("--redis attaches to a server and --redis-server starts one: choose")
	case o.Service == "redlock" && n < 3:
		return usagef("redlock needs three nodes or more: --redis HOST:PORT,HOST:PORT,HOST:PORT")
	case kind == "redis" && o.Service != "redlock" && n > 1:
		return usagef("service %s runs on one Redis, and --redis names %d", o.Service, n)
	}
	return p.onForeign(kind)
}

// onForeign says why a story cannot be played on servers that the lab may not
// harm, or nil.
func (p plan) onForeign(kind string) error {
	if p.replicas > 0 || p.members > 1 || p.split != "" || p.ownServer {
		return usagef("this story needs servers that it may arrange and break: leave --%s out, and lockdrill starts them", kind)
	}
	for _, step := range p.steps {
		if f := verbs[step.Verb]; (f == formNode || f == formNodeSpan) && !slices.Contains(p.clientNames(), step.Actor) {
			return usagef("%s:%d: %s: that is done only to servers that lockdrill starts; leave --%s out", p.file, step.Line, step.Action, kind)
		}
	}
	return nil
}

// attachedSite is servers that somebody else runs.
type attachedSite struct {
	links
	cfg lock.Config
}

func newAttachedSite(ctx context.Context, prefix string, o Options, cfg lock.Config) (*attachedSite, error) {
	cfg.Service, cfg.Prefix, cfg.Token = o.Service, prefix, o.value(flagToken)
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	if err := lock.Probe(ctx, cfg); err != nil {
		return nil, err
	}
	return &attachedSite{cfg: cfg}, nil
}

func (s *attachedSite) name() string { return s.cfg.Service }

func (s *attachedSite) nodes() []node {
	var all []node
	for i, addr := range s.cfg.Endpoints {
		name := kindOf(s.cfg.Service)
		if len(s.cfg.Endpoints) > 1 {
			name = fmt.Sprintf("%s-%d", name, i+1)
		}
		all = append(all, node{name, "not ours, at " + addr})
	}
	return all
}

func (s *attachedSite) direct() lock.Config { return s.cfg }

func (s *attachedSite) connect(client string) (lock.Config, error) {
	cfg := s.cfg
	var err error
	if cfg.Endpoints, err = s.open(client, s.cfg.Endpoints); err != nil || cfg.TLS == nil {
		return cfg, err
	}
	secure := *cfg.TLS // the certificate is for the server, not for the link
	if secure.ServerName == "" {
		secure.ServerName, _, err = net.SplitHostPort(s.cfg.Endpoints[0])
	}
	cfg.TLS = &secure
	return cfg, err
}

func (s *attachedSite) simulated() []string { return nil }

func (s *attachedSite) possible(a Action) error {
	return fmt.Errorf("the lab did not start %s, so it does not %s it: act on a client, or let lockdrill start the servers", kindOf(s.cfg.Service), a.Verb)
}

func (s *attachedSite) operate(_ context.Context, a Action) (string, error) { return "", s.possible(a) }

// close removes the keys of this run.
func (s *attachedSite) close() error {
	err := s.links.close()
	ctx, cancel := context.WithTimeout(context.Background(), sweepWithin)
	defer cancel()
	return errors.Join(err, lock.Sweep(ctx, s.cfg))
}
