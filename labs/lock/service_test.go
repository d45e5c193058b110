package lock_test

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

func TestOpenRefusesAnUnknownService(t *testing.T) {
	if _, err := lock.Open(lock.Config{Service: "zookeper"}); err == nil {
		t.Error("opened")
	}
}

// A waiter is not the holder because the key before its own went: its own must
// still be there (etcd-io/etcd 16221, 19597).
func TestAWaiterWhoseLeaseIsGoneSaysSo(t *testing.T) {
	cfg, ctx := openEtcd(t), bounded(t)
	raw := rawEtcd(t, cfg)
	a, b := client(t, cfg), client(t, cfg)
	l := acquired(t, a, time.Minute)
	events := raw.Watch(ctx, cfg.Prefix, clientv3.WithPrefix(), clientv3.WithRev(int64(l.Token)+1))
	got := make(chan error, 1)
	go func() {
		_, err := b.Acquire(ctx, job, time.Minute)
		got <- err
	}()
	queued := (<-events).Events[0].Kv
	if _, err := raw.Revoke(ctx, clientv3.LeaseID(queued.Lease)); err != nil {
		t.Fatal(err)
	}
	wants(t, "release", a.Release(ctx, l), nil)
	wants(t, "the waiter", <-got, concurrency.ErrSessionExpired)
	_, err := a.Holder(ctx, job)
	wants(t, "holder", err, lock.ErrFree)
}

func rawEtcd(t *testing.T, cfg lock.Config) *clientv3.Client {
	t.Helper()
	raw, err := clientv3.New(clientv3.Config{Endpoints: cfg.Endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, raw.Close()) })
	return raw
}

// A failed try costs no revision: it reads first.
func TestARefusedTryChangesNothing(t *testing.T) {
	cfg, ctx := openEtcd(t), bounded(t)
	raw := rawEtcd(t, cfg)
	acquired(t, client(t, cfg), time.Minute)
	revision := func() int64 {
		r, err := raw.Get(ctx, "any")
		if err != nil {
			t.Fatal(err)
		}
		return r.Header.Revision
	}
	before := revision()
	for range 5 {
		_, err := client(t, cfg).TryAcquire(ctx, job, time.Minute)
		wants(t, "try", err, lock.ErrHeld)
	}
	if after := revision(); after != before {
		t.Errorf("five refused tries cost %d revisions", after-before)
	}
}

// A renewal asks for the key, not just for the lease that once carried it.
func TestALeaseWithoutItsKeyIsNotHeld(t *testing.T) {
	cfg, ctx := openEtcd(t), bounded(t)
	a := client(t, cfg)
	l := acquired(t, a, time.Minute)
	if _, err := rawEtcd(t, cfg).Delete(ctx, l.Owner); err != nil {
		t.Fatal(err)
	}
	_, err := a.Renew(ctx, l)
	wants(t, "renew", err, lock.ErrNotHeld)
}

// etcd counts whole seconds, and says what it granted.
func TestGrantedTTL(t *testing.T) {
	cfg := openEtcd(t)
	for asked, want := range map[time.Duration]time.Duration{
		50 * time.Millisecond: time.Second, time.Second: time.Second, 1001 * time.Millisecond: 2 * time.Second,
		5 * time.Second: 5 * time.Second,
	} {
		c := cfg
		c.Prefix += asked.String()
		if l := acquired(t, client(t, c), asked); l.TTL != want {
			t.Errorf("asked %s, granted %s, want %s", asked, l.TTL, want)
		}
	}
}

func TestWaitTooFewReplicasLeavesItOpen(t *testing.T) {
	cfg := openRedis(t)
	cfg.Wait = 1
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := client(t, cfg).TryAcquire(ctx, job, time.Minute)
	wants(t, "a grant that no replica has", err, lock.ErrUnknown)
	_, err = client(t, cfg).TryAcquire(bounded(t), job, time.Minute)
	wants(t, "another's try", err, lock.ErrHeld)
}

func TestWaitIsAnsweredByAReplica(t *testing.T) {
	primary, replica := startRedis(t), startRedis(t)
	primary.Replicate(replica)
	cfg := lock.Config{Service: "redis", Endpoints: []string{primary.Addr()}, Wait: 1}
	l := acquired(t, client(t, cfg), time.Minute)
	cfg.Endpoints = []string{replica.Addr()}
	owner, err := client(t, cfg).Holder(bounded(t), job)
	if wants(t, "holder on the replica", err, nil); owner != l.Owner {
		t.Errorf("the replica has %q, want %q", owner, l.Owner)
	}
}

func startRedis(t *testing.T) *server.Redis {
	t.Helper()
	r, err := server.StartRedis()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, r.Close()) })
	return r
}

// An acquire whose reply never came may have taken the lock.
func TestARedisGrantWhoseReplyIsLost(t *testing.T) {
	cfg, ctx := openRedis(t), bounded(t)
	lossy := newMuteLink(t, cfg.Endpoints[0])
	over := cfg
	over.Endpoints = []string{lossy.addr()}
	svc := client(t, over)
	_, err := svc.Holder(ctx, job)
	wants(t, "holder", err, lock.ErrFree)
	lossy.mute()
	within, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	_, err = svc.TryAcquire(within, job, time.Minute)
	wants(t, "acquire", err, lock.ErrUnknown)
	_, err = client(t, cfg).TryAcquire(ctx, job, time.Minute)
	wants(t, "another's try: the grant took place", err, lock.ErrHeld)
}

// The wire shows what was sent and answered, in order.
func TestTheWireIsRecorded(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			svc := client(t, s.open(t))
			var wire []lock.Exchange
			ctx := lock.Recorded(bounded(t), &wire)
			l, err := svc.TryAcquire(ctx, job, time.Minute)
			if err == nil {
				err = svc.Release(ctx, l)
			}
			if err != nil || len(wire) < 2 {
				t.Fatalf("%d exchanges, %v", len(wire), err)
			}
			for _, x := range wire {
				if x.Request == "" || x.Reply == "" {
					t.Errorf("half an exchange: %+v", x)
				}
			}
		})
	}
}
