package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// etcdService is a session and a mutex of etcd's concurrency package. The token
// is the create revision of the lock key.
//
// Every grant has a lease of its own, because two mutexes on one session both
// lock. The session's own keep-alive is ended once the lock is had, so that one
// visible renewal loop, the client's, keeps every kind of lease alive.
type etcdService struct {
	cl     *clientv3.Client
	prefix string
}

func openEtcd(c Config) (*etcdService, error) {
	cl, err := clientv3.New(clientv3.Config{
		Endpoints:   c.Endpoints,
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
	return &etcdService{cl: cl, prefix: c.Prefix}, nil
}

func (s *etcdService) TryAcquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	// Read first: a failed try writes a key and deletes it, two revisions.
	if _, err := s.Holder(ctx, resource); err == nil {
		return Lease{}, ErrHeld
	} else if !errors.Is(err, ErrFree) {
		return Lease{}, err
	}
	return s.lock(ctx, resource, ttl, (*concurrency.Mutex).TryLock)
}

func (s *etcdService) Acquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error) {
	return s.lock(ctx, resource, ttl, (*concurrency.Mutex).Lock)
}

func (s *etcdService) lock(ctx context.Context, resource string, ttl time.Duration,
	how func(*concurrency.Mutex, context.Context) error) (Lease, error) {
	granted, err := s.cl.Grant(ctx, seconds(ttl))
	if err != nil {
		return Lease{}, err // an orphan lease without a key harms nobody and ends by itself
	}
	sess, err := concurrency.NewSession(s.cl, concurrency.WithLease(granted.ID))
	if err != nil {
		return Lease{}, s.abandon(granted.ID, err)
	}
	m := concurrency.NewMutex(sess, s.prefix+resource)
	err = how(m, ctx)
	sess.Orphan()
	if err != nil {
		return Lease{}, s.abandon(granted.ID, err)
	}
	// Renew at once: while waiting, the session did it, at times we do not know.
	l := Lease{Resource: resource, Owner: m.Key(), Session: int64(granted.ID), Asked: time.Now()}
	if l.Token, err = s.createRevision(ctx, m.Key()); err == nil {
		l, err = s.Renew(ctx, l)
	}
	if err != nil {
		return Lease{}, s.abandon(granted.ID, err)
	}
	return l, nil
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
	ka, err := s.cl.KeepAliveOnce(ctx, clientv3.LeaseID(l.Session))
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return l, ErrNotHeld
	}
	if err != nil {
		return l, etcdFailure(err)
	}
	// A lease may live on although its key was deleted: ask for the key too.
	rev, err := s.createRevision(ctx, l.Owner)
	if errors.Is(err, concurrency.ErrSessionExpired) || (err == nil && rev != l.Token) {
		return l, ErrNotHeld
	}
	if err != nil {
		return l, etcdFailure(err)
	}
	l.TTL = time.Duration(ka.TTL) * time.Second
	return l, nil
}

func (s *etcdService) Release(ctx context.Context, l Lease) error {
	// Compared with the revision, so that a repeated or late release cannot
	// delete a later lock under the same key.
	mine := clientv3.Compare(clientv3.CreateRevision(l.Owner), "=", int64(l.Token))
	resp, err := s.cl.Txn(ctx).If(mine).Then(clientv3.OpDelete(l.Owner)).Commit()
	if err != nil {
		return etcdFailure(err)
	}
	if !resp.Succeeded {
		return ErrNotHeld
	}
	_, _ = s.cl.Revoke(ctx, clientv3.LeaseID(l.Session)) // the key is gone; the lease may also just end
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
