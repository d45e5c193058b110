package labs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lockdrill/labs/guard"
	"lockdrill/labs/lock"
)

const flagClients = "clients"

// waitersLab: many clients wait for one lock.
func waitersLab() Lab {
	return Lab{
		Name:     "waiters",
		Question: "Many clients wait for one lock. How many wake up when it is released?",
		Services: []string{"etcd", "redis"},
		Stores:   []string{Unfenced},
		Points:   []int{4},
		Flags:    []Flag{{Name: flagClients, Min: 2, Max: 1000, Default: "20", Usage: "how many clients want the lock"}},
		// Nobody's lease ends while it waits.
		ttl:  func(string) time.Duration { return time.Minute },
		plan: func(Options) plan { return plan{bare: true, members: 1} },
		run:  func(ctx context.Context, s *Session) error { return runWaiters(ctx, s) },
		say:  sayWaiters,
	}
}

// handovers are the figures of a queue.
type handovers struct {
	Clients    int     `json:"clients"`
	Releases   int     `json:"releases"`    // after which somebody else got the lock
	Wakeups    int     `json:"wakeups"`     // waiters that had to look again, over all releases
	PerRelease float64 `json:"per_release"` // wake-ups
	Requests   int     `json:"requests"`    // to the service, between the first release and the last grant
	HandoverUS int64   `json:"handover_us_p50"`
	InOrder    bool    `json:"in_order"` // grants came in the order of their create revisions
}

// queue is one run: everybody waits, then the lock goes from hand to hand.
type queue struct {
	s       *Session
	svc     lock.Service
	waiting sync.WaitGroup

	mu       sync.Mutex // everything below
	tokens   []uint64
	given    time.Duration // when the lock was given up last
	lapses   []time.Duration
	requests int
	looks    map[int]int   // by waiter: how often it looked whether it is its turn
	looked   chan struct{} // closed and replaced at a waiter's first look
}

// passesOfPolling bounds the releases where every waiter polls: the picture is
// the same after a few, and a thousand pollers leave no time for more.
const passesOfPolling = 20

func runWaiters(ctx context.Context, s *Session) (err error) {
	st, err := s.openSite(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	svc, err := lock.Open(st.direct())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	s.simulate(st)
	q := &queue{s: s, svc: svc, looks: map[int]int{}, looked: make(chan struct{})}
	f, err := q.run(ctx)
	if err != nil {
		return err
	}
	return s.measure(f, fmt.Sprintf("%d clients, %d releases: %d wake-ups, %.1f a release; %d requests, %.1f a release; hand-over %s (median)",
		f.Clients, f.Releases, f.Wakeups, f.PerRelease, f.Requests, float64(f.Requests)/float64(max(1, f.Releases)), time.Duration(f.HandoverUS)*time.Microsecond),
		Bar{Label: "woken, each time", Value: f.PerRelease, Text: fmt.Sprintf("%.1f", f.PerRelease)},
		Bar{Label: "waiting", Value: float64(f.Clients - 1), Text: fmt.Sprint(f.Clients - 1)})
}

// run takes the lock, lets all others queue up behind it, and gives it up.
func (q *queue) run(ctx context.Context) (handovers, error) {
	n := q.s.Options.number(flagClients)
	ctx, cancel := context.WithTimeout(ctx, q.s.bound)
	defer cancel()
	first, err := q.acquire(ctx, 0)
	if err != nil {
		return handovers{}, err
	}
	passes := n - 1
	if q.s.Options.Service != "etcd" {
		passes = min(passes, passesOfPolling)
	}
	waitCtx, stop := context.WithCancel(ctx)
	defer q.waiting.Wait()
	defer stop()
	passed := make(chan error, n)
	for i := 1; i < n; i++ {
		q.waiting.Go(guard.Func(func() { passed <- q.wait(waitCtx, i) }))
	}
	if err := q.allQueued(ctx, n-1); err != nil {
		return handovers{}, err
	}
	looks, requests := q.count()
	if err := q.release(ctx, 0, first); err != nil {
		return handovers{}, err
	}
	for range passes {
		if err := <-passed; err != nil {
			return handovers{}, err
		}
	}
	f := handovers{Clients: n, Releases: passes}
	f.Wakeups, f.Requests = q.count()
	f.Wakeups, f.Requests = f.Wakeups-looks, f.Requests-requests
	f.PerRelease = round1(float64(f.Wakeups) / float64(passes))
	stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	f.HandoverUS, f.InOrder = micros(quantile(q.lapses, 0.5)), q.tokens[0] > 0 && slices.IsSorted(q.tokens)
	return f, nil
}

// wait queues up, takes the lock when it comes, and gives it up.
func (q *queue) wait(ctx context.Context, i int) error {
	l, err := q.acquire(ctx, i)
	if err != nil {
		return err
	}
	return q.release(ctx, i, l)
}

func (q *queue) acquire(ctx context.Context, i int) (lock.Lease, error) {
	name := fmt.Sprintf("c%d", i+1)
	call := q.s.history.AppendFunc(func(now Event) Event {
		return Event{Process: name, Type: Invoke, Op: OpAcquire, Resource: resource, Until: now.At + q.s.Options.TTL}
	})
	l, err := q.svc.Acquire(lock.Watched(ctx, q.watcher(i)), resource, q.s.Options.TTL)
	if err != nil {
		q.s.history.Append(Event{Process: name, Type: Fail, Op: OpAcquire, Call: call.Seq, Resource: resource, Err: err.Error()})
		return l, fmt.Errorf("client %d of the queue: %w", i+1, err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.s.history.AppendFunc(func(now Event) Event {
		return Event{Process: name, Type: OK, Op: OpAcquire, Call: call.Seq, Resource: resource, Grant: i + 1, Token: l.Token, Until: now.At + l.TTL}
	})
	q.tokens = append(q.tokens, l.Token)
	if i > 0 {
		q.lapses = append(q.lapses, e.At-q.given)
	}
	return l, nil
}

// release gives the lock up; the next grant is measured from here.
func (q *queue) release(ctx context.Context, i int, l lock.Lease) error {
	name := fmt.Sprintf("c%d", i+1)
	q.mu.Lock()
	call := q.s.history.Append(Event{Process: name, Type: Invoke, Op: OpRelease, Resource: resource, Grant: i + 1, Token: l.Token})
	q.given = call.At
	q.mu.Unlock()
	err := q.svc.Release(lock.Watched(ctx, q.watcher(-1)), l)
	e := Event{Process: name, Type: OK, Op: OpRelease, Call: call.Seq, Resource: resource, Grant: i + 1, Token: l.Token}
	if err != nil {
		e.Type, e.Err = Fail, err.Error()
	}
	q.s.history.Append(e)
	return err
}

// watcher counts the requests of one client, and its looks: the reads with which
// it asks whether it is its turn. -1 stands for requests that no waiter sends.
func (q *queue) watcher(i int) func(string) {
	return func(request string) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.requests++
		if i <= 0 || !isLook(request) {
			return
		}
		if q.looks[i]++; q.looks[i] == 1 {
			close(q.looked)
			q.looked = make(chan struct{})
		}
	}
}

// isLook: a polling client reads the key; one that watches its predecessor reads
// who that is, once before it sleeps and once each time it is woken.
func isLook(request string) bool {
	if rest, ok := strings.CutPrefix(request, "Get "); ok {
		return strings.Contains(rest, "\u2026") // a range
	}
	return strings.HasPrefix(request, "GET ")
}

// allQueued waits until n clients have looked and found that it is not their
// turn.
func (q *queue) allQueued(ctx context.Context, n int) error {
	for {
		q.mu.Lock()
		have, looked := len(q.looks), q.looked
		q.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-looked:
		case <-ctx.Done():
			return fmt.Errorf("waited %s for %d clients to queue up, and %d did", q.s.bound, n, have)
		}
	}
}

func (q *queue) count() (looks, requests int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, n := range q.looks {
		looks += n
	}
	return looks, q.requests
}

func sayWaiters(r Result) Lesson {
	f := figures[handovers](r)
	switch {
	case f.Clients == 0:
		return Lesson{What: "The queue is not through."}
	case r.Options.Service == "etcd":
		return Lesson{
			What: fmt.Sprintf("%s waited; each release woke %.1f of them, and the grants came in the order of their keys.", countOf(f.Clients-1, "client"), f.PerRelease),
			Why:  "Each waiter watches only the key before its own, so a release touches one.",
			Room: "Watch your predecessor, not the lock: no herd, and first come is first served.",
		}
	}
	return Lesson{
		What: fmt.Sprintf("%s polled; each release cost %.1f looks at the key.", countOf(f.Clients-1, "client"), f.PerRelease),
		Why:  "Redis tells nobody that a lock is free, so everybody asks again and again, and whoever asks first after the release gets it.",
		Room: "Polling makes every waiter pay for every release, and it is no queue.",
	}
}
