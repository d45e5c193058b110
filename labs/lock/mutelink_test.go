package lock_test

import (
	"net"
	"sync"
	"testing"
)

// muteLink forwards to a server and can swallow its replies: requests arrive,
// and nothing comes back.
type muteLink struct {
	l    net.Listener
	to   string
	mu   sync.Mutex
	dumb bool
	all  []net.Conn
	wg   sync.WaitGroup
}

func newMuteLink(t *testing.T, to string) *muteLink {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &muteLink{l: l, to: to}
	k.wg.Go(k.accept)
	t.Cleanup(k.close)
	return k
}

func (k *muteLink) addr() string { return k.l.Addr().String() }

func (k *muteLink) mute()  { k.set(true) }
func (k *muteLink) speak() { k.set(false) }

func (k *muteLink) set(dumb bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dumb = dumb
}

func (k *muteLink) close() {
	_ = k.l.Close()
	k.mu.Lock()
	for _, c := range k.all {
		_ = c.Close()
	}
	k.mu.Unlock()
	k.wg.Wait()
}

func (k *muteLink) accept() {
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
		k.wg.Go(func() { k.pump(far, near, false) })
		k.wg.Go(func() { k.pump(near, far, true) })
	}
}

func (k *muteLink) pump(dst, src net.Conn, replies bool) {
	defer dst.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err != nil {
			return
		}
		k.mu.Lock()
		swallow := replies && k.dumb
		k.mu.Unlock()
		if swallow {
			continue
		}
		if _, err := dst.Write(buf[:n]); err != nil {
			return
		}
	}
}
