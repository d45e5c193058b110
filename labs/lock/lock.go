// Package lock holds the lock services behind one interface, each implemented
// the way its own documentation says to use it. None of them stops a paused
// holder from writing later: that is what the labs show.
package lock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors that every Service returns for the same reasons.
var (
	// ErrHeld means another owner has the lease: the attempt changed nothing.
	ErrHeld = errors.New("held by another owner")
	// ErrNotHeld means the lease named is not (or no longer) the caller's.
	ErrNotHeld = errors.New("not held by this owner")
	// ErrFree means nobody has the lease.
	ErrFree = errors.New("held by nobody")
	// ErrUnknown wraps an error after which the operation may or may not have
	// taken place: the reply was lost, or never came.
	ErrUnknown = errors.New("outcome unknown")
)

// Lease is one granted acquire: permission with an end.
type Lease struct {
	Resource string        `json:"resource"`
	Owner    string        `json:"owner"` // unique to this grant, as the service spells it
	Token    uint64        `json:"token"` // the fencing token; 0 = the service issues none
	TTL      time.Duration `json:"ttl"`   // as granted, which may be more than was asked
	Session  int64         `json:"session,omitempty"`
	// Created tells this grant's key from a later one of the same name, whatever
	// the token is: its create revision in etcd, its czxid in ZooKeeper.
	Created uint64 `json:"created,omitempty"`
	// Asked is the caller's clock just before the request that was granted: the
	// lease lasts at least until Asked + TTL.
	Asked time.Time `json:"-"`
}

// Service is a lock service as one client sees it. Methods are safe for
// concurrent use. Every wait is bounded by the context.
type Service interface {
	// TryAcquire makes one attempt. It returns ErrHeld if somebody else has the
	// lease, and an error wrapping ErrUnknown if it cannot tell.
	TryAcquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error)
	// Acquire waits, in the service's own way, until it has the lease or the
	// context ends.
	Acquire(ctx context.Context, resource string, ttl time.Duration) (Lease, error)
	// Renew extends the lease by its TTL. The token stays the same.
	Renew(ctx context.Context, l Lease) (Lease, error)
	// Release gives the lease up. ErrNotHeld if it was not the caller's to give.
	Release(ctx context.Context, l Lease) error
	// Holder says whose lease the service would honour now: the Owner of a
	// Lease, or ErrFree.
	Holder(ctx context.Context, resource string) (owner string, err error)
	Close() error
}

// Config is what a client needs to reach a lock service.
type Config struct {
	Service   string   `json:"service"`   // "redis", "redis-incr", "redlock", "etcd", "zookeeper"
	Endpoints []string `json:"endpoints"` // host:port
	Prefix    string   `json:"prefix"`    // put before every key
	// Wait is the number of replicas that must acknowledge a Redis grant (WAIT).
	Wait int `json:"wait,omitempty"`
	// Token names the number that is taken for the fencing token, one of
	// TokensOf; "" = the first of them.
	Token string `json:"token,omitempty"`

	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	DB       int    `json:"db,omitempty"`  // redis: the number of the database
	TLS      *TLS   `json:"tls,omitempty"` // nil = plain TCP
}

// Open connects to the service named in c.
func Open(c Config) (Service, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	switch c.Service {
	case "redis", "redis-incr":
		return openRedis(c)
	case "redlock":
		return openRedlock(c)
	case "etcd":
		return openEtcd(c)
	case "zookeeper":
		return openZooKeeper(c), nil
	}
	return nil, fmt.Errorf("no lock service is called %q", c.Service)
}

// Exchange is one request and its reply, as they went over the wire.
type Exchange struct {
	Request string `json:"request"`
	Reply   string `json:"reply"`
}

type wireKey struct{}

// Recorded returns a context under which requests append themselves to wire.
// One context belongs to one operation: read wire when that has returned.
func Recorded(ctx context.Context, wire *[]Exchange) context.Context {
	return context.WithValue(ctx, wireKey{}, wire)
}

// wireMu orders the requests that one operation sends to several nodes at once.
var wireMu sync.Mutex

func record(ctx context.Context, request, reply string) {
	tellWatcher(ctx, request)
	if w, ok := ctx.Value(wireKey{}).(*[]Exchange); ok {
		wireMu.Lock()
		defer wireMu.Unlock()
		*w = append(*w, Exchange{request, reply})
	}
}

// unknown marks err as leaving the outcome open.
func unknown(err error) error { return fmt.Errorf("%w: %w", ErrUnknown, err) }

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
