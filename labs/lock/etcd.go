package lock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"lockdrill/labs/guard"
)

// etcdService is a session and a mutex, or an election, of etcd's concurrency
// package. The token is the create revision of the lock key, unless another
// number was asked for.
//
// Every grant has a lease of its own, because two mutexes on one session both
// lock. The session's own keep-alive is ended once the lock is had, so that one
// visible renewal loop, the client's, keeps every kind of lease alive.
type etcdService struct {
	cl     *clientv3.Client
	prefix string
	token  string // which number is taken for the token

	mu      sync.Mutex
	repeats map[clientv3.LeaseID]repeat // by lease, where the number can change
}

func openEtcd(c Config) (*etcdService, error) {
	secure, err := c.TLS.config()
	if err != nil {
		return nil, err
	}
	scheme := "http://"
	if secure != nil {
		scheme = "https://"
	}
	ends := make([]string, len(c.Endpoints))
	for i, e := range c.Endpoints {
		ends[i] = scheme + e
	}
	cl, err := clientv3.New(clientv3.Config{
		Endpoints:   ends,
		Username:    c.User,
		Password:    c.Password,
		TLS:         secure,
		DialTimeout: 2 * time.Second,
		Logger:      zap.NewNop(),
		DialOptions: []grpc.DialOption{
			grpc.WithNoProxy(),
			grpc.WithChainUnaryInterceptor(etcdUnaryWire),
			grpc.WithChainStreamInterceptor(etcdStreamWire),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("etcd client for %v: %w", c.Endpoints, err)
	}
	if c.Token == "" {
		c.Token = tokenCreateRevision
	}
	return &etcdService{cl: cl, prefix: c.Prefix, token: c.Token, repeats: map[clientv3.LeaseID]repeat{}}, nil
}

func (s *etcdService) TryAcquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	if s.token == tokenHeaderRevision {
		return s.lock(ctx, resource, ttl, true) // what a failed try costs is what this one shows
	}
	// Read first: a failed try writes a key and deletes it, two revisions.
	if _, err := s.Holder(ctx, resource); err == nil {
		return Lease{}, ErrHeld
	} else if !errors.Is(err, ErrFree) {
		return Lease{}, err
	}
	return s.lock(ctx, resource, ttl, true)
}

func (s *etcdService) Acquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	return s.lock(ctx, resource, ttl, false)
}

func (s *etcdService) lock(ctx context.Context, resource string, ttl time.Duration, once bool) (Lease, error) {
	granted, err := s.cl.Grant(ctx, seconds(ttl))
	if err != nil {
		return Lease{}, err // an orphan lease without a key harms nobody and ends by itself
	}
	sess, err := concurrency.NewSession(s.cl, concurrency.WithLease(granted.ID))
	if err != nil {
		return Lease{}, s.abandon(granted.ID, err)
	}
	g, err := s.enterWithin(ctx, sess, s.prefix+resource, once)
	sess.Orphan()
	if err != nil {
		return Lease{}, s.abandon(granted.ID, err)
	}
	// Renew at once: while waiting, the session did it, at times we do not know.
	l := Lease{Resource: resource, Owner: g.key, Token: g.token, Session: int64(granted.ID), Asked: time.Now()}
	if l.Created, err = s.createRevision(ctx, g.key); err == nil {
		l.TTL, err = s.keepAlive(ctx, l)
	}
	if err != nil {
		return Lease{}, s.abandon(granted.ID, err)
	}
	if l.Token == 0 {
		l.Token = l.Created
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.repeat != nil {
		s.repeats[granted.ID] = g.repeat
	}
	return l, nil
}

// cleaningUp is how long a mutex whose wait was given up may take to tidy up.
const cleaningUp = 500 * time.Millisecond

// enterWithin is enter, bounded by its context: a mutex that gives up waiting
// unlocks without a limit, and a silent server would hold it for ever. What it
// leaves goes with the lease.
func (s *etcdService) enterWithin(ctx context.Context, sess *concurrency.Session, name string, once bool) (entry, error) {
	type result struct {
		entry
		err error
	}
	entered := make(chan result, 1)
	go guard.Func(func() {
		e, err := s.enter(ctx, sess, name, once)
		entered <- result{e, err}
	})()
	select {
	case r := <-entered:
		return r.entry, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-entered:
		return r.entry, r.err
	case <-time.After(cleaningUp):
		return entry{}, ctx.Err()
	}
}

// abandon revokes the lease of an attempt that ended in err. Once it is revoked
// no late transaction can create the key, so the attempt has surely failed.
func (s *etcdService) abandon(id clientv3.LeaseID, err error) error {
	ctx, cancel := context.WithTimeout(s.cl.Ctx(), time.Second)
	defer cancel()
	_, rerr := s.cl.Revoke(ctx, id)
	gone := rerr == nil || errors.Is(rerr, rpctypes.ErrLeaseNotFound)
	switch {
	case errors.Is(err, concurrency.ErrLocked):
		return ErrHeld
	case gone:
		return err
	}
	return unknown(err)
}

// createRevision reads the revision at which the lock key was made.
func (s *etcdService) createRevision(ctx context.Context, key string) (uint64, error) {
	resp, err := s.cl.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	if len(resp.Kvs) == 0 {
		return 0, concurrency.ErrSessionExpired
	}
	return uint64(resp.Kvs[0].CreateRevision), nil
}

func (s *etcdService) Renew(ctx context.Context, l Lease) (Lease, error) {
	ttl, err := s.keepAlive(ctx, l)
	if err != nil {
		return l, err
	}
	l.TTL = ttl
	s.mu.Lock()
	again := s.repeats[clientv3.LeaseID(l.Session)]
	s.mu.Unlock()
	if again != nil {
		if l.Token, err = again(ctx); err != nil {
			return l, etcdFailure(err)
		}
	}
	return l, nil
}

// keepAlive extends the lease, and returns its length.
func (s *etcdService) keepAlive(ctx context.Context, l Lease) (time.Duration, error) {
	ka, err := s.cl.KeepAliveOnce(ctx, clientv3.LeaseID(l.Session))
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return 0, ErrNotHeld
	}
	if err != nil {
		return 0, etcdFailure(err)
	}
	// A lease may live on although its key was deleted: ask for the key too.
	rev, err := s.createRevision(ctx, l.Owner)
	if errors.Is(err, concurrency.ErrSessionExpired) || (err == nil && rev != l.Created) {
		return 0, ErrNotHeld
	}
	if err != nil {
		return 0, etcdFailure(err)
	}
	return time.Duration(ka.TTL) * time.Second, nil
}

func (s *etcdService) Release(ctx context.Context, l Lease) error {
	// Compared with the revision, so that a repeated or late release cannot
	// delete a later lock under the same key.
	mine := clientv3.Compare(clientv3.CreateRevision(l.Owner), "=", int64(l.Created))
	resp, err := s.cl.Txn(ctx).If(mine).Then(clientv3.OpDelete(l.Owner)).Commit()
	if err != nil {
		return etcdFailure(err)
	}
	if !resp.Succeeded {
		return ErrNotHeld
	}
	_, _ = s.cl.Revoke(ctx, clientv3.LeaseID(l.Session)) // the key is gone; the lease may also just end
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.repeats, clientv3.LeaseID(l.Session))
	return nil
}

func (s *etcdService) Holder(ctx context.Context, resource string) (string, error) {
	resp, err := s.cl.Get(ctx, s.prefix+resource+"/", clientv3.WithFirstCreate()...)
	if err != nil {
		return "", err
	}
	if len(resp.Kvs) == 0 {
		return "", ErrFree
	}
	return string(resp.Kvs[0].Key), nil
}

func (s *etcdService) Close() error { return s.cl.Close() }

// seconds rounds a TTL up: etcd counts whole seconds.
func seconds(ttl time.Duration) int64 {
	return max(1, int64((ttl+time.Second-1)/time.Second))
}

// etcdFailure tells an answer of the server from a lost reply.
func etcdFailure(err error) error {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unknown:
		return unknown(err)
	}
	return err
}
