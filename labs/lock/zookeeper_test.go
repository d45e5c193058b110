package lock_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"lockdrill/labs/lock"
)

// inLine is a service whose clients stand in line.
type inLine interface {
	InLine(ctx context.Context, resource string) (int, error)
}

// forgetful is a link that loses the reply to the first request with a mark in
// it, and the connection with it.
type forgetful struct {
	l    net.Listener
	to   string
	mark []byte

	mu   sync.Mutex
	lost bool
	all  []net.Conn
	wg   sync.WaitGroup
}

func newForgetful(t *testing.T, to, mark string) *forgetful {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &forgetful{l: l, to: to, mark: []byte(mark)}
	k.wg.Go(k.accept)
	t.Cleanup(func() {
		_ = l.Close()
		k.mu.Lock()
		for _, c := range k.all {
			_ = c.Close()
		}
		k.mu.Unlock()
		k.wg.Wait()
	})
	return k
}

func (k *forgetful) accept() {
	for {
		near, err := k.l.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", k.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		k.mu.Lock()
		k.all = append(k.all, near, far)
		k.mu.Unlock()
		var marked sync.Once
		losing := make(chan struct{})
		k.wg.Go(func() {
			k.pump(far, near, func(b []byte) bool {
				if k.first(b) {
					marked.Do(func() { close(losing) })
				}
				return true
			})
		})
		k.wg.Go(func() {
			k.pump(near, far, func([]byte) bool {
				select {
				case <-losing:
					return false
				default:
					return true
				}
			})
		})
	}
}

// first says whether this is the request whose reply is to be lost.
func (k *forgetful) first(b []byte) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lost || !bytes.Contains(b, k.mark) {
		return false
	}
	k.lost = true
	return true
}

func (k *forgetful) pump(dst, src net.Conn, pass func([]byte) bool) {
	defer dst.Close()
	defer src.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err != nil || !pass(buf[:n]) {
			return
		}
		if _, err := dst.Write(buf[:n]); err != nil {
			return
		}
	}
}

// A create whose reply is lost has made a node. The client finds it by its id,
// and makes no second one that would stand in everybody's way.
func TestALostReplyOfCreate(t *testing.T) {
	cfg := openZooKeeper(t)
	ctx := bounded(t)
	a := client(t, cfg)
	l := acquired(t, a, time.Minute)
	over := cfg
	link := newForgetful(t, cfg.Endpoints[0], "-lock-")
	over.Endpoints = []string{link.l.Addr().String()}
	b := client(t, over)
	got := make(chan error, 1)
	go func() {
		m, err := b.Acquire(ctx, job, time.Minute)
		if err == nil && m.Token <= l.Token {
			err = errors.New("the token did not rise")
		}
		got <- err
	}()
	line := a.(inLine)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := line.InLine(ctx, job)
		if err != nil {
			t.Fatal(err)
		}
		link.mu.Lock()
		lost := link.lost
		link.mu.Unlock()
		if n == 2 && lost {
			break
		}
		<-tick.C
	}
	wants(t, "release", a.Release(ctx, l), nil)
	wants(t, "the waiter", <-got, nil)
	if n, err := line.InLine(ctx, job); n != 1 || err != nil {
		t.Errorf("%d nodes in line, %v", n, err)
	}
}

// A session that has ended takes the node along: its holder is told so.
func TestASessionThatEnded(t *testing.T) {
	cfg, ctx := openZooKeeper(t), bounded(t)
	a, b := client(t, cfg), client(t, cfg)
	l := acquired(t, a, 150*time.Millisecond)
	untilFree(t, b)
	m := acquired(t, b, time.Minute)
	_, err := a.Renew(ctx, l)
	wants(t, "renewal", err, lock.ErrNotHeld)
	if m.Token <= l.Token {
		t.Errorf("token %d after %d", m.Token, l.Token)
	}
}

// The server grants what it likes, and says so.
func TestSessionLengths(t *testing.T) {
	cfg := openZooKeeper(t)
	for asked, want := range map[time.Duration]time.Duration{
		time.Millisecond: 100 * time.Millisecond, 400 * time.Millisecond: 400 * time.Millisecond, time.Minute: time.Minute,
	} {
		c := cfg
		c.Prefix += asked.String() + "/"
		if l := acquired(t, client(t, c), asked); l.TTL != want {
			t.Errorf("asked %s, granted %s, want %s", asked, l.TTL, want)
		}
	}
}
