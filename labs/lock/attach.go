package lock

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// RedisAt reads the addresses of running Redis servers, separated by commas:
// HOST:PORT, or a URL, redis:// or rediss://, with user and password in it, as
// redis-cli -u takes it. User and password must be the same for all.
func RedisAt(text string) (Config, error) {
	var c Config
	for _, addr := range strings.Split(text, ",") {
		if !strings.Contains(addr, "://") {
			addr = "redis://" + addr
		}
		o, err := redis.ParseURL(addr)
		if err != nil {
			return Config{}, fmt.Errorf("%q is no address of a Redis: %w; as in 127.0.0.1:6379 or rediss://user:password@host:6379", hidden(addr), scrubbed(err))
		}
		if o.Network != "tcp" {
			return Config{}, fmt.Errorf("%q is no TCP address: as in 127.0.0.1:6379", hidden(addr))
		}
		c.Endpoints = append(c.Endpoints, o.Addr)
		c.User, c.Password, c.DB = o.Username, o.Password, o.DB
		if o.TLSConfig != nil {
			c.TLS = &TLS{}
		}
	}
	return c, nil
}

// EtcdAt reads the endpoints of a running etcd, separated by commas: HOST:PORT,
// http:// or https://, as etcdctl --endpoints takes them.
func EtcdAt(text string) (Config, error) {
	return hostsAt(text, "an etcd server", "127.0.0.1:2379", "http", "https")
}

// ZooKeeperAt reads the servers of a running ZooKeeper, separated by commas:
// HOST:PORT, as zkCli.sh -server takes them.
func ZooKeeperAt(text string) (Config, error) {
	return hostsAt(text, "a ZooKeeper server", "127.0.0.1:2181")
}

func hostsAt(text, what, example string, schemes ...string) (Config, error) {
	var c Config
	for _, addr := range strings.Split(text, ",") {
		wrong := fmt.Errorf("%q is no address of %s: as in %s", hidden(addr), what, example)
		if scheme, host, ok := strings.Cut(addr, "://"); ok {
			if len(schemes) == 0 || (scheme != schemes[0] && scheme != schemes[1]) {
				return Config{}, wrong
			}
			if scheme == "https" {
				c.TLS = &TLS{}
			}
			addr = strings.TrimSuffix(host, "/")
		}
		if host, port, err := net.SplitHostPort(addr); err != nil || host == "" || port == "" || strings.ContainsAny(addr, "/@?") {
			return Config{}, wrong
		}
		c.Endpoints = append(c.Endpoints, addr)
	}
	return c, nil
}

// hidden is an address without its password.
func hidden(addr string) string {
	if u, err := url.Parse(addr); err == nil {
		return u.Redacted()
	}
	if at := strings.LastIndex(addr, "@"); at >= 0 {
		return "…" + addr[at:]
	}
	return addr
}

// scrubbed is an error of reading a URL without the URL, which holds a password.
func scrubbed(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// probe is the resource that Probe takes and gives back.
const probe = "probe"

// Probe takes and gives back a lock of its own, and so finds out whether a
// running server can be used.
func Probe(ctx context.Context, c Config) error {
	err := c.answers(ctx)
	if err == nil {
		err = c.works(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s at %s cannot be used: %w%s", c.Service, strings.Join(c.Endpoints, ","), err, hint(err))
	}
	return nil
}

// answers says whether any of the addresses takes connections. The clients by
// themselves try until their time is up, and some do not say why.
func (c Config) answers(ctx context.Context) error {
	secure, err := c.TLS.config()
	if err != nil {
		return err
	}
	for _, addr := range c.Endpoints {
		if err = greet(ctx, addr, secure); err == nil {
			return nil
		}
	}
	return err
}

// alertWithin is how long a server may take to say that it does not like a
// client's certificate: with TLS 1.3 it does so after the handshake.
const alertWithin = 100 * time.Millisecond

func greet(ctx context.Context, addr string, secure *tls.Config) error {
	d := net.Dialer{Timeout: 2 * time.Second}
	if secure == nil {
		conn, err := d.DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	conn, err := (&tls.Dialer{NetDialer: &d, Config: secure}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(alertWithin)); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil // it waits for a request
	}
	return err
}

func (c Config) works(ctx context.Context) error {
	svc, err := Open(c)
	if err != nil {
		return err
	}
	l, err := svc.TryAcquire(ctx, probe, 10*time.Second)
	if err == nil {
		err = svc.Release(ctx, l)
	}
	return errors.Join(err, svc.Close())
}

// hints say what to do about an answer that a server is known for.
var hints = []struct{ in, do string }{
	{"connection refused", "is it running, and is that its address?"},
	{"no such host", "is that its name?"},
	{"READONLY", "it is a replica, which takes no writes: name its primary"},
	{"WRONGPASS", "put the right user and password into the URL, redis://USER:PASSWORD@HOST:PORT"},
	{"NOAUTH", "put user and password into the URL, redis://USER:PASSWORD@HOST:PORT"},
	{"NOPERM", "this user may not do that: name one that may write keys under lockdrill/"},
	{"user name is empty", "it wants a user: --user NAME:PASSWORD"},
	{"authentication failed", "is that the right user and password?"},
	{"permission denied", "this user may not write under lockdrill/"},
	{"first record does not look like a TLS handshake", "it speaks no TLS: leave the s out of the scheme"},
	{"certificate", "name the authority's certificate with --cacert, and your own with --cert and --key if it wants one"},
	{"EOF", "does it want TLS? Then rediss:// or https://"},
	{"deadline exceeded", "it did not answer: is that its address, does it want TLS, and has it a leader?"},
}

func hint(err error) string {
	for _, h := range hints {
		if strings.Contains(err.Error(), h.in) {
			return "; " + h.do
		}
	}
	return ""
}

// Sweep removes every key under the prefix. It goes on trying until ctx ends, and
// then says which keys are left and how to remove them.
func Sweep(ctx context.Context, c Config) error {
	how := map[string]func(context.Context, Config) error{"etcd": sweepEtcd, "zookeeper": sweepZooKeeper}[c.Service]
	if how == nil {
		how = sweepRedis
	}
	for {
		err := how(ctx, c)
		if err == nil {
			return nil
		}
		if pause(ctx, sweepEvery) != nil {
			return fmt.Errorf("keys under %s may be left on %s: %w; remove them with %s", c.Prefix, strings.Join(c.Endpoints, ","), err, c.sweeper())
		}
	}
}

const sweepEvery = 200 * time.Millisecond

// sweeper is the command that removes the keys by hand.
func (c Config) sweeper() string {
	switch c.Service {
	case "etcd":
		return "etcdctl del --prefix " + c.Prefix
	case "zookeeper":
		return "zkCli.sh deleteall /" + strings.TrimSuffix(c.Prefix, "/")
	}
	return fmt.Sprintf("redis-cli --scan --pattern '%s*' | xargs redis-cli del", c.Prefix)
}

func sweepRedis(ctx context.Context, c Config) error {
	for _, addr := range c.Endpoints {
		rdb, err := redisClient(c, addr, redisWire{})
		if err != nil {
			return err
		}
		keys := rdb.Scan(ctx, 0, c.Prefix+"*", 100).Iterator()
		for keys.Next(ctx) {
			if err = rdb.Del(ctx, keys.Val()).Err(); err != nil {
				break
			}
		}
		if err := errors.Join(err, keys.Err(), rdb.Close()); err != nil {
			return err
		}
	}
	return nil
}

func sweepEtcd(ctx context.Context, c Config) error {
	svc, err := openEtcd(c)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err = svc.cl.Delete(within, c.Prefix, clientv3.WithPrefix())
	return errors.Join(err, svc.Close())
}
