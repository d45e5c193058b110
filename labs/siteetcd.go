package labs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// etcdSite is a cluster of one or three members.
type etcdSite struct {
	links
	prefix string
	etcd   *server.Etcd
}

func newEtcdSite(ctx context.Context, prefix string, members int) (*etcdSite, error) {
	e, err := server.StartEtcd(ctx, members)
	if err != nil {
		return nil, err
	}
	return &etcdSite{prefix: prefix, etcd: e}, nil
}

func (s *etcdSite) name() string { return "etcd" }

func (s *etcdSite) nodes() []node {
	lead := s.etcd.Leader()
	var all []node
	for _, name := range s.etcd.Names() {
		all = append(all, node{name, map[bool]string{true: "leader", false: "follower"}[name == lead]})
	}
	return all
}

func (s *etcdSite) connect(client string) (lock.Config, error) {
	ends, err := s.open(client, s.etcd.Endpoints())
	return lock.Config{Service: "etcd", Endpoints: ends, Prefix: s.prefix}, err
}

func (s *etcdSite) direct() lock.Config {
	return lock.Config{Service: "etcd", Endpoints: s.etcd.Endpoints(), Prefix: s.prefix}
}

func (s *etcdSite) simulated() []string {
	return []string{"etcd runs in this process, heartbeat 10 ms, without fsync"}
}

func (s *etcdSite) possible(a Action) error {
	switch {
	case a.Verb != "kill":
		return fmt.Errorf("an etcd member cannot %s", a.Verb)
	case a.Actor != "leader" && !slices.Contains(s.etcd.Names(), a.Actor):
		return errNoSuchNode(a.Actor, append(s.etcd.Names(), "leader"))
	case s.etcd.Living() <= 2:
		return errors.New("one more dead member would leave no majority, and nobody could be granted anything")
	}
	return nil
}

func (s *etcdSite) operate(ctx context.Context, a Action) (string, error) {
	if err := s.possible(a); err != nil {
		return "", err
	}
	name := a.Actor
	if name == "leader" {
		ctx, cancel := context.WithTimeout(ctx, waitBound)
		defer cancel()
		var err error
		if name, err = s.elected(ctx); err != nil { // on a busy machine they elect anew now and then
			return "", fmt.Errorf("waited %s for the members to agree on a leader: %w", waitBound, err)
		}
	}
	return name, s.etcd.Kill(name)
}

// elected waits until the living members agree on a leader.
func (s *etcdSite) elected(ctx context.Context) (string, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if l := s.etcd.Leader(); l != "" {
			return l, nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-tick.C:
		}
	}
}

func (s *etcdSite) close() error { return errors.Join(s.links.close(), s.etcd.Close()) }
