package server

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"testing"
)

// echo is a server that prefixes every line with its name.
func echo(t *testing.T, name string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				for in := bufio.NewScanner(c); in.Scan(); {
					fmt.Fprintf(c, "%s %s\n", name, in.Text())
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

func newLink(t *testing.T, to string) *Link {
	t.Helper()
	k, err := NewLink(to)
	must(t, err)
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// talker is one connection.
type talker struct {
	c  net.Conn
	in *bufio.Reader
}

func talk(t *testing.T, addr string) *talker {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &talker{c, bufio.NewReader(c)}
}

// say returns the reply, or "" if the connection is dead.
func (k *talker) say(text string) string {
	if _, err := fmt.Fprintln(k.c, text); err != nil {
		return ""
	}
	reply, err := k.in.ReadString('\n')
	if err != nil {
		return ""
	}
	return reply[:len(reply)-1]
}

func TestLink(t *testing.T) {
	one, two := echo(t, "one"), echo(t, "two")
	k := newLink(t, one)
	first := talk(t, k.Addr())
	expect := func(c *talker, want string) {
		t.Helper()
		if got := c.say("hi"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	expect(first, "one hi")
	k.Cut()
	expect(first, "")
	expect(talk(t, k.Addr()), "")
	k.Mend()
	expect(first, "") // what was cut stays cut
	second := talk(t, k.Addr())
	expect(second, "one hi")
	k.Retarget(two)
	expect(second, "")
	expect(talk(t, k.Addr()), "two hi")
	k.Cut()
	k.Retarget(one) // a cut link stays cut wherever it leads
	expect(talk(t, k.Addr()), "")
	k.Mend()
	expect(talk(t, k.Addr()), "one hi")
}

func TestALinkForgetsWhatEnded(t *testing.T) {
	k := newLink(t, echo(t, "one"))
	for range 20 {
		c := talk(t, k.Addr())
		if c.say("hi") == "" {
			t.Fatal("no reply")
		}
		_ = c.c.Close()
	}
	eventually(t, "no connections kept", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.conns) == 0
	})
}

func TestALinkToNowhere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	nowhere := l.Addr().String()
	must(t, l.Close())
	k := newLink(t, nowhere)
	for range 3 {
		if got := talk(t, k.Addr()).say("hi"); got != "" {
			t.Errorf("somebody answered %q", got)
		}
	}
	eventually(t, "no connections kept", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.conns) == 0
	})
}

// Close waits for all it forwarded, also while clients come and go.
func TestClosingABusyLink(t *testing.T) {
	k := newLink(t, echo(t, "one"))
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for {
				c, err := net.Dial("tcp", k.Addr())
				if err != nil {
					return // the link is closed
				}
				(&talker{c, bufio.NewReader(c)}).say("hi")
				_ = c.Close()
			}
		})
	}
	if talk(t, k.Addr()).say("hi") == "" {
		t.Error("no reply")
	}
	must(t, k.Close())
	clients.Wait()
}
