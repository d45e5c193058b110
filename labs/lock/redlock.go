package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"lockdrill/labs/guard"
)

// nodePatience is the share of the lease that one node may take to answer. Small
// in redsync, where a slow node is a bad one; here a busy machine is no fault of
// the node.
const nodePatience = 0.5

// errTooSlow means that a majority granted the lock, but its lease was over, or
// nearly, before the last node had answered. The client does not believe in it.
var errTooSlow = errors.New("the majority answered too late: the lease would be over")

// redlockService is Redlock, by redsync, over independent Redis nodes. It issues
// no fencing token.
type redlockService struct {
	nodes  []*redis.Client
	sync   *redsync.Redsync
	prefix string
}

func openRedlock(c Config) (*redlockService, error) {
	s := &redlockService{prefix: c.Prefix}
	var pools []redsyncredis.Pool
	for i, addr := range c.Endpoints {
		rdb, err := redisClient(c, addr, redisWire{node: fmt.Sprintf("redis-%d> ", i+1)})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.nodes = append(s.nodes, rdb)
		pools = append(pools, goredis.NewPool(rdb))
	}
	s.sync = redsync.New(pools...)
	return s, nil
}

func (s *redlockService) quorum() int { return len(s.nodes)/2 + 1 }

func (s *redlockService) mutex(resource string, ttl time.Duration, owner string) *redsync.Mutex {
	return s.sync.NewMutex(s.prefix+resource, redsync.WithExpiry(ttl), redsync.WithTimeoutFactor(nodePatience),
		redsync.WithValue(owner), redsync.WithGenValueFunc(func() (string, error) { return owner, nil }))
}

func (s *redlockService) TryAcquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	l := Lease{Resource: resource, Owner: randomOwner(), TTL: ttl, Asked: time.Now()}
	err := s.mutex(resource, ttl, l.Owner).TryLockContext(ctx)
	if err == nil {
		return l, nil
	}
	if ctx.Err() != nil {
		return Lease{}, ctx.Err()
	}
	if errors.Is(err, redsync.ErrFailed) {
		return Lease{}, errTooSlow
	}
	// What was set on a minority was deleted again, or ends by itself: nobody
	// believes in it, so the attempt has failed for certain.
	if taken, lost := tally(err); taken >= s.quorum() || len(lost) == 0 {
		return Lease{}, ErrHeld
	}
	return Lease{}, fmt.Errorf("no majority: %w", err)
}

func (s *redlockService) Acquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	for {
		l, err := s.TryAcquire(ctx, resource, ttl)
		if err == nil || (!errors.Is(err, ErrHeld) && !errors.Is(err, errTooSlow)) {
			return l, ranOut(err)
		}
		if err := pause(ctx, redisPoll); err != nil {
			return Lease{}, err
		}
	}
}

func (s *redlockService) Renew(ctx context.Context, l Lease) (Lease, error) {
	ok, err := s.mutex(l.Resource, l.TTL, l.Owner).ExtendContext(ctx)
	if ok {
		return l, nil
	}
	if errors.Is(err, redsync.ErrExtendFailed) {
		return l, unknown(errTooSlow)
	}
	return l, s.refused(err)
}

func (s *redlockService) Release(ctx context.Context, l Lease) error {
	ok, err := s.mutex(l.Resource, l.TTL, l.Owner).UnlockContext(ctx)
	if ok {
		return nil
	}
	return s.refused(err)
}

// refused tells a majority that does not know the owner from one that could not
// be asked.
func (s *redlockService) refused(err error) error {
	taken, lost := tally(err)
	if taken+len(lost) == 0 || taken > len(s.nodes)-s.quorum() {
		return ErrNotHeld
	}
	for _, e := range lost {
		if errors.Is(redisFailure(e), ErrUnknown) {
			return unknown(err)
		}
	}
	return err
}

// tally counts the nodes that refused, and collects the errors of those that did
// not answer.
func tally(err error) (refused int, lost []error) {
	var taken *redsync.ErrTaken
	if errors.As(err, &taken) {
		return len(taken.Nodes), nil
	}
	var one *redsync.ErrNodeTaken
	var node *redsync.RedisError
	switch e := err.(type) { //nolint:errorlint // the parts of this very error are counted, not what they wrap
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			n, more := tally(part)
			refused, lost = refused+n, append(lost, more...)
		}
	default:
		switch {
		case errors.Is(err, redsync.ErrLockAlreadyExpired), errors.As(err, &one):
			return 1, nil
		case errors.As(err, &node):
			return 0, []error{node.Err}
		}
	}
	return refused, lost
}

// Holder is the owner whose value a majority of the nodes has.
func (s *redlockService) Holder(ctx context.Context, resource string) (string, error) {
	type answer struct {
		owner string
		err   error
	}
	answers := make(chan answer, len(s.nodes))
	for _, rdb := range s.nodes {
		go guard.Func(func() {
			v, err := rdb.Get(ctx, s.prefix+resource).Result()
			answers <- answer{v, err}
		})()
	}
	votes, silent := map[string]int{}, 0
	var failure error
	for range s.nodes {
		switch a := <-answers; {
		case a.err == nil:
			votes[a.owner]++
		case !errors.Is(a.err, redis.Nil):
			silent++
			failure = a.err
		}
	}
	best := ""
	for owner, n := range votes {
		if n > votes[best] {
			best = owner
		}
	}
	switch {
	case votes[best] >= s.quorum():
		return best, nil
	case votes[best]+silent >= s.quorum():
		return "", fmt.Errorf("%d of %d nodes did not answer: %w", silent, len(s.nodes), failure)
	}
	return "", ErrFree
}

func (s *redlockService) Close() error {
	var errs []error
	for _, rdb := range s.nodes {
		errs = append(errs, rdb.Close())
	}
	return errors.Join(errs...)
}
