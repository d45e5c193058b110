package lock

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// zkPace is how long the client rests before it tries all servers again.
const zkPace = 20 * time.Millisecond

// zkNet is the way of one session to its servers. The library leaves three things
// to be wished for, and has no option for them: its pings cannot be held back, it
// does not tell the session's length, and it rests a whole second before it
// connects again.
type zkNet struct {
	secure *tls.Config
	ready  chan struct{} // closed when there is a session

	mu      sync.Mutex // everything below
	servers []string
	next    int
	quiet   bool // pings are held back
	ended   bool
	conn    net.Conn
	granted time.Duration
	err     error // of the last attempt to connect
	isReady sync.Once
}

func newZKNet(c Config) (*zkNet, error) {
	secure, err := c.TLS.config()
	return &zkNet{secure: secure, ready: make(chan struct{})}, err
}

// Init, Len, Next and Connected make it the library's list of servers.
func (n *zkNet) Init(servers []string) error {
	n.servers = servers
	return nil
}

// Len is the number of servers.
func (n *zkNet) Len() int { return len(n.servers) }

// Next names the server to try. The library looks at whether it was told to stop
// only if it is also told to rest.
func (n *zkNet) Next() (server string, rest bool) {
	n.mu.Lock()
	server, ended := n.servers[n.next%len(n.servers)], n.ended
	again := n.next > 0 && n.next%len(n.servers) == 0
	n.next++
	n.mu.Unlock()
	if again && !ended {
		time.Sleep(zkPace)
	}
	return server, ended
}

// Connected is of no use here.
func (n *zkNet) Connected() {}

func (n *zkNet) event(e zk.Event) {
	if e.State == zk.StateHasSession {
		n.isReady.Do(func() { close(n.ready) })
	}
}

func (n *zkNet) dial(network, address string, limit time.Duration) (net.Conn, error) {
	conn, err := net.DialTimeout(network, address, limit)
	if err == nil && n.secure != nil {
		conn = tls.Client(conn, n.secure)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err = err; err != nil {
		return nil, err
	}
	n.conn = conn
	return &zkConn{Conn: conn, n: n}, nil
}

func (n *zkNet) failure() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

func (n *zkNet) length() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.granted
}

// holdPings leaves it to requests to keep the session alive. The replies to the
// pings being missed, the library would take the connection for dead.
func (n *zkNet) holdPings() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.quiet = true
	if n.conn != nil {
		_ = n.conn.SetReadDeadline(time.Time{}) // fails only on a closed connection
	}
}

func (n *zkNet) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
}

// hangUp breaks the connection off, in case the server did not.
func (n *zkNet) hangUp() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		_ = n.conn.Close()
	}
}

// zkConn is one connection of a session.
type zkConn struct {
	net.Conn
	n    *zkNet
	head []byte // the beginning of the first reply
}

// A frame is its length, then a request's number, or what the reply to connect
// begins with: the protocol's version and the session's length in milliseconds.
const (
	frameLength = 4
	replyHead   = 12
	pingNumber  = -2
)

// Write drops pings that are to be held back. The library writes whole frames.
func (c *zkConn) Write(b []byte) (int, error) {
	ping := len(b) >= 2*frameLength && int32(binary.BigEndian.Uint32(b[frameLength:])) == pingNumber
	c.n.mu.Lock()
	drop := ping && c.n.quiet
	c.n.mu.Unlock()
	if drop {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// Read takes the session's length out of the first reply.
func (c *zkConn) Read(b []byte) (int, error) {
	k, err := c.Conn.Read(b)
	if len(c.head) < replyHead {
		c.head = append(c.head, b[:k]...)
		if len(c.head) >= replyHead {
			ms := binary.BigEndian.Uint32(c.head[replyHead-4:])
			c.n.mu.Lock()
			c.n.granted = time.Duration(ms) * time.Millisecond
			c.n.mu.Unlock()
		}
	}
	return k, err
}

// SetReadDeadline sets none while pings are held back.
func (c *zkConn) SetReadDeadline(t time.Time) error {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	if c.n.quiet {
		t = time.Time{}
	}
	return c.Conn.SetReadDeadline(t)
}
