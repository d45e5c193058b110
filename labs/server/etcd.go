package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// Heartbeat and election time-outs of an in-process member. With them the
// smallest lease that etcd grants is one second; with its defaults it is two.
const (
	heartbeat = 10 * time.Millisecond
	election  = 100 * time.Millisecond
)

// endWithin bounds the end of a member: one that gave up half-way may never end.
const endWithin = 5 * time.Second

// readyWithin bounds the start of a cluster, also on a busy machine.
const readyWithin = 20 * time.Second

// Etcd is a cluster of one or three members in this process.
type Etcd struct {
	dir     *TempDir
	size    int        // members meant to be, of which a start that failed has fewer
	synced  bool       // writes are on disk before they are answered
	mu      sync.Mutex // who is dead, and the end of all
	members []*member
	closed  bool
}

type member struct {
	name   string
	e      *embed.Etcd
	dead   bool
	gaveUp giveUp
	cut    bool // off from the others
}

// StartEtcd starts a cluster of n members on free loopback ports, in a fresh
// directory, and waits until it has a leader.
func StartEtcd(ctx context.Context, n int) (*Etcd, error) { return startCluster(ctx, n, false) }

// StartEtcdSynced is StartEtcd with members that write to disk before they
// answer, as a real one does.
func StartEtcdSynced(ctx context.Context, n int) (*Etcd, error) { return startCluster(ctx, n, true) }

func startCluster(ctx context.Context, n int, synced bool) (*Etcd, error) {
	silenceGRPC()
	var err error
	for range 5 {
		var c *Etcd
		if c, err = tryStartEtcd(ctx, n, synced); !errors.Is(err, syscall.EADDRINUSE) {
			return c, err
		}
		// Somebody took one of our free ports first: take others.
	}
	return nil, err
}

func tryStartEtcd(ctx context.Context, n int, synced bool) (*Etcd, error) {
	dir, err := NewTempDir()
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	c := &Etcd{dir: dir, size: n, synced: synced}
	cfgs, err := c.configs(n)
	if err == nil {
		err = c.start(cfgs)
	}
	if err == nil {
		err = c.ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("etcd did not start: %w", err), c.Close())
	}
	return c, nil
}

func (c *Etcd) configs(n int) ([]*embed.Config, error) {
	peers, err := freeURLs(n)
	if err != nil {
		return nil, err
	}
	var cluster []string
	cfgs := make([]*embed.Config, n)
	for i := range cfgs {
		name := fmt.Sprintf("etcd-%d", i+1)
		cluster = append(cluster, name+"="+peers[i].String())
		cfgs[i] = c.config(name, peers[i])
	}
	for _, cfg := range cfgs {
		cfg.InitialCluster = strings.Join(cluster, ",")
	}
	return cfgs, nil
}

func (c *Etcd) config(name string, peer url.URL) *embed.Config {
	anyPort := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	cfg := embed.NewConfig()
	cfg.Name = name
	cfg.Dir = filepath.Join(c.dir.Path, name)
	cfg.InitialClusterToken = filepath.Base(c.dir.Path)
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{anyPort}, []url.URL{anyPort}
	cfg.TickMs = uint(heartbeat.Milliseconds())
	cfg.ElectionMs = uint(election.Milliseconds())
	cfg.EnableGRPCGateway = false // nobody speaks JSON to it, and its goroutines outlive a killed member
	cfg.UnsafeNoFsync = !c.synced // nothing here outlives the process
	return cfg
}

// start starts all members before any of them is waited for: the first is ready
// only once it has a majority.
func (c *Etcd) start(cfgs []*embed.Config) error {
	for _, cfg := range cfgs {
		m, err := startMember(cfg)
		if err != nil {
			return err
		}
		c.members = append(c.members, m)
	}
	return nil
}

// startMember turns what etcd does on a bad day, which is to panic, to exit or to
// wait for ever, into an error.
func startMember(cfg *embed.Config) (*member, error) {
	m := &member{name: cfg.Name, gaveUp: newGiveUp()}
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(m.gaveUp.logger())
	started := make(chan error, 1)
	go func() { // of its own, so that giving up ends no more than that
		defer func() {
			if p := recover(); p != nil {
				started <- fmt.Errorf("%v", p)
			}
		}()
		var err error
		m.e, err = embed.StartEtcd(cfg)
		started <- err
	}()
	var err error
	select {
	case err = <-started:
	case why := <-m.gaveUp:
		err = errors.New(why)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	return m, nil
}

func (c *Etcd) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for _, m := range c.members {
		select {
		case <-m.e.Server.ReadyNotify():
		case err := <-m.e.Err():
			return err
		case why := <-m.gaveUp:
			return fmt.Errorf("%s: %s", m.name, why)
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready within %s: %w", m.name, readyWithin, ctx.Err())
		}
	}
	return nil
}

// Endpoints are the members' client addresses, host:port, in order of name.
func (c *Etcd) Endpoints() []string {
	var all []string
	for _, m := range c.members {
		all = append(all, m.e.Clients[0].Addr().String())
	}
	return all
}

// Names are the members' names, in the order of Endpoints.
func (c *Etcd) Names() []string {
	var all []string
	for _, m := range c.members {
		all = append(all, m.name)
	}
	return all
}

// Leader is the name of the member that the living ones agree leads them, or "".
// Members that are cut off have no say.
func (c *Etcd) Leader() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lead := ""
	for _, m := range c.members {
		if m.dead || m.cut {
			continue
		}
		name := c.nameOf(uint64(m.e.Server.Leader()))
		if name == "" || (lead != "" && name != lead) {
			return ""
		}
		lead = name
	}
	return lead
}

func (c *Etcd) nameOf(id uint64) string {
	for _, m := range c.members {
		if !m.dead && !m.cut && uint64(m.e.Server.MemberID()) == id {
			return m.name
		}
	}
	return ""
}

// Kill stops a member as a crash does: no hand-over, no goodbye.
func (c *Etcd) Kill(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.name == name && !m.dead {
			m.kill()
			return nil
		}
	}
	return fmt.Errorf("no living etcd member is called %q", name)
}

// kill also closes the listeners, which HardStop leaves open: a client would
// hang on them.
func (m *member) kill() {
	m.dead = true
	atMost(endWithin, m.e.Server.HardStop)
	for _, l := range m.e.Clients {
		_ = l.Close()
	}
	for _, p := range m.e.Peers {
		_ = p.Close()
	}
}

// Close stops the cluster and removes its directory. One member closes cleanly
// in milliseconds; of three, each waits for the others, so they are killed.
// Closing it again does nothing.
func (c *Etcd) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	for _, m := range c.members {
		switch {
		case m.dead:
		case c.size == 1:
			atMost(endWithin, m.e.Close)
		default:
			m.kill()
		}
	}
	return c.dir.Remove()
}

// atMost runs f, and leaves it behind if it takes longer than d.
func atMost(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}

// freeURLs picks n loopback ports that are free now.
func freeURLs(n int) ([]url.URL, error) {
	var all []url.URL
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // all at once, so that no port is picked twice
		all = append(all, url.URL{Scheme: "http", Host: l.Addr().String()})
	}
	return all, nil
}
