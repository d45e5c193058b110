package server

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

func startRedis(t *testing.T) *Redis {
	t.Helper()
	r, err := StartRedis()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

func dial(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 2})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// eventually watches until a condition holds. Its bound turns a hang into a
// failure; it decides nothing else.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("never: %s", what)
		}
	}
}

// miniredis by itself freezes TTLs; a lease must run out by the clock
// (alicebob/miniredis 149). Virtual time: no socket, no waiting.
func TestTTLsFallByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		m.ClockTTL(true)
		if err := m.Set("k", "v"); err != nil {
			t.Fatal(err)
		}
		m.SetTTL("k", 3*time.Second)
		time.Sleep(time.Second)
		if left := m.TTL("k"); left != 2*time.Second {
			t.Errorf("after 1 s of 3 s, %s are left", left)
		}
		time.Sleep(2*time.Second - time.Millisecond)
		if !m.Exists("k") {
			t.Error("gone before its time")
		}
		time.Sleep(time.Millisecond)
		if m.Exists("k") {
			t.Error("there after its time")
		}
	})
}

// Facts of miniredis that lessons rest on, so that an upgrade cannot change one.
func TestRedisFacts(t *testing.T) {
	ctx, c := context.Background(), dial(t, startRedis(t).Addr())
	const release = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) else return 0 end`
	tests := []struct {
		name string
		got  func() (any, error)
		want any
	}{
		{"the release script on a missing key", func() (any, error) { return c.Eval(ctx, release, []string{"none"}, "v").Result() }, int64(0)},
		{"numbers are cut to integers", func() (any, error) { return c.Eval(ctx, "return 3.99", nil).Result() }, int64(3)},
		{"arrays stop at nil", func() (any, error) {
			v, err := c.Eval(ctx, "return {1, 2, nil, 4}", nil).Slice()
			return len(v), err
		}, 2},
		{"SET NX PX on a free key", func() (any, error) { return c.Do(ctx, "SET", "k", "v", "NX", "PX", 60000).Result() }, "OK"},
		{"its PTTL is running", func() (any, error) {
			d, err := c.PTTL(ctx, "k").Result()
			return d > 0 && d <= time.Minute, err
		}, true},
		{"a plain SET drops the TTL", func() (any, error) {
			if err := c.Set(ctx, "k", "data", 0).Err(); err != nil {
				return nil, err
			}
			return c.PTTL(ctx, "k").Val(), nil
		}, time.Duration(-1)},
		{"WAIT without replicas", func() (any, error) { return c.Wait(ctx, 0, time.Second).Result() }, int64(0)},
	}
	for _, tt := range tests {
		if got, err := tt.got(); err != nil || got != tt.want {
			t.Errorf("%s: got %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
	if err := c.Do(ctx, "SET", "k", "v", "NX", "PX", 60000).Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("SET NX on a taken key: %v", err)
	}
	for _, bad := range [][]any{{"WAIT", 1}, {"WAIT", "one", 0}} {
		if err := c.Do(ctx, bad...).Err(); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestReplication(t *testing.T) {
	ctx := context.Background()
	primary, replica := startRedis(t), startRedis(t)
	p, r := dial(t, primary.Addr()), dial(t, replica.Addr())
	must(t, p.Set(ctx, "before", "1", time.Minute).Err())
	must(t, r.Set(ctx, "own", "1", 0).Err())
	primary.Replicate(replica)

	eventually(t, "the full copy", func() bool { return r.Get(ctx, "before").Val() == "1" })
	if n := r.Exists(ctx, "own").Val(); n != 0 {
		t.Error("a replica kept a key of its own")
	}
	if ttl := r.PTTL(ctx, "before").Val(); ttl <= 0 || ttl > time.Minute {
		t.Errorf("the copy has a TTL of %s", ttl)
	}
	must(t, p.Set(ctx, "k", "v", time.Minute).Err())
	eventually(t, "a write", func() bool { return r.Get(ctx, "k").Val() == "v" })
	must(t, p.Eval(ctx, `return redis.call("SET", "byscript", "v")`, nil).Err())
	eventually(t, "a write by a script", func() bool { return r.Get(ctx, "byscript").Val() == "v" })
	must(t, p.PExpire(ctx, "k", time.Hour).Err())
	eventually(t, "a renewal", func() bool { return r.PTTL(ctx, "k").Val() > time.Minute })
	must(t, p.Del(ctx, "k").Err())
	eventually(t, "a deletion", func() bool { return r.Exists(ctx, "k").Val() == 0 })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWaitCountsReplicas(t *testing.T) {
	ctx := context.Background()
	primary, one, two := startRedis(t), startRedis(t), startRedis(t)
	primary.Replicate(one)
	primary.Replicate(two)
	p := dial(t, primary.Addr())
	wait := func(n int, limit time.Duration) int64 {
		t.Helper()
		must(t, p.Incr(ctx, "k").Err())
		got, err := p.Wait(ctx, n, limit).Result()
		must(t, err)
		return got
	}
	if got := wait(2, 0); got != 2 {
		t.Errorf("%d replicas have it, want 2", got)
	}
	primary.Hold(one)
	if got := wait(1, 0); got != 1 {
		t.Errorf("%d replicas have it, want 1", got)
	}
	if got := wait(2, 30*time.Millisecond); got != 1 {
		t.Errorf("%d replicas have it once the limit is over, want 1", got)
	}
	primary.Hold(two)
	if got := wait(1, 30*time.Millisecond); got != 0 {
		t.Errorf("%d replicas have what none can receive", got)
	}
}

// What a lagging replica was not sent dies with the primary.
func TestPromotionOfALaggingReplica(t *testing.T) {
	ctx := context.Background()
	primary, lagging, third := startRedis(t), startRedis(t), startRedis(t)
	must(t, dial(t, primary.Addr()).Set(ctx, "old", "1", 0).Err())
	primary.Replicate(lagging)
	l := dial(t, lagging.Addr())
	eventually(t, "the full copy", func() bool { return l.Get(ctx, "old").Val() == "1" })
	primary.Hold(lagging)
	must(t, dial(t, primary.Addr()).Set(ctx, "lock", "A", time.Minute).Err())
	must(t, primary.Close())

	must(t, dial(t, third.Addr()).Set(ctx, "lock", "stale", 0).Err())
	lagging.Replicate(third)
	th := dial(t, third.Addr())
	eventually(t, "the new primary's copy", func() bool { return th.Get(ctx, "old").Val() == "1" && th.Exists(ctx, "lock").Val() == 0 })
	if ok, err := l.SetNX(ctx, "lock", "B", time.Minute).Result(); err != nil || !ok {
		t.Errorf("the promoted replica knows the lock: %t, %v", ok, err)
	}
}

func TestClosingRedisTwice(t *testing.T) {
	r := startRedis(t)
	must(t, r.Close())
	must(t, r.Close())
	if c, err := net.Dial("tcp", r.Addr()); err == nil {
		_ = c.Close()
		t.Error("a closed node answers")
	}
}

// A client in the middle of a WAIT does not keep its node from dying.
func TestClosingRedisInTheMiddleOfAWait(t *testing.T) {
	r := startRedis(t)
	c := dial(t, r.Addr())
	asked := make(chan error, 1)
	go func() { asked <- c.Wait(context.Background(), 1, 0).Err() }()
	eventually(t, "the client's connection", func() bool { return r.m.CurrentConnectionCount() > 0 })
	must(t, r.Close())
	if err := <-asked; err == nil {
		t.Error("the WAIT was answered although the node died")
	}
}

func BenchmarkStartRedis(b *testing.B) {
	for b.Loop() {
		r, err := StartRedis()
		if err != nil {
			b.Fatal(err)
		}
		_ = r.Close()
	}
}
