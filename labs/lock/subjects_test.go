package lock_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// realServers set means that a real server that cannot be started is a failure;
// otherwise its tests are skipped.
const realServers = "LOCKDRILL_REAL_SERVERS"

// found skips a test, or fails it, if a real server is not to be had.
func found(t *testing.T, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv(realServers) != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

type opener = func(t *testing.T) lock.Config

// as opens the same servers for another service.
func as(service string, open opener) opener {
	return func(t *testing.T) lock.Config {
		cfg := open(t)
		cfg.Service = service
		return cfg
	}
}

// with takes another number for the token.
func with(token string, open opener) opener {
	return func(t *testing.T) lock.Config {
		cfg := open(t)
		cfg.Token = token
		return cfg
	}
}

func openRedlock(t *testing.T) lock.Config {
	cfg := lock.Config{Service: "redlock", Prefix: "test/"}
	for range 5 {
		cfg.Endpoints = append(cfg.Endpoints, startRedis(t).Addr())
	}
	return cfg
}

func startRedisServer(t *testing.T) *server.RedisServer {
	t.Helper()
	path, err := server.FindRedis("redis-server")
	found(t, err)
	r, err := server.StartRedisServer(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, r.Close()) })
	return r
}

func openRedisServer(t *testing.T) lock.Config {
	return lock.Config{Service: "redis", Endpoints: []string{startRedisServer(t).Addr()}, Prefix: "test/"}
}

func openRedlockServers(t *testing.T) lock.Config {
	cfg := lock.Config{Service: "redlock", Prefix: "test/"}
	for range 5 {
		cfg.Endpoints = append(cfg.Endpoints, startRedisServer(t).Addr())
	}
	return cfg
}

// openEtcdServer runs the etcd program of this machine.
func openEtcdServer(t *testing.T) lock.Config {
	path, err := exec.LookPath("etcd")
	found(t, err)
	client, peer := "http://"+freeAddress(t), "http://"+freeAddress(t)
	cmd := exec.Command(path, "--data-dir", t.TempDir(), "--heartbeat-interval", "10", "--election-timeout", "100",
		"--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
		"--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	cfg := lock.Config{Service: "etcd", Endpoints: []string{strings.TrimPrefix(client, "http://")}, Prefix: "test/"}
	ctx, tick := bounded(t), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for lock.Probe(ctx, cfg) != nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("etcd did not start")
		}
	}
	return cfg
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func openZooKeeper(t *testing.T) lock.Config {
	found(t, server.FindZooKeeper())
	z, err := server.StartZooKeeper(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, z.Close()) })
	return lock.Config{Service: "zookeeper", Endpoints: []string{z.Addr()}, Prefix: "test/"}
}
