package labs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// foreign is a server that the lab did not start, and how to count what is left
// on it.
type foreign struct {
	service string
	at      func(t *testing.T) Servers
	left    func(ctx context.Context, addr string) (int64, error)
}

func foreigners() []foreign {
	return []foreign{
		{"redis", foreignRedis, keysOfRedis}, {"redis-incr", foreignRedis, keysOfRedis},
		{"etcd", foreignEtcd, keysOfEtcd}, {"zookeeper", foreignZooKeeper, nodesOfZooKeeper},
	}
}

func keysOfRedis(ctx context.Context, addr string) (int64, error) {
	c := redis.NewClient(&redis.Options{Addr: addr})
	defer c.Close()
	return c.DBSize(ctx).Result()
}

func keysOfEtcd(ctx context.Context, addr string) (int64, error) {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{addr}, Logger: zap.NewNop()})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	all, err := c.Get(ctx, "", clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return all.Count, nil
}

// nodesOfZooKeeper leaves out the one that is always there.
func nodesOfZooKeeper(_ context.Context, addr string) (int64, error) {
	c, _, err := zk.Connect([]string{addr}, 10*time.Second, zk.WithLogInfo(false))
	if err != nil {
		return 0, err
	}
	defer c.Close()
	top, _, err := c.Children("/")
	return int64(len(top) - 1), err
}

func startRedisServer(t *testing.T) *server.RedisServer {
	t.Helper()
	path, err := server.FindRedis("redis-server")
	realOrSkip(t, err)
	r, err := server.StartRedisServer(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func foreignRedis(t *testing.T) Servers {
	return Servers{Redis: &lock.Config{Endpoints: []string{startRedisServer(t).Addr()}}}
}

func foreignEtcd(t *testing.T) Servers {
	e, err := server.StartEtcd(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return Servers{Etcd: &lock.Config{Endpoints: e.Endpoints()}}
}

func foreignZooKeeper(t *testing.T) Servers {
	realOrSkip(t, server.FindZooKeeper())
	z, err := server.StartZooKeeper(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = z.Close() })
	return Servers{ZooKeeper: &lock.Config{Endpoints: []string{z.Addr()}}}
}

// A story on a foreign server ends as on our own, and leaves nothing behind.
func TestStoriesOnForeignServers(t *testing.T) {
	for _, f := range foreigners() {
		t.Run(f.service, func(t *testing.T) {
			t.Parallel()
			servers := f.at(t)
			r := run(t, "pause", Options{Service: f.service, Store: Fenced, Servers: servers})
			want := map[bool]string{true: "landed", false: "fenced"}[f.service == "redis"]
			if r.Verdict.LateWrite != want || len(r.Simulated) > 0 {
				t.Errorf("late write %s, simulated %q", r.Verdict.LateWrite, r.Simulated)
				logEvents(t, r.Events)
			}
			at, _ := servers.at(f.service)
			if n, err := f.left(t.Context(), at.Endpoints[0]); err != nil || n > 0 {
				t.Errorf("%d left behind, %v", n, err)
			}
		})
	}
}

func TestForeignServersAreLeftAlone(t *testing.T) {
	st, err := newAttachedSite(t.Context(), "lockdrill/test/", Options{Service: "redis"}, *foreignRedis(t).Redis)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"kill redis", "restart redis", "promote redis", "lag redis", "cut redis", "jump redis 9s"} {
		if _, err := st.operate(t.Context(), mustParse([]string{line})[0]); err == nil || !strings.Contains(err.Error(), "did not start") {
			t.Errorf("%s: %v", line, err)
		}
	}
	if err := st.close(); err != nil {
		t.Error(err)
	}
}

func TestServersThatDoNotFit(t *testing.T) {
	at := &lock.Config{Endpoints: []string{"127.0.0.1:1"}}
	three := &lock.Config{Endpoints: []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"}}
	tests := []struct {
		lab  string
		o    Options
		want string // "" = it fits
	}{
		{"pause", Options{Service: "redis", Servers: Servers{Redis: at}}, ""},
		{"pause", Options{Service: "redlock", Servers: Servers{Redis: three}}, ""},
		{"pause", Options{Service: "redis", Servers: Servers{Etcd: at}}, "--etcd means nothing to service redis"},
		{"pause", Options{Service: "etcd", Servers: Servers{RedisServer: "redis-server"}}, "--redis-server means nothing"},
		{"pause", Options{Service: "redis", Servers: Servers{Redis: at, RedisServer: "redis-server"}}, "choose"},
		{"pause", Options{Service: "redis", Servers: Servers{Redis: three}}, "runs on one Redis"},
		{"pause", Options{Service: "redlock", Servers: Servers{Redis: at}}, "three nodes or more"},
		{"failover", Options{Service: "redis", Servers: Servers{Redis: at}}, "leave --redis out"},
		{"failover", Options{Service: "etcd", Servers: Servers{Etcd: three}}, "leave --etcd out"},
		{"pause", Options{Service: "etcd", Values: map[string]string{flagToken: "lease-id"}, Servers: Servers{Etcd: three}}, "leave --etcd out"},
		{"pause", Options{Service: "zookeeper", Values: map[string]string{flagToken: "sequence"}, Servers: Servers{ZooKeeper: at}}, "leave --zookeeper out"},
	}
	for _, tt := range tests {
		l, err := Named(tt.lab)
		if err == nil {
			_, err = l.Fill(tt.o)
		}
		var usage UsageError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s on %+v: %v", tt.lab, tt.o.Servers, err)
		case tt.want != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s on %+v: got %v, want %q", tt.lab, tt.o.Servers, err, tt.want)
		}
	}
}

// What cannot be used says why, and what to do, before anything is started on it.
func TestForeignServersThatCannotBeUsed(t *testing.T) {
	primary, replica := startRedisServer(t), startRedisServer(t)
	if err := replica.Follow(t.Context(), primary); err != nil {
		t.Fatal(err)
	}
	guarded := startRedisServer(t)
	admin := redis.NewClient(&redis.Options{Addr: guarded.Addr()})
	t.Cleanup(func() { _ = admin.Close() })
	if err := admin.ConfigSet(t.Context(), "requirepass", "right").Err(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		at   lock.Config
		want string
	}{
		{"nobody there", lock.Config{Endpoints: []string{"127.0.0.1:1"}}, "is it running"},
		{"a replica", lock.Config{Endpoints: []string{replica.Addr()}}, "name its primary"},
		{"no password", lock.Config{Endpoints: []string{guarded.Addr()}}, "redis://USER:PASSWORD@HOST"},
		{"a wrong one", lock.Config{Endpoints: []string{guarded.Addr()}, Password: "wrong"}, "redis://USER:PASSWORD@HOST"},
		{"no TLS there", lock.Config{Endpoints: []string{primary.Addr()}, TLS: &lock.TLS{}}, "TLS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newAttachedSite(t.Context(), "lockdrill/test/", Options{Service: "redis"}, tt.at)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	_, err := newAttachedSite(t.Context(), "lockdrill/test/", Options{Service: "redis"},
		lock.Config{Endpoints: []string{guarded.Addr()}, Password: "right"})
	if err != nil {
		t.Errorf("with the right password: %v", err)
	}
}

// Keys that cannot be removed are named, with the command that removes them.
func TestKeysThatAreLeftAreNamed(t *testing.T) {
	r := startRedisServer(t)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := lock.Sweep(ctx, lock.Config{Service: "redis", Endpoints: []string{r.Addr()}, Prefix: "lockdrill/test/"})
	if err == nil || !strings.Contains(err.Error(), "redis-cli") || !strings.Contains(err.Error(), "lockdrill/test/") {
		t.Errorf("got %v", err)
	}
}
