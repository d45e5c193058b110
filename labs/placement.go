package labs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// placedKeys is how many keys are looked up on the ring.
const placedKeys = 1000

// placementLab: keys are spread over servers by a hash, and a server joins.
func placementLab() Lab {
	return Lab{
		Name:     "placement",
		Question: "Locks are spread over three servers by a hash, and a fourth joins. Who holds what?",
		Services: []string{"redis"},
		Stores:   []string{Unfenced},
		Points:   []int{3},
		ttl:      func(string) time.Duration { return 30 * time.Second },
		plan:     func(Options) plan { return plan{bare: true, ownServer: true} },
		run: func(ctx context.Context, s *Session) error {
			return (&placement{s: s, joined: map[string]bool{}}).run(ctx)
		},
		question: func(Options) Question {
			return Question{
				Before: verbRun,
				Text:   "A holds a lock on one of three servers. A fourth joins the ring, and B asks for the same lock by the new ring. What is B told?",
				Answers: []Prediction{
					{"OK, it is yours", func(v Verdict) bool { return v.Check("one-grant").Verdict == Broken }},
					{"no, A holds it", func(v Verdict) bool { return v.Check("one-grant").Verdict == Held }},
				},
			}
		},
		say: sayPlacement,
	}
}

// moves are the figures of a ring that grew.
type moves struct {
	Keys    int    `json:"keys"`
	Moved   int    `json:"moved"`
	Key     string `json:"key"` // one that moved
	From    string `json:"from"`
	To      string `json:"to"`
	Holders int    `json:"holders_of_moved"`
}

// placement is a ring of servers. Where a key lives is go-redis's Ring's to say.
type placement struct {
	s       *Session
	servers map[string]server.Node
	joined  map[string]bool
	grants  int
}

func (p *placement) run(ctx context.Context) (err error) {
	names, nodes, err := startNodes(ctx, 4, p.s.Options.Servers.RedisServer)
	defer func() { err = errors.Join(err, closeNodes(names, nodes)) }()
	if err != nil {
		return err
	}
	p.servers = nodes
	if p.s.Options.Servers.RedisServer == "" {
		p.s.models = []string{"Redis is miniredis, in this process"}
	}
	before, err := p.places(names[:3], "of three")
	if err != nil {
		return err
	}
	after, err := p.places(names, "joins")
	if err != nil {
		return err
	}
	f, err := compare(before, after)
	if err != nil {
		return err
	}
	p.s.note("%s lived on %s; by the new ring it lives on %s, where nobody holds it", f.Key, f.From, f.To)
	f.Holders, err = p.hold(ctx, f)
	if err != nil {
		return err
	}
	return p.s.measure(f, fmt.Sprintf("%d of %d keys moved to %s; %s has %d holders", f.Moved, f.Keys, f.To, f.Key, f.Holders))
}

// places says for each key on which of these servers the ring puts it. The
// servers that are new to it are logged in that role.
func (p *placement) places(names []string, role string) (_ map[string]string, err error) {
	addrs := map[string]string{}
	for _, name := range names {
		addrs[name] = p.servers[name].Addr()
		if !p.joined[name] {
			p.joined[name] = true
			p.s.history.Append(Event{Process: name, Type: OK, Op: OpStart, Detail: role})
		}
	}
	ring := redis.NewRing(&redis.RingOptions{Addrs: addrs})
	defer func() { err = errors.Join(err, ring.Close()) }()
	at := map[string]string{}
	for i := range placedKeys {
		key := keyName(i)
		node, err := ring.GetShardClientForKey(key)
		if err != nil {
			return nil, fmt.Errorf("the ring's place for %s: %w", key, err)
		}
		for name, addr := range addrs {
			if addr == node.Options().Addr {
				at[key] = name
			}
		}
	}
	return at, nil
}

func keyName(i int) string { return fmt.Sprintf("job:%d", i+1) }

// compare counts the keys that live elsewhere, and picks the first.
func compare(before, after map[string]string) (moves, error) {
	f := moves{Keys: placedKeys}
	for i := range placedKeys {
		key := keyName(i)
		if before[key] == after[key] {
			continue
		}
		if f.Moved++; f.Moved == 1 {
			f.Key, f.From, f.To = key, before[key], after[key]
		}
	}
	if f.Moved == 0 {
		return f, errors.New("no key moved when a server joined the ring")
	}
	return f, nil
}

// hold lets A take the key by the old ring and B by the new one, and counts who
// holds it then.
func (p *placement) hold(ctx context.Context, f moves) (holders int, err error) {
	for _, who := range []struct{ name, node string }{{"A", f.From}, {"B", f.To}} {
		svc, err := lock.Open(lock.Config{Service: "redis", Endpoints: []string{p.servers[who.node].Addr()}})
		if err != nil {
			return 0, err
		}
		defer func() { _ = svc.Close() }() // its server goes, too
		if err := p.acquire(ctx, svc, who.name, who.node, f.Key); err != nil {
			return 0, err
		}
	}
	for _, node := range []string{f.From, f.To} {
		svc, err := lock.Open(lock.Config{Service: "redis", Endpoints: []string{p.servers[node].Addr()}})
		if err != nil {
			return 0, err
		}
		_, err = svc.Holder(ctx, f.Key)
		_ = svc.Close()
		if err == nil {
			holders++
		}
	}
	return holders, nil
}

func (p *placement) acquire(ctx context.Context, svc lock.Service, name, node, key string) error {
	var wire []lock.Exchange
	h, ttl := p.s.history, p.s.Options.TTL
	call := h.AppendFunc(func(now Event) Event {
		return Event{Process: name, Type: Invoke, Op: OpAcquire, Resource: key, Until: now.At + ttl}
	})
	l, err := svc.TryAcquire(lock.Recorded(ctx, &wire), key, ttl)
	if err != nil {
		h.Append(Event{Process: name, Type: Fail, Op: OpAcquire, Call: call.Seq, Resource: key, Err: err.Error(), Wire: wire})
		return nil
	}
	p.grants++
	h.Append(Event{Process: name, Type: OK, Op: OpAcquire, Call: call.Seq, Resource: key, Grant: p.grants, Token: l.Token,
		Until: call.At + l.TTL, Detail: "at " + node, Wire: wire})
	return nil
}

func sayPlacement(r Result) Lesson {
	f := figures[moves](r)
	if f.Holders < 2 {
		return Lesson{What: "Nobody met anybody in this run."}
	}
	return Lesson{
		What: fmt.Sprintf("%d of %d keys moved. A held %s on %s, and B was given it on %s: %d holders.", f.Moved, f.Keys, f.Key, f.From, f.To, f.Holders),
		Why:  "The new place of the key had never heard of A. Moving a key moves no lock.",
		Room: "Hashing says where a lock lives, not who holds it: drain before you move, and let the token exclude.",
	}
}
