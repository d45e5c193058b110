package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisWithin bounds the start of a redis-server and a replica's first copy.
const redisWithin = 20 * time.Second

// RedisServer is a real redis-server that runs beside this process.
type RedisServer struct {
	path string
	dir  *TempDir
	port int
	p    *process
	ask  *redis.Client
	from *Link // the way from its primary; nil = it follows none

	closed bool
}

// FindRedis says whether a redis-server is there to be run, and where.
func FindRedis(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("no redis-server to be run at %s: apt-get install redis-server, or name one with --redis-server=PATH", path)
	}
	return found, nil
}

// StartRedisServer starts an empty node, without persistence, on a free loopback
// port. The path may be a name to be looked for.
func StartRedisServer(ctx context.Context, path string) (*RedisServer, error) {
	found, err := FindRedis(path)
	if err != nil {
		return nil, err
	}
	for range 3 {
		var r *RedisServer
		if r, err = tryStartRedisServer(ctx, found); !errors.Is(err, errEndedEarly) {
			return r, err
		}
	}
	return nil, err
}

func tryStartRedisServer(ctx context.Context, path string) (*RedisServer, error) {
	dir, err := NewTempDir()
	if err != nil {
		return nil, fmt.Errorf("redis-server: %w", err)
	}
	r := &RedisServer{path: path, dir: dir}
	if r.port, err = freePort(); err == nil {
		r.ask = redis.NewClient(&redis.Options{Addr: r.Addr(), MaxRetries: -1, DialerRetries: 1, Protocol: 2, DisableIdentity: true, PoolSize: 1})
		err = r.launch(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *RedisServer) launch(ctx context.Context) (err error) {
	r.p, err = run("redis-server", r.path, "--port", strconv.Itoa(r.port), "--bind", "127.0.0.1", "--dir", r.dir.Path,
		"--save", "", "--appendonly", "no", "--hz", "100", "--loglevel", "warning",
		"--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0", "--repl-diskless-load", "on-empty-db")
	if err != nil {
		return err
	}
	return ready(ctx, r.p, redisWithin, r.serves)
}

// serves dials by itself first: after a failed dial the client library would not
// try again for a second.
func (r *RedisServer) serves(ctx context.Context) bool {
	c, err := net.Dial("tcp", r.Addr())
	if err != nil {
		return false
	}
	_ = c.Close()
	return r.ask.Ping(ctx).Err() == nil
}

// Addr is host:port.
func (r *RedisServer) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)) }

// Kill ends the node as a crash does. What it had not sent to a replica, and what
// is still on its way, is lost.
func (r *RedisServer) Kill() error {
	if r.p != nil {
		r.p.kill()
	}
	return r.stopFollowing()
}

// Close ends the node for good. Closing it again does nothing.
func (r *RedisServer) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	errs := []error{r.Kill(), r.dir.Remove()}
	if r.ask != nil {
		errs = append(errs, r.ask.Close())
	}
	return errors.Join(errs...)
}

// Follow makes the node a replica of a primary, through a link of its own, and
// waits for its first copy.
func (r *RedisServer) Follow(ctx context.Context, primary Node) error {
	if err := r.stopFollowing(); err != nil {
		return err
	}
	k, err := NewLink(primary.Addr())
	if err != nil {
		return err
	}
	r.from = k
	host, port, err := net.SplitHostPort(k.Addr())
	if err != nil {
		return err
	}
	if err := r.ask.Do(ctx, "REPLICAOF", host, port).Err(); err != nil {
		return fmt.Errorf("REPLICAOF: %w", err)
	}
	return ready(ctx, r.p, redisWithin, func(ctx context.Context) bool {
		info, err := r.ask.Info(ctx, "replication").Result()
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
}

func (r *RedisServer) stopFollowing() error {
	if r.from == nil {
		return nil
	}
	k := r.from
	r.from = nil
	return k.Close()
}

// Lag stops what its primary sends; it stays on the way until the node leads, or
// the primary dies.
func (r *RedisServer) Lag() error {
	if r.from == nil {
		return errors.New("it follows no primary")
	}
	r.from.Hold()
	return nil
}

// Lead makes the node follow nobody.
func (r *RedisServer) Lead(ctx context.Context) error {
	if err := r.stopFollowing(); err != nil {
		return err
	}
	if err := r.ask.Do(ctx, "REPLICAOF", "NO", "ONE").Err(); err != nil {
		return fmt.Errorf("REPLICAOF NO ONE: %w", err)
	}
	return nil
}

// ErrNoJump explains why a real server's clock stays as it is.
var ErrNoJump = errors.New("a real redis-server goes by the machine's clock, which the lab does not touch: leave --redis-server out for this")

// Jump is refused with ErrNoJump.
func (r *RedisServer) Jump(time.Duration) error { return ErrNoJump }

// Restart ends the node and starts it again at the same address, with nothing in
// it.
func (r *RedisServer) Restart(ctx context.Context) error {
	r.p.kill()
	return r.launch(ctx)
}
