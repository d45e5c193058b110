package lock

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"lockdrill/labs/guard"
)

// The numbers that etcd has for a lock. Only the create revision of the lock key
// and Election.Rev, which is the same one, rise with every grant and stand still
// in between.
const (
	tokenCreateRevision = "create-revision"
	tokenHeaderRevision = "header-revision" // Mutex.Header().Revision: grows when the holder locks again
	tokenLeaseID        = "lease-id"        // its upper half is the member that gave it
	tokenElectionHeader = "election-header" // Election.Header().Revision: grows with every Proclaim
	tokenElectionRev    = "election-rev"    // Election.Rev()
)

// entry is a lock that was taken: the key that holds it and its number; 0 = the
// key's create revision.
type entry struct {
	key    string
	token  uint64
	repeat repeat
}

// repeat does again what the holder of a lock may do at any time, and returns
// the number that it has after that.
type repeat func(context.Context) (uint64, error)

// enter takes the lock within a session, in the way that has the number asked
// for. Once means to come back with concurrency.ErrLocked instead of waiting.
func (s *etcdService) enter(ctx context.Context, sess *concurrency.Session, name string, once bool) (entry, error) {
	if s.token == tokenElectionHeader || s.token == tokenElectionRev {
		return s.elect(ctx, sess, name, once)
	}
	m := concurrency.NewMutex(sess, name)
	how := m.Lock
	if once {
		how = m.TryLock
	}
	if err := how(ctx); err != nil {
		return entry{}, err
	}
	e := entry{key: m.Key()}
	switch s.token {
	case tokenLeaseID:
		e.token = uint64(sess.Lease())
	case tokenHeaderRevision:
		e.token = uint64(m.Header().Revision)
		e.repeat = func(ctx context.Context) (uint64, error) {
			if err := m.Lock(ctx); err != nil { // on the same session it returns at once
				return 0, err
			}
			return uint64(m.Header().Revision), nil
		}
	}
	return e, nil
}

// elect takes the lock as the leadership of an election.
func (s *etcdService) elect(ctx context.Context, sess *concurrency.Session, name string, once bool) (entry, error) {
	e := concurrency.NewElection(sess, name)
	if err := s.campaign(ctx, e, sess.Lease(), name, once); err != nil {
		return entry{}, err
	}
	if s.token == tokenElectionRev {
		return entry{key: e.Key(), token: uint64(e.Rev())}, nil
	}
	return entry{key: e.Key(), token: uint64(e.Header().Revision), repeat: func(ctx context.Context) (uint64, error) {
		if err := e.Proclaim(ctx, "at work"); err != nil {
			return 0, err
		}
		return uint64(e.Header().Revision), nil
	}}, nil
}

// campaignEvery is how often a campaign that must not wait looks who leads.
const campaignEvery = 5 * time.Millisecond

// campaign runs for leader. The library knows no campaign that does not wait:
// once is ended from outside, when somebody else is seen to lead.
func (s *etcdService) campaign(ctx context.Context, e *concurrency.Election, id clientv3.LeaseID, name string, once bool) error {
	if !once {
		return e.Campaign(ctx, "")
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go guard.Func(func() {
		for pause(ctx, campaignEvery) == nil {
			resp, err := s.cl.Get(ctx, name+"/", clientv3.WithFirstCreate()...)
			if err == nil && len(resp.Kvs) > 0 && resp.Kvs[0].Lease != int64(id) {
				giveUp(concurrency.ErrLocked)
			}
		}
	})()
	err := e.Campaign(ctx, "")
	if err != nil && errors.Is(context.Cause(ctx), concurrency.ErrLocked) {
		return concurrency.ErrLocked
	}
	return err
}
