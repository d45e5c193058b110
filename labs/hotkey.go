package labs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockdrill/labs/lock"
)

// The load of lab hot-key. A job holds its lock for jobTakes, so that one key
// lets at most 1/jobTakes jobs a second through.
const (
	hotWorkers = 32
	hotJobs    = 48
	jobTakes   = 20 * time.Millisecond
)

// hotKeyLab: all jobs queue for one lock.
func hotKeyLab() Lab {
	return Lab{
		Name:     "hot-key",
		Question: "Every job takes lock:global. Does another server help, or another key?",
		Services: []string{"redis"},
		Stores:   []string{Unfenced},
		Points:   []int{6},
		ttl:      func(string) time.Duration { return 10 * time.Second },
		plan:     func(Options) plan { return plan{bare: true, ownServer: true} },
		run:      runHotKey,
		say:      sayHotKey,
	}
}

// heat is the throughput over one number of keys.
type heat struct {
	Keys      int     `json:"keys"`
	Moved     bool    `json:"moved"` // to another server
	Ratio     float64 `json:"ratio"` // to the first
	PerSecond float64 `json:"per_second"`
	Bound     float64 `json:"bound"` // keys / the time that a job holds one
}

type heats struct {
	HoldMS float64 `json:"hold_ms"`
	Jobs   int     `json:"jobs"`
	Bars   []heat  `json:"bars"`
}

func runHotKey(ctx context.Context, s *Session) (err error) {
	names, nodes, err := startNodes(ctx, 2, s.Options.Servers.RedisServer)
	defer func() { err = errors.Join(err, closeNodes(names, nodes)) }()
	if err != nil {
		return err
	}
	s.models = []string{"a job is a wait of " + Span(jobTakes)}
	if s.Options.Servers.RedisServer == "" {
		s.models = append(s.models, "Redis is miniredis, in this process")
	}
	f := heats{HoldMS: Milliseconds(jobTakes), Jobs: hotJobs}
	for _, h := range []heat{{Keys: 1}, {Keys: 2}, {Keys: 4}, {Keys: 8}, {Keys: 16}, {Keys: 1, Moved: true}} {
		node := nodes["redis-1"]
		if h.Moved {
			node = nodes["redis-2"]
		}
		took, err := doJobs(ctx, node.Addr(), h.Keys, s.Options.TTL)
		if err != nil {
			return err
		}
		h.PerSecond = round1(hotJobs / took.Seconds())
		h.Bound = round1(float64(h.Keys) / jobTakes.Seconds())
		h.Ratio = 1
		if len(f.Bars) > 0 {
			h.Ratio = round1(h.PerSecond / f.Bars[0].PerSecond)
		}
		f.Bars = append(f.Bars, h)
		s.note("%s: %.0f jobs a second, of at most %.0f", h.label(), h.PerSecond, h.Bound)
	}
	last := f.Bars[len(f.Bars)-1]
	return s.measure(f, fmt.Sprintf("16 keys do %.1f times as much as one; one key on another server, %.1f times", f.Bars[4].Ratio, last.Ratio), f.draw()...)
}

func (h heat) label() string {
	if h.Moved {
		return "1 key, moved"
	}
	return countOf(h.Keys, "key")
}

func (f heats) draw() []Bar {
	var bars []Bar
	for _, h := range f.Bars {
		bars = append(bars, Bar{Label: h.label(), Value: h.PerSecond, Bound: h.Bound, Text: fmt.Sprintf("x %.1f", h.Ratio)})
	}
	return bars
}

// doJobs has all jobs done by workers who share the keys, each job under the lock
// of its key.
func doJobs(ctx context.Context, addr string, keys int, ttl time.Duration) (took time.Duration, err error) {
	svc, err := lock.Open(lock.Config{Service: "redis", Endpoints: []string{addr}, Prefix: "lockdrill/hot/"})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	began := time.Now()
	err = parallel(hotWorkers, func(w int) error {
		for job := w; job < hotJobs; job += hotWorkers {
			if err := doJob(ctx, svc, fmt.Sprintf("lock:%d", job%keys), ttl); err != nil {
				return fmt.Errorf("job %d: %w", job, err)
			}
		}
		return nil
	})
	return time.Since(began), err
}

func doJob(ctx context.Context, svc lock.Service, key string, ttl time.Duration) error {
	l, err := svc.Acquire(ctx, key, ttl)
	if err != nil {
		return err
	}
	work := time.NewTimer(jobTakes)
	defer work.Stop()
	select {
	case <-work.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return svc.Release(ctx, l)
}

func sayHotKey(r Result) Lesson {
	f := figures[heats](r)
	if len(f.Bars) < 6 {
		return Lesson{What: "The jobs are not done."}
	}
	return Lesson{
		What: fmt.Sprintf("Over 16 keys the same jobs ran %.1f times as fast; over one key on another server, %.1f times.", f.Bars[4].Ratio, f.Bars[5].Ratio),
		Why:  fmt.Sprintf("Whoever waits for one key waits for its holder: at most one job per %s, whatever the server can do.", Span(jobTakes)),
		Room: "Throughput of one lock is at most one over the time it is held. Split the key by what must exclude each other; moving it changes nothing.",
	}
}
