package lock_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// familyE are mistakes that cost users of lock clients their mutual exclusion:
// what every service must do about each. The numbers are those of the cases.
var familyE = []struct {
	name string
	test func(t *testing.T, s subject, cfg lock.Config)
}{
	{"E7 a grant that was not heard of has an end", testE7},
	{"E10 each grant of a shared handle has its own owner", testE10},
	{"E13 a lock is never without its end", testE13},
	{"E14 the lock is no data key", testE14},
	{"E18 the same name is no proof", testE18},
}

func TestFamilyE(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			cfg := s.open(t)
			for i, c := range familyE {
				t.Run(c.name, func(t *testing.T) {
					own := cfg
					own.Prefix += string(rune('a'+i)) + "/"
					c.test(t, s, own)
				})
			}
		})
	}
}

func rawRedis(t *testing.T, cfg lock.Config) []*redis.Client {
	t.Helper()
	var all []*redis.Client
	for _, addr := range cfg.Endpoints {
		raw := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, DisableIdentity: true})
		t.Cleanup(func() { closed(t, raw.Close()) })
		all = append(all, raw)
	}
	return all
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func rawZooKeeper(t *testing.T, cfg lock.Config) *zk.Conn {
	t.Helper()
	raw, _, err := zk.Connect(cfg.Endpoints, 10*time.Second, zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(raw.Close)
	return raw
}

// must fails the test at once.
func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// testE7: the service granted, the client gave up before it heard. Nobody is
// left to renew or release, so the lock must go by itself.
func testE7(t *testing.T, s subject, cfg lock.Config) {
	over := cfg
	over.Endpoints = nil
	var links []*muteLink
	for _, to := range cfg.Endpoints {
		k := newMuteLink(t, to)
		links, over.Endpoints = append(links, k), append(over.Endpoints, k.addr())
	}
	mute := func() {
		for _, k := range links {
			k.mute()
		}
	}
	direct, deaf := client(t, cfg), client(t, over)
	_, err := deaf.Holder(bounded(t), job) // connect
	wants(t, "holder", err, lock.ErrFree)
	if line, ok := direct.(inLine); ok {
		err = grantedInLine(t, direct, deaf, line, mute)
	} else {
		mute()
		ctx, cancel := context.WithTimeout(bounded(t), 100*time.Millisecond)
		defer cancel()
		_, err = deaf.TryAcquire(ctx, job, s.ttl)
	}
	if err == nil || errors.Is(err, lock.ErrHeld) {
		t.Errorf("the acquire that heard nothing ended with %v", err)
	}
	untilFree(t, direct)
	acquired(t, direct, time.Minute)
}

// grantedInLine lets a waiter's turn come while it hears nothing, and gives the
// wait up after that.
func grantedInLine(t *testing.T, holder, waiter lock.Service, line inLine, mute func()) error {
	t.Helper()
	l := acquired(t, holder, time.Minute)
	ctx, cancel := context.WithCancel(bounded(t))
	defer cancel()
	got := make(chan error, 1)
	go func() {
		_, err := waiter.Acquire(ctx, job, 3*time.Second)
		got <- err
	}()
	untilInLine(t, line, 2)
	mute()
	must(t, "release", holder.Release(ctx, l))
	owner, err := holder.Holder(ctx, job)
	if wants(t, "holder", err, nil); owner == l.Owner {
		t.Errorf("%s holds what it released", owner)
	}
	cancel()
	return <-got
}

func untilInLine(t *testing.T, line inLine, n int) {
	t.Helper()
	ctx, tick := bounded(t), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for {
		have, err := line.InLine(ctx, job)
		must(t, "line", err)
		if have == n {
			return
		}
		<-tick.C
	}
}

// testE10: many goroutines share one handle. The handle is not the lock.
func testE10(t *testing.T, s subject, cfg lock.Config) {
	const goroutines, each = 3, 3
	svc, ctx := client(t, cfg), bounded(t)
	var inside atomic.Int64
	var mu sync.Mutex
	owners := map[string]bool{}
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range each {
				l, err := svc.Acquire(ctx, job, time.Minute)
				if err != nil {
					t.Errorf("acquire: %v", err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d inside", n)
				}
				mu.Lock()
				owners[l.Owner] = true
				mu.Unlock()
				inside.Add(-1)
				wants(t, "release", svc.Release(ctx, l), nil)
			}
		})
	}
	all.Wait()
	if len(owners) != goroutines*each {
		t.Errorf("%d grants had %d owners", goroutines*each, len(owners))
	}
	testOverwritten(t, svc)
}

// testOverwritten: the first grant's release over the same handle is refused
// once the handle has a second.
func testOverwritten(t *testing.T, svc lock.Service) {
	t.Helper()
	ctx := bounded(t)
	first := acquired(t, svc, time.Minute)
	wants(t, "release", svc.Release(ctx, first), nil)
	second := acquired(t, svc, time.Minute)
	wants(t, "release of the first grant", svc.Release(ctx, first), lock.ErrNotHeld)
	_, err := svc.Renew(ctx, second)
	wants(t, "renewal of the second", err, nil)
}

// testE13: a crash between taking the lock and giving it an end would leave it
// for ever. So there is no between.
func testE13(t *testing.T, s subject, cfg lock.Config) {
	switch cfg.Service {
	case "etcd":
		testBornWithLease(t, cfg)
	case "zookeeper":
		l := acquired(t, client(t, cfg), time.Minute)
		_, stat, err := rawZooKeeper(t, cfg).Exists(l.Owner)
		if must(t, "stat", err); stat.EphemeralOwner != l.Session {
			t.Errorf("the node belongs to session %x, want %x", stat.EphemeralOwner, l.Session)
		}
	default:
		testOneCommand(t, cfg)
		testAlwaysExpires(t, cfg)
	}
}

// testBornWithLease reads every change of the keys: each key had a lease when it
// was put.
func testBornWithLease(t *testing.T, cfg lock.Config) {
	svc, ctx, puts := client(t, cfg), bounded(t), 0
	l := acquired(t, svc, time.Minute)
	_, err := svc.Renew(ctx, l)
	wants(t, "renew", err, nil)
	wants(t, "release", svc.Release(ctx, l), nil)
	for reply := range rawEtcd(t, cfg).Watch(ctx, cfg.Prefix, clientv3.WithPrefix(), clientv3.WithRev(1)) {
		must(t, "watch", reply.Err())
		for _, e := range reply.Events {
			if e.Type == clientv3.EventTypeDelete && puts > 0 {
				return
			}
			if puts++; e.Kv.Lease == 0 {
				t.Errorf("%s was put without a lease", e.Kv.Key)
			}
		}
	}
	t.Error("no key was put and deleted")
}

var (
	sets    = regexp.MustCompile(`(?i)\bset\b`)
	ends    = regexp.MustCompile(`(?i)\bpx\b`)
	ifFree  = regexp.MustCompile(`(?i)\bnx\b`)
	expires = regexp.MustCompile(`(?i)p?expire`)
)

// testOneCommand: the wire of a grant is one command for each node.
func testOneCommand(t *testing.T, cfg lock.Config) {
	var wire []lock.Exchange
	svc := client(t, cfg)
	// No whole number of seconds, which would go as EX.
	l, err := svc.TryAcquire(lock.Recorded(bounded(t), &wire), job, time.Minute+time.Millisecond)
	must(t, "acquire", err)
	if len(wire) != len(cfg.Endpoints) {
		t.Errorf("%d commands to %d nodes: %v", len(wire), len(cfg.Endpoints), wire)
	}
	for _, x := range wire {
		if len(sets.FindAllString(x.Request, -1)) != 1 || !ends.MatchString(x.Request) || !ifFree.MatchString(x.Request) || expires.MatchString(x.Request) {
			t.Errorf("not one SET with PX and NX: %s", x.Request)
		}
	}
	wants(t, "release", svc.Release(bounded(t), l), nil)
}

// testAlwaysExpires looks at the key all the time while it comes, is renewed and
// goes.
func testAlwaysExpires(t *testing.T, cfg lock.Config) {
	const none = -1 // what PTTL says of a key that has no end
	raw, svc, ctx := rawRedis(t, cfg), client(t, cfg), bounded(t)
	look := func() (left time.Duration) {
		for _, rdb := range raw {
			d, err := rdb.PTTL(ctx, cfg.Prefix+job).Result()
			if err != nil || d == none {
				t.Errorf("the key has no end: %v, %v", d, err)
			}
			left = max(left, d)
		}
		return left
	}
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			look()
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for range 20 {
		l := acquired(t, svc, time.Minute)
		_, err := svc.Renew(ctx, l)
		wants(t, "renew", err, nil)
		if left := look(); left <= 0 || left > time.Minute {
			t.Errorf("%s left of a minute", left)
		}
		wants(t, "release", svc.Release(ctx, l), nil)
	}
	close(done)
	watching.Wait()
}

// testE14: who writes the resource's own key does not touch the lock.
func testE14(t *testing.T, s subject, cfg lock.Config) {
	svc, ctx := client(t, cfg), bounded(t)
	l := acquired(t, svc, time.Minute)
	for _, key := range writeData(t, cfg) {
		if key != job && !strings.HasPrefix(key, "test/") {
			t.Errorf("%s stands outside the prefix", key)
		}
	}
	owner, err := svc.Holder(ctx, job)
	if wants(t, "holder", err, nil); owner != l.Owner {
		t.Errorf("holder is %q, want %q", owner, l.Owner)
	}
	_, err = svc.Renew(ctx, l)
	wants(t, "renew", err, nil)
	wants(t, "release", svc.Release(ctx, l), nil)
	if keys := writeData(t, cfg); len(keys) == 0 {
		t.Error("the data went with the lock")
	}
}

// writeData writes the key that the resource is named after, and returns the
// keys of the server, as paths without a slash before them.
func writeData(t *testing.T, cfg lock.Config) (keys []string) {
	t.Helper()
	ctx := bounded(t)
	switch cfg.Service {
	case "etcd":
		raw := rawEtcd(t, cfg)
		_, err := raw.Put(ctx, job, "data")
		must(t, "put", err)
		all, err := raw.Get(ctx, "", clientv3.WithPrefix(), clientv3.WithKeysOnly())
		must(t, "get", err)
		for _, kv := range all.Kvs {
			keys = append(keys, string(kv.Key))
		}
	case "zookeeper":
		raw := rawZooKeeper(t, cfg)
		if _, err := raw.Create("/"+job, []byte("data"), 0, zk.WorldACL(zk.PermAll)); !errors.Is(err, zk.ErrNodeExists) {
			must(t, "create", err)
		}
		all, _, err := raw.Children("/")
		must(t, "children", err)
		for _, node := range all {
			if node != job && node != "zookeeper" { // the server's own
				node += "/"
			}
			if node != "zookeeper" {
				keys = append(keys, node)
			}
		}
	default:
		for _, rdb := range rawRedis(t, cfg) {
			must(t, "set", rdb.Set(ctx, job, "data", 0).Err())
			all, err := rdb.Keys(ctx, "*").Result()
			must(t, "keys", err)
			keys = append(keys, all...)
		}
	}
	return keys
}

// Without a prefix the lock's name is the resource's, and a plain SET of the
// data takes owner and end away.
func TestE14WithoutAPrefixASetTakesTheLockAway(t *testing.T) {
	cfg, ctx := openRedis(t), bounded(t)
	cfg.Prefix = ""
	svc := client(t, cfg)
	l := acquired(t, svc, time.Minute)
	rdb := rawRedis(t, cfg)[0]
	must(t, "set", rdb.Set(ctx, job, "data", 0).Err())
	if left := rdb.PTTL(ctx, job).Val(); left != -1 {
		t.Errorf("PTTL is %d, want -1", left)
	}
	_, err := svc.Renew(ctx, l)
	wants(t, "renew", err, lock.ErrNotHeld)
}

// testE18: the name of the lock is there, but another session's. It is no proof
// that the lease lives, and not for the old owner to delete.
func testE18(t *testing.T, s subject, cfg lock.Config) {
	svc, ctx := client(t, cfg), bounded(t)
	l := acquired(t, svc, time.Minute)
	theirs := replace(t, cfg, l)
	_, err := svc.Renew(ctx, l)
	wants(t, "renewal", err, lock.ErrNotHeld)
	if cfg.Service == "zookeeper" { // its names hold 128 random bits: nobody else comes to the same
		theirs()
		return
	}
	wants(t, "release", svc.Release(ctx, l), lock.ErrNotHeld)
	theirs()
}

// replace puts another session's lock in place of the lease's, under the same
// name. What it returns fails the test unless that is still there.
func replace(t *testing.T, cfg lock.Config, l lock.Lease) (theirs func()) {
	t.Helper()
	ctx := bounded(t)
	switch cfg.Service {
	case "etcd":
		raw := rawEtcd(t, cfg)
		other, err := raw.Grant(ctx, 60)
		must(t, "grant", err)
		_, err = raw.Delete(ctx, l.Owner)
		must(t, "delete", err)
		_, err = raw.Put(ctx, l.Owner, "", clientv3.WithLease(other.ID))
		must(t, "put", err)
		return func() {
			r, err := raw.Get(ctx, l.Owner)
			if err != nil || len(r.Kvs) != 1 || r.Kvs[0].Lease != int64(other.ID) {
				t.Errorf("the other's key: %v, %v", r, err)
			}
		}
	case "zookeeper":
		raw := rawZooKeeper(t, cfg)
		_, err := raw.Multi(&zk.DeleteRequest{Path: l.Owner, Version: -1},
			&zk.CreateRequest{Path: l.Owner, Acl: zk.WorldACL(zk.PermAll), Flags: zk.FlagEphemeral})
		must(t, "replace", err)
		return func() {
			_, stat, err := raw.Exists(l.Owner)
			if err != nil || stat.EphemeralOwner != raw.SessionID() {
				t.Errorf("the other's node: %+v, %v", stat, err)
			}
		}
	}
	all := rawRedis(t, cfg)
	for _, rdb := range all {
		must(t, "set", rdb.Set(ctx, cfg.Prefix+job, "another", time.Minute).Err())
	}
	return func() {
		for _, rdb := range all {
			if v, err := rdb.Get(ctx, cfg.Prefix+job).Result(); v != "another" {
				t.Errorf("the other's key is %q, %v", v, err)
			}
		}
	}
}

// The first delay of a renewal that breaks is the lease's own length, and every
// shorter one is good however often. The servers' clocks are put forward for it.
func TestE6TheFirstDelayThatBreaksIsTheTTL(t *testing.T) {
	const ttl, step = 10 * time.Minute, time.Minute
	for service, nodes := range map[string]int{"redis": 1, "redis-incr": 1, "redlock": 5} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			cfg := lock.Config{Service: service, Prefix: "test/"}
			var all []*server.Redis
			for range nodes {
				r := startRedis(t)
				all, cfg.Endpoints = append(all, r), append(cfg.Endpoints, r.Addr())
			}
			svc := client(t, cfg)
			l := acquired(t, svc, ttl)
			for delay := step; delay <= 2*ttl; delay += step {
				for _, r := range all {
					must(t, "jump", r.Jump(delay))
				}
				_, err := svc.Renew(bounded(t), l)
				if delay < ttl {
					wants(t, "renewal after "+delay.String(), err, nil)
					continue
				}
				wants(t, "renewal after "+delay.String(), err, lock.ErrNotHeld)
				l = acquired(t, svc, ttl) // it is anybody's
			}
		})
	}
}
