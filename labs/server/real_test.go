package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// realOrSkip skips a test, or fails it where real servers must be there, if one
// is not to be had.
func realOrSkip(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("LOCKDRILL_REAL_SERVERS") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

func startReal(t testing.TB) *RedisServer {
	t.Helper()
	path, err := FindRedis("redis-server")
	realOrSkip(t, err)
	r, err := StartRedisServer(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// kinds are the two kinds of Redis node: they do the same.
func kinds() map[string]func(t *testing.T) Node {
	return map[string]func(t *testing.T) Node{
		"in process": func(t *testing.T) Node { return startRedis(t) },
		"real":       func(t *testing.T) Node { return startReal(t) },
	}
}

func get(c *redis.Client, key string) string { return c.Get(context.Background(), key).Val() }

// What a replica that lags has not got dies with its primary, and it can lead all
// the same.
func TestNodesThatFollow(t *testing.T) {
	for name, start := range kinds() {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			primary, replica, other := start(t), start(t), start(t)
			must(t, replica.Follow(ctx, primary))
			must(t, other.Follow(ctx, primary))
			p, r := dial(t, primary.Addr()), dial(t, replica.Addr())
			must(t, p.Set(ctx, "sent", "1", time.Minute).Err())
			eventually(t, "the key on the replica", func() bool { return get(r, "sent") == "1" })
			must(t, replica.Lag())
			must(t, p.Set(ctx, "unsent", "1", time.Minute).Err())
			eventually(t, "the key on the other", func() bool { return get(dial(t, other.Addr()), "unsent") == "1" })
			if n := p.Wait(ctx, 2, 50*time.Millisecond).Val(); n != 1 {
				t.Errorf("%d replicas acknowledged", n)
			}
			must(t, primary.Kill())
			must(t, replica.Lead(ctx))
			must(t, other.Follow(ctx, replica))
			must(t, r.Set(ctx, "new", "1", time.Minute).Err())
			eventually(t, "the new key on the other", func() bool { return get(dial(t, other.Addr()), "new") == "1" })
			if get(r, "sent") != "1" || get(r, "unsent") != "" || get(dial(t, other.Addr()), "unsent") != "" {
				t.Errorf("the new primary has %q and %q", get(r, "sent"), get(r, "unsent"))
			}
		})
	}
}

func TestNodesThatRestart(t *testing.T) {
	for name, start := range kinds() {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			n := start(t)
			must(t, dial(t, n.Addr()).Set(ctx, "k", "1", time.Minute).Err())
			must(t, n.Restart(ctx))
			if v := get(dial(t, n.Addr()), "k"); v != "" {
				t.Errorf("restarted, it still has %q", v)
			}
			must(t, n.Kill())
			if err := dial(t, n.Addr()).Ping(ctx).Err(); err == nil {
				t.Error("a killed node answers")
			}
			must(t, n.Restart(ctx))
			must(t, dial(t, n.Addr()).Ping(ctx).Err())
			must(t, n.Close())
			must(t, n.Close())
		})
	}
}

func TestNodesWithoutAPrimary(t *testing.T) {
	for name, start := range kinds() {
		if err := start(t).Lag(); err == nil {
			t.Errorf("%s: a node that follows nobody lags", name)
		}
	}
	if err := startRedis(t).Follow(t.Context(), startReal(t)); err == nil {
		t.Error("one in this process follows a real one")
	}
}

func TestClocks(t *testing.T) {
	ctx, r := t.Context(), startRedis(t)
	c := dial(t, r.Addr())
	must(t, c.Set(ctx, "k", "1", 10*time.Second).Err())
	must(t, r.Jump(9*time.Second))
	if left := c.PTTL(ctx, "k").Val(); left > time.Second || left <= 0 {
		t.Errorf("%s left", left)
	}
	if err := startReal(t).Jump(time.Second); !errors.Is(err, ErrNoJump) {
		t.Errorf("got %v", err)
	}
}

// program is a script that says something and ends.
func program(t *testing.T, name, says string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho starting\necho '"+says+"'\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// A server that does not start is shown with its own last line.
func TestServersThatDoNotStart(t *testing.T) {
	_, err := StartRedisServer(t.Context(), program(t, "redis-server", "Fatal: no memory"))
	if err == nil || !strings.Contains(err.Error(), "Fatal: no memory") {
		t.Errorf("redis: %v", err)
	}
	_, err = StartRedisServer(t.Context(), filepath.Join(t.TempDir(), "none"))
	if err == nil || !strings.Contains(err.Error(), "--redis-server=PATH") {
		t.Errorf("redis: %v", err)
	}
	realOrSkip(t, FindZooKeeper())
	t.Setenv("PATH", filepath.Dir(program(t, "java", "Invalid heap size"))+":/bin:/usr/bin")
	if _, err = StartZooKeeper(t.Context()); err == nil || !strings.Contains(err.Error(), "Invalid heap size") {
		t.Errorf("zookeeper: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err = StartZooKeeper(t.Context()); !errors.Is(err, ErrNoZooKeeper) {
		t.Errorf("without java: %v", err)
	}
}

func TestZooKeeperStartsAndEnds(t *testing.T) {
	realOrSkip(t, FindZooKeeper())
	z, err := StartZooKeeper(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := z.dir.Path
	if !z.serves(t.Context()) {
		t.Error("it does not serve")
	}
	must(t, z.Close())
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its directory is left: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := StartZooKeeper(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that was called off: %v", err)
	}
}

// A member that is cut off has no say in who leads, and learns it when mended.
func TestEtcdMembersThatAreCutOff(t *testing.T) {
	e, err := StartEtcd(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	eventually(t, "a leader", func() bool { return e.Leader() != "" })
	first := e.Leader()
	must(t, e.Cut(first))
	if e.Reachable() != 2 || !e.IsCut(first) {
		t.Errorf("%d reachable", e.Reachable())
	}
	eventually(t, "another leader", func() bool { l := e.Leader(); return l != "" && l != first })
	must(t, e.Mend(first))
	eventually(t, "all agree", func() bool { return e.Leader() != "" })
	if e.Reachable() != 3 || e.IsCut(first) {
		t.Errorf("%d reachable", e.Reachable())
	}
	if err := e.Cut("etcd-9"); err == nil {
		t.Error("a member that is not there was cut off")
	}
}

// A link that is held keeps what the server sends; it flows later, or is lost.
func TestAHeldLink(t *testing.T) {
	ctx, r := t.Context(), startRedis(t)
	k, err := NewLink(r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	c := dial(t, k.Addr())
	must(t, c.Ping(ctx).Err())
	k.Hold()
	got := make(chan error, 1)
	go func() { got <- c.Set(ctx, "k", "1", 0).Err() }()
	eventually(t, "the request at the server", func() bool { return r.m.Exists("k") })
	select {
	case err := <-got:
		t.Fatalf("the reply came through: %v", err)
	default:
	}
	k.Flow()
	must(t, <-got)
	k.Hold()
	go func() { got <- c.Set(ctx, "k", "2", 0).Err() }()
	eventually(t, "the second request", func() bool { v, _ := r.m.Get("k"); return v == "2" })
	k.Cut()
	if err := <-got; err == nil {
		t.Error("a reply that was held came through a cut link")
	}
}

func BenchmarkStartRedisServer(b *testing.B) {
	path, err := FindRedis("redis-server")
	realOrSkip(b, err)
	for b.Loop() {
		r, err := StartRedisServer(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		_ = r.Close()
	}
}

func BenchmarkFirstCopyOfAReplica(b *testing.B) {
	primary, replica := startReal(b), startReal(b)
	for b.Loop() {
		if err := replica.Follow(b.Context(), primary); err != nil {
			b.Fatal(err)
		}
		if err := replica.Lead(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStartZooKeeper(b *testing.B) {
	realOrSkip(b, FindZooKeeper())
	for b.Loop() {
		z, err := StartZooKeeper(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		_ = z.Close()
	}
}
