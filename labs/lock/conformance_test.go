package lock_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// subject is one kind of lock service under test. A real server is one more
// line: a name, whether it issues tokens, and how to reach it.
type subject struct {
	name   string
	tokens bool
	ttl    time.Duration // the shortest lease that it grants
	open   func(t *testing.T) lock.Config
}

func subjects() []subject {
	return []subject{
		{"redis", false, 150 * time.Millisecond, openRedis},
		{"redis-incr", true, 150 * time.Millisecond, as("redis-incr", openRedis)},
		{"redlock", false, 150 * time.Millisecond, openRedlock},
		{"etcd", true, time.Second, openEtcd},
		{"etcd election-rev", true, time.Second, with("election-rev", openEtcd)},
		{"real etcd", true, time.Second, openEtcdServer},
		{"real redis", false, 150 * time.Millisecond, openRedisServer},
		{"real redis-incr", true, 150 * time.Millisecond, as("redis-incr", openRedisServer)},
		{"real redlock", false, 150 * time.Millisecond, openRedlockServers},
		{"zookeeper", true, 150 * time.Millisecond, openZooKeeper},
	}
}

func openRedis(t *testing.T) lock.Config {
	r, err := server.StartRedis()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, r.Close()) })
	return lock.Config{Service: "redis", Endpoints: []string{r.Addr()}, Prefix: "test/"}
}

func openEtcd(t *testing.T) lock.Config {
	e, err := server.StartEtcd(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, e.Close()) })
	return lock.Config{Service: "etcd", Endpoints: e.Endpoints(), Prefix: "test/"}
}

func closed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("close: %v", err)
	}
}

// conformance lists what every service must do. Each test gets a service of its
// own, or several of them as several clients.
var conformance = []struct {
	name string
	test func(t *testing.T, s subject, cfg lock.Config)
}{
	{"a second owner is refused", testHeld},
	{"a lease that is not renewed ends", testExpiry},
	{"a renewal extends", testRenew},
	{"who does not hold can neither renew nor release", testNotHolder},
	{"a stale release cannot touch a later lease", testStaleRelease},
	{"tokens rise, or are none", testTokens},
	{"acquire waits for a release", testWaits},
	{"acquire is bounded by its context", testBounded},
	{"one at a time, among many", testExclusion},
	{"a lost reply leaves the outcome unknown", testLostReply},
	{"what was never sent has failed", testNotSent},
	{"another resource is another lock", testOtherResource},
}

func TestConformance(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			cfg := s.open(t)
			for i, c := range conformance {
				t.Run(c.name, func(t *testing.T) {
					own := cfg
					own.Prefix += string(rune('a'+i)) + "/"
					c.test(t, s, own)
				})
			}
		})
	}
}

const job = "job:44"

func client(t *testing.T, cfg lock.Config) lock.Service {
	t.Helper()
	svc, err := lock.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, svc.Close()) })
	return svc
}

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func acquired(t *testing.T, svc lock.Service, ttl time.Duration) lock.Lease {
	t.Helper()
	l, err := svc.TryAcquire(bounded(t), job, ttl)
	if err != nil {
		t.Fatalf("acquire: %v", err)
	}
	return l
}

// wants fails unless err is the one named.
func wants(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || (want == nil && err != nil) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// untilFree watches until nobody holds the resource.
func untilFree(t *testing.T, svc lock.Service) {
	t.Helper()
	ctx, tick := bounded(t), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := svc.Holder(ctx, job); errors.Is(err, lock.ErrFree) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		<-tick.C
	}
}

func testHeld(t *testing.T, s subject, cfg lock.Config) {
	a, b, ctx := client(t, cfg), client(t, cfg), bounded(t)
	_, err := a.Holder(ctx, job)
	wants(t, "holder of a free lock", err, lock.ErrFree)
	l := acquired(t, a, time.Minute)
	if l.Resource != job || l.Owner == "" || l.TTL < time.Minute || time.Since(l.Asked) > time.Minute {
		t.Errorf("lease %+v", l)
	}
	_, err = b.TryAcquire(ctx, job, time.Minute)
	wants(t, "another's try", err, lock.ErrHeld)
	_, err = a.TryAcquire(ctx, job, time.Minute)
	wants(t, "its own second try", err, lock.ErrHeld)
	owner, err := b.Holder(ctx, job)
	if wants(t, "holder", err, nil); owner != l.Owner {
		t.Errorf("holder is %q, want %q", owner, l.Owner)
	}
	wants(t, "release", a.Release(ctx, l), nil)
	wants(t, "release again", a.Release(ctx, l), lock.ErrNotHeld)
	acquired(t, b, time.Minute)
}

func testExpiry(t *testing.T, s subject, cfg lock.Config) {
	a, b, ctx := client(t, cfg), client(t, cfg), bounded(t)
	l := acquired(t, a, s.ttl)
	untilFree(t, b)
	if end := l.Asked.Add(l.TTL); time.Now().Before(end) {
		t.Errorf("the lease ended %s before its time", time.Until(end))
	}
	_, err := a.Renew(ctx, l)
	wants(t, "renewal of what has ended", err, lock.ErrNotHeld)
	wants(t, "release of what has ended", a.Release(ctx, l), lock.ErrNotHeld)
	acquired(t, b, time.Minute)
}

func testRenew(t *testing.T, s subject, cfg lock.Config) {
	a, b, ctx := client(t, cfg), client(t, cfg), bounded(t)
	l := acquired(t, a, s.ttl)
	first := l.Asked.Add(l.TTL)
	var last time.Time
	tick := time.NewTicker(s.ttl / 5)
	defer tick.Stop()
	for !last.After(first.Add(s.ttl / 2)) { // the last renewal is past the first end
		<-tick.C
		last = time.Now()
		renewed, err := a.Renew(ctx, l)
		if err != nil {
			t.Fatalf("renew: %v", err)
		}
		if renewed.Token != l.Token || renewed.Owner != l.Owner || renewed.TTL != l.TTL {
			t.Fatalf("renewed %+v into %+v", l, renewed)
		}
	}
	_, err := b.TryAcquire(ctx, job, s.ttl)
	wants(t, "a try past the first end", err, lock.ErrHeld)
	untilFree(t, b)
	if end := last.Add(l.TTL); time.Now().Before(end) {
		t.Errorf("the lease ended %s before what the last renewal promised", time.Until(end))
	}
}

func testNotHolder(t *testing.T, s subject, cfg lock.Config) {
	a, b, ctx := client(t, cfg), client(t, cfg), bounded(t)
	l := acquired(t, a, time.Minute)
	forged := l
	forged.Owner, forged.Token, forged.Session = l.Owner+"0", l.Token+1, l.Session+1
	_, err := b.Renew(ctx, forged)
	wants(t, "renewal by another", err, lock.ErrNotHeld)
	wants(t, "release by another", b.Release(ctx, forged), lock.ErrNotHeld)
	owner, err := b.Holder(ctx, job)
	if wants(t, "holder", err, nil); owner != l.Owner {
		t.Errorf("holder is %q, want %q", owner, l.Owner)
	}
	_, err = a.Renew(ctx, l)
	wants(t, "the holder's own renewal", err, nil)
}

// testStaleRelease: A's lease ends, B holds, A releases, and C must not get in.
func testStaleRelease(t *testing.T, s subject, cfg lock.Config) {
	a, b, c, ctx := client(t, cfg), client(t, cfg), client(t, cfg), bounded(t)
	stale := acquired(t, a, s.ttl)
	untilFree(t, b)
	l := acquired(t, b, time.Minute)
	wants(t, "A's late release", a.Release(ctx, stale), lock.ErrNotHeld)
	_, err := a.Renew(ctx, stale)
	wants(t, "A's late renewal", err, lock.ErrNotHeld)
	_, err = c.TryAcquire(ctx, job, time.Minute)
	wants(t, "C's try", err, lock.ErrHeld)
	_, err = b.Renew(ctx, l)
	wants(t, "B's renewal", err, nil)
}

func testTokens(t *testing.T, s subject, cfg lock.Config) {
	a, b, ctx := client(t, cfg), client(t, cfg), bounded(t)
	last := uint64(0)
	for i := range 10 {
		svc := []lock.Service{a, b}[i%2]
		l := acquired(t, svc, time.Minute)
		if s.tokens && l.Token <= last {
			t.Errorf("token %d after %d", l.Token, last)
		}
		if !s.tokens && l.Token != 0 {
			t.Errorf("token %d from a service that issues none", l.Token)
		}
		last = l.Token
		wants(t, "release", svc.Release(ctx, l), nil)
	}
}

func testWaits(t *testing.T, s subject, cfg lock.Config) {
	a, b, ctx := client(t, cfg), client(t, cfg), bounded(t)
	l := acquired(t, a, time.Minute)
	var released atomic.Bool
	got := make(chan error, 1)
	go func() {
		next, err := b.Acquire(ctx, job, time.Minute)
		if err == nil && !released.Load() {
			err = errors.New("granted before the release")
		}
		if err == nil && s.tokens && next.Token <= l.Token {
			err = errors.New("the token did not rise")
		}
		got <- err
	}()
	_, err := a.Renew(ctx, l) // a holder at work meanwhile
	wants(t, "renew", err, nil)
	released.Store(true)
	wants(t, "release", a.Release(ctx, l), nil)
	wants(t, "the waiter", <-got, nil)
}

func testBounded(t *testing.T, s subject, cfg lock.Config) {
	a, b, c := client(t, cfg), client(t, cfg), client(t, cfg)
	l := acquired(t, a, time.Minute)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := b.Acquire(ctx, job, time.Minute)
	wants(t, "a wait that ran out", err, context.DeadlineExceeded)
	wants(t, "release", a.Release(bounded(t), l), nil)
	acquired(t, c, time.Minute) // the waiter that gave up is not in the way
}

// testExclusion lets many work at once under one lock. The count is of those
// inside at the same time.
func testExclusion(t *testing.T, s subject, cfg lock.Config) {
	const clients, each = 5, 6
	ctx := bounded(t)
	var inside, worst, done atomic.Int64
	var all sync.WaitGroup
	for range clients {
		svc := client(t, cfg)
		all.Go(func() {
			for range each {
				l, err := svc.Acquire(ctx, job, time.Minute)
				if err != nil {
					t.Errorf("acquire: %v", err)
					return
				}
				worst.Store(max(worst.Load(), inside.Add(1)))
				done.Add(1)
				inside.Add(-1)
				if err := svc.Release(ctx, l); err != nil {
					t.Errorf("release: %v", err)
				}
			}
		})
	}
	all.Wait()
	if worst.Load() != 1 || done.Load() != clients*each {
		t.Errorf("%d at once, %d grants", worst.Load(), done.Load())
	}
}

// testLostReply breaks the link once a request has been sent over it.
func testLostReply(t *testing.T, s subject, cfg lock.Config) {
	ctx := bounded(t)
	l := acquired(t, client(t, cfg), time.Minute)
	lossy := newMuteLink(t, cfg.Endpoints[0])
	over := cfg
	over.Endpoints = []string{lossy.addr()}
	svc := client(t, over)
	if _, err := svc.Holder(ctx, job); err != nil { // connect
		t.Fatal(err)
	}
	for name, op := range map[string]func(context.Context) error{
		"renew":   func(ctx context.Context) error { _, err := svc.Renew(ctx, l); return err },
		"release": func(ctx context.Context) error { return svc.Release(ctx, l) },
	} {
		lossy.mute()
		within, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		wants(t, name+" whose reply is lost", op(within), lock.ErrUnknown)
		cancel()
		lossy.speak()
	}
}

func testNotSent(t *testing.T, s subject, cfg lock.Config) {
	k, err := server.NewLink(cfg.Endpoints[0])
	if err != nil {
		t.Fatal(err)
	}
	over := cfg
	over.Endpoints = []string{k.Addr()}
	svc := client(t, over)
	closed(t, k.Close())
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if _, err := svc.TryAcquire(ctx, job, time.Minute); err == nil || errors.Is(err, lock.ErrUnknown) || errors.Is(err, lock.ErrHeld) {
		t.Errorf("got %v", err)
	}
	acquired(t, client(t, cfg), time.Minute)
}

func testOtherResource(t *testing.T, s subject, cfg lock.Config) {
	a, ctx := client(t, cfg), bounded(t)
	acquired(t, a, time.Minute)
	for _, other := range []string{"job:4", "job:444", "job:44/x"} {
		l, err := a.TryAcquire(ctx, other, time.Minute)
		if err != nil {
			t.Errorf("%s: %v", other, err)
			continue
		}
		if owner, err := a.Holder(ctx, job); err != nil || owner == l.Owner {
			t.Errorf("holder of %s is %q, %v, the owner of %s", job, owner, err, other)
		}
	}
}
