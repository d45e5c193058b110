// Package server holds what a lab runs against: Redis and etcd in this process,
// and the links through which clients reach them, which a lab can cut.
package server

import (
	"fmt"
	"io"
	"net"
	"sync"

	"lockdrill/labs/guard"
)

// Link is a TCP forwarder on a loopback port of its own. It stands for the
// network between one client and one server: it can be cut, mended and led to
// another server.
type Link struct {
	l  net.Listener
	mu sync.Mutex
	to string // host:port
	// cut links accept and break off at once, so that a client sees a dead peer
	// instead of waiting for a time-out that no lab wants to wait for.
	cut    bool
	held   chan struct{} // what the server sends waits until it is closed; nil = nothing waits
	closed bool
	conns  map[net.Conn]struct{}
	wg     sync.WaitGroup
}

// NewLink listens on a free port and forwards to the host:port given.
func NewLink(to string) (*Link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	k := &Link{l: l, to: to, conns: map[net.Conn]struct{}{}}
	k.wg.Add(1)
	go guard.Func(k.accept)()
	return k, nil
}

// Addr is what the client dials.
func (k *Link) Addr() string { return k.l.Addr().String() }

// Cut breaks every connection and refuses new ones. Bytes in flight are lost.
func (k *Link) Cut() { k.set(func() { k.cut = true }) }

// Mend lets connections through again.
func (k *Link) Mend() { k.set(func() { k.cut = false }) }

// Hold keeps what the server sends from here on, on connections that live on: a
// slow network. What is kept is lost when a connection breaks.
func (k *Link) Hold() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held == nil {
		k.held = make(chan struct{})
	}
}

// Flow delivers what was kept, and keeps nothing more.
func (k *Link) Flow() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flow()
}

func (k *Link) flow() {
	if k.held != nil {
		close(k.held)
		k.held = nil
	}
}

func (k *Link) holding() chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.held
}

// Retarget breaks every connection and leads new ones to another server.
func (k *Link) Retarget(to string) { k.set(func() { k.to = to }) }

// Close ends the link and waits for what it forwarded to end.
func (k *Link) Close() error {
	err := k.l.Close()
	k.set(func() { k.closed = true })
	k.wg.Wait()
	return err
}

// set changes the link's state and drops the connections of the old one.
func (k *Link) set(change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change()
	for c := range k.conns {
		_ = c.Close()
	}
	clear(k.conns)
	k.flow() // into broken connections
}

func (k *Link) accept() {
	defer k.wg.Done()
	for {
		c, err := k.l.Accept()
		if err != nil {
			return
		}
		k.wg.Add(1)
		go guard.Func(func() { k.forward(c) })()
	}
}

func (k *Link) forward(client net.Conn) {
	defer k.wg.Done()
	defer client.Close()
	to, ok := k.enter(client)
	if !ok {
		return
	}
	defer k.leave(client)
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	defer k.leave(server)
	if at, ok := k.enter(server); !ok || at != to {
		return
	}
	both := make(chan struct{}, 2)
	go guard.Func(func() {
		_, _ = io.Copy(server, client) // any error ends the connection, as on a network
		both <- struct{}{}
	})()
	go guard.Func(func() {
		k.deliver(client, server)
		both <- struct{}{}
	})()
	<-both
	_ = client.Close()
	_ = server.Close()
	<-both
}

// deliver passes on what the server sends, unless it is held.
func (k *Link) deliver(client, server net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := server.Read(buf)
		if n > 0 {
			if held := k.holding(); held != nil {
				<-held
			}
			if _, werr := client.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (k *Link) enter(c net.Conn) (to string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cut || k.closed {
		return "", false
	}
	k.conns[c] = struct{}{}
	return k.to, true
}

func (k *Link) leave(c net.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.conns, c)
}
