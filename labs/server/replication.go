package server

import (
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"

	"lockdrill/labs/guard"
)

// shipEvery is how often a primary looks for keys to send.
const shipEvery = time.Millisecond

// replication is a primary's side of its replica links. It is a model: the real
// one ships the command stream, this one the keys that changed. What the labs
// rest on is the same: it is asynchronous, and a key that was not sent, or is on
// its way, dies with the primary.
type replication struct {
	primary *miniredis.Miniredis

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever anything below changes
	sent    map[string]snapshot
	offset  int // keys sent so far
	links   map[*Redis]*replicaLink
	stopped bool
	wg      sync.WaitGroup
}

type replicaLink struct {
	queue []snapshot
	acked int  // the offset that the replica has applied
	held  bool // nothing is delivered
}

func newReplication(m *miniredis.Miniredis) *replication {
	return &replication{
		primary: m, changed: make(chan struct{}),
		sent: map[string]snapshot{}, links: map[*Redis]*replicaLink{},
	}
}

// Replicate makes to a replica of this node, beginning with a full copy.
func (r *replication) Replicate(to *Redis) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scan()
	to.m.FlushAll()
	l := &replicaLink{acked: r.offset - len(r.sent)}
	for _, s := range r.sent {
		l.queue = append(l.queue, s)
	}
	if r.links[to] = l; len(r.links) == 1 {
		r.wg.Go(guard.Func(r.ship))
	}
	r.wg.Go(guard.Func(func() { r.deliver(to.m, l) }))
}

// Hold stops delivery to a replica: it lags, for as long as the lab likes.
func (r *replication) Hold(to *Redis) {
	r.change(func() {
		if l := r.links[to]; l != nil {
			l.held = true
		}
	})
}

func (r *replication) stop() {
	r.change(func() { r.stopped = true })
	r.wg.Wait()
}

func (r *replication) change(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	close(r.changed)
	r.changed = make(chan struct{})
}

// ship looks for changed keys for as long as the primary lives.
func (r *replication) ship() {
	tick := time.NewTicker(shipEvery)
	defer tick.Stop()
	for range tick.C {
		r.mu.Lock()
		stopped := r.stopped
		r.mu.Unlock()
		if stopped {
			return
		}
		r.change(r.scan)
	}
}

// scan queues every key that is not as it was last sent.
func (r *replication) scan() {
	for _, k := range r.primary.Keys() {
		r.send(read(r.primary, k))
	}
	for k, s := range r.sent {
		if s.exists && !r.primary.Exists(k) {
			r.send(snapshot{key: k})
		}
	}
}

func (r *replication) send(s snapshot) {
	if r.sent[s.key].same(s) {
		return
	}
	r.sent[s.key] = s
	r.offset++
	for _, l := range r.links {
		l.queue = append(l.queue, s)
	}
}

// deliver applies queued keys to one replica, in order.
func (r *replication) deliver(to *miniredis.Miniredis, l *replicaLink) {
	for {
		r.mu.Lock()
		changed, stopped := r.changed, r.stopped
		var s snapshot
		some := !l.held && len(l.queue) > 0
		if some {
			s, l.queue = l.queue[0], l.queue[1:]
		}
		r.mu.Unlock()
		switch {
		case stopped:
			return
		case some:
			apply(to, s)
			r.change(func() { l.acked++ })
		default:
			<-changed
		}
	}
}

// acknowledged waits until n replicas have all that was written up to now, and
// returns how many had when it stopped waiting. A limit of zero is none, as in
// Redis.
func (r *replication) acknowledged(n int, limit time.Duration) int {
	var expired <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		expired = t.C
	}
	r.change(r.scan)
	r.mu.Lock()
	upTo := r.offset
	r.mu.Unlock()
	for {
		r.mu.Lock()
		have, changed, stopped := 0, r.changed, r.stopped
		for _, l := range r.links {
			if l.acked >= upTo {
				have++
			}
		}
		r.mu.Unlock()
		if have >= n || stopped {
			return have
		}
		select {
		case <-changed:
		case <-expired:
			return have
		}
	}
}
