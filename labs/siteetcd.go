package labs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// How clients are spread over an etcd cluster; "" = each speaks to all members.
const (
	splitLeases = "leases" // A to the member whose lease ids are highest, B to the one with the lowest
	splitLeader = "leader" // A to the member that leads at first, the others to those that follow
)

// etcdSite is a cluster of one or three members.
type etcdSite struct {
	links
	cfg   lock.Config
	split string
	first string // the leader at first
	etcd  *server.Etcd
}

func newEtcdSite(ctx context.Context, cfg lock.Config, p plan) (*etcdSite, error) {
	e, err := server.StartEtcd(ctx, p.members)
	if err != nil {
		return nil, err
	}
	s := &etcdSite{cfg: cfg, split: p.split, etcd: e}
	if s.first, err = s.elected(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
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
	cfg := s.cfg
	var err error
	cfg.Endpoints, err = s.open(client, s.endpointsFor(client))
	return cfg, err
}

// endpointsFor are the members that a client speaks to.
func (s *etcdSite) endpointsFor(client string) []string {
	all := s.etcd.Endpoints()
	isA := client == "A"
	switch s.split {
	case splitLeases:
		low, high := 0, 0
		for i, id := range s.etcd.MemberIDs() {
			if leaseHead(id) < leaseHead(s.etcd.MemberIDs()[low]) {
				low = i
			}
			if leaseHead(id) > leaseHead(s.etcd.MemberIDs()[high]) {
				high = i
			}
		}
		return []string{all[map[bool]int{true: high, false: low}[isA]]}
	case splitLeader:
		var ends []string
		for i, name := range s.etcd.Names() {
			if (name == s.first) == isA {
				ends = append(ends, all[i])
			}
		}
		return ends
	}
	return all
}

// leaseHead is the part of a member's number that its lease ids begin with: they
// are positive, so one bit of sixteen is lost.
func leaseHead(member uint64) uint64 { return member & 0x7fff }

// direct leaves out the members that are cut off: they would not answer.
func (s *etcdSite) direct() lock.Config {
	cfg := s.cfg
	for i, name := range s.etcd.Names() {
		if !s.etcd.IsCut(name) {
			cfg.Endpoints = append(cfg.Endpoints, s.etcd.Endpoints()[i])
		}
	}
	return cfg
}

func (s *etcdSite) simulated() []string {
	return []string{"etcd runs in this process, heartbeat 10 ms, without fsync"}
}

func (s *etcdSite) possible(a Action) error {
	if a.Actor != "leader" && !slices.Contains(s.etcd.Names(), a.Actor) {
		return errNoSuchNode(a.Actor, append(s.etcd.Names(), "leader"))
	}
	off := s.etcd.IsCut(a.Actor)
	switch {
	case a.Verb == "mend" && !off:
		return fmt.Errorf("%s is not cut off", a.Actor)
	case a.Verb == "mend":
		return nil
	case a.Verb != "kill" && a.Verb != "cut":
		return fmt.Errorf("an etcd member cannot %s", a.Verb)
	case off:
		return fmt.Errorf("%s is cut off already", a.Actor)
	case s.etcd.Reachable() <= 2:
		return errors.New("one more member gone would leave no majority, and nobody could be granted anything")
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
	switch a.Verb {
	case "cut":
		return name, s.etcd.Cut(name)
	case "mend":
		return name, s.etcd.Mend(name)
	}
	return name, s.etcd.Kill(name)
}

// elected waits until the members that reach each other agree on a leader.
func (s *etcdSite) elected(ctx context.Context) (leader string, err error) {
	err = until(ctx, func(context.Context) (bool, error) {
		leader = s.etcd.Leader()
		return leader != "", nil
	})
	return leader, err
}

func (s *etcdSite) close() error { return errors.Join(s.links.close(), s.etcd.Close()) }
