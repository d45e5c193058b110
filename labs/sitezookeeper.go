package labs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// zkSite is one real ZooKeeper server beside this process.
type zkSite struct {
	links
	cfg lock.Config
	zk  *server.ZooKeeper
}

func newZooKeeperSite(ctx context.Context, cfg lock.Config) (*zkSite, error) {
	z, err := server.StartZooKeeper(ctx)
	if err != nil {
		return nil, err
	}
	cfg.Endpoints = []string{z.Addr()}
	return &zkSite{cfg: cfg, zk: z}, nil
}

func (s *zkSite) name() string { return "zookeeper" }

func (s *zkSite) nodes() []node { return []node{{"zookeeper", "standalone"}} }

func (s *zkSite) direct() lock.Config { return s.cfg }

func (s *zkSite) connect(client string) (lock.Config, error) {
	cfg := s.cfg
	var err error
	cfg.Endpoints, err = s.open(client, s.cfg.Endpoints)
	return cfg, err
}

func (s *zkSite) simulated() []string {
	return []string{"one ZooKeeper server, no ensemble, with ticks of 50 ms and without fsync"}
}

func (s *zkSite) possible(a Action) error {
	if a.Actor != "zookeeper" {
		return errNoSuchNode(a.Actor, []string{"zookeeper"})
	}
	return fmt.Errorf("there is one ZooKeeper server, and nothing that could %s it: act on a client", a.Verb)
}

func (s *zkSite) operate(_ context.Context, a Action) (string, error) { return "", s.possible(a) }

func (s *zkSite) close() error { return errors.Join(s.links.close(), s.zk.Close()) }

// lookAgain is how often a condition that the history does not show is looked at.
const lookAgain = 5 * time.Millisecond

// until looks again and again until a condition holds.
func until(ctx context.Context, holds func(context.Context) (bool, error)) error {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		if ok, err := holds(ctx); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
