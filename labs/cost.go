package labs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// costTries is how often each lock is taken.
const costTries = 100

// What a lock is paid for with: a job of a few seconds, or a request.
const (
	jobLasts     = 10 * time.Second
	requestLasts = 5 * time.Millisecond
)

// costLab: what one lock costs, as a distribution.
func costLab() Lab {
	return Lab{
		Name:     "cost",
		Question: "What does one lock cost, by the job and by the request?",
		Services: []string{NoService},
		Stores:   []string{Unfenced},
		Points:   []int{6},
		plan:     func(Options) plan { return plan{bare: true} },
		run:      runCost,
		say:      sayCost,
	}
}

// price is what one kind of lock costs.
type price struct {
	Op  string `json:"op"`
	N   int    `json:"n"`
	P50 int64  `json:"p50_us"`
	P95 int64  `json:"p95_us"`
	P99 int64  `json:"p99_us"`
	// The median as a share of what it is taken for, in percent.
	OfJob     float64 `json:"percent_of_job"`
	OfRequest float64 `json:"percent_of_request"`
}

type prices struct {
	JobMS     float64 `json:"job_ms"`
	RequestMS float64 `json:"request_ms"`
	Ops       []price `json:"ops"`
}

// shop is one lock service to measure.
type shop struct {
	op    string
	label string // for its bar
	open  func(ctx context.Context) (addrs []string, close func() error, err error)
}

func shops() []shop {
	all := []shop{{"redis set nx", "redis", func(context.Context) ([]string, func() error, error) {
		r, err := server.StartRedis()
		if err != nil {
			return nil, nil, err
		}
		return []string{r.Addr()}, r.Close, nil
	}}}
	for _, c := range []struct {
		op, label string
		members   int
		start     func(context.Context, int) (*server.Etcd, error)
	}{
		{"etcd lock, 1 member", "etcd 1", 1, server.StartEtcd},
		{"etcd lock, 1 member, fsync", "etcd 1, fsync", 1, server.StartEtcdSynced},
		{"etcd lock, 3 members", "etcd 3", 3, server.StartEtcd},
		{"etcd lock, 3 members, fsync", "etcd 3, fsync", 3, server.StartEtcdSynced},
	} {
		all = append(all, shop{c.op, c.label, func(ctx context.Context) ([]string, func() error, error) {
			e, err := c.start(ctx, c.members)
			if err != nil {
				return nil, nil, err
			}
			return e.Endpoints(), e.Close, nil
		}})
	}
	return append(all, shop{"zookeeper lock", "zookeeper", func(ctx context.Context) ([]string, func() error, error) {
		z, err := server.StartZooKeeper(ctx)
		if err != nil {
			return nil, nil, err
		}
		return []string{z.Addr()}, z.Close, nil
	}})
}

// service is the name under which the shop's lock is opened.
func (s shop) service() string {
	for _, name := range []string{"redis", "etcd", "zookeeper"} {
		if len(s.op) >= len(name) && s.op[:len(name)] == name {
			return name
		}
	}
	return ""
}

func runCost(ctx context.Context, s *Session) error {
	s.models = []string{"Redis is miniredis and etcd runs in this process, over the loopback: no network between, so compare ratios"}
	f := prices{JobMS: Milliseconds(jobLasts), RequestMS: Milliseconds(requestLasts)}
	var bars []Bar
	for _, shop := range shops() {
		if shop.service() == "zookeeper" {
			if why := server.FindZooKeeper(); why != nil {
				s.note("zookeeper is not measured: %v", why)
				continue
			}
		}
		p, err := shop.measure(ctx)
		if err != nil {
			return fmt.Errorf("cost of %s: %w", shop.op, err)
		}
		f.Ops = append(f.Ops, p)
		s.note("%s: median %s, 95 of 100 within %s, 99 within %s; %.2f %% of a job of %s, %.0f %% of a request of %s",
			p.Op, spanUS(p.P50), spanUS(p.P95), spanUS(p.P99), p.OfJob, Span(jobLasts), p.OfRequest, Span(requestLasts))
		bars = append(bars, Bar{Label: shop.label, Value: float64(p.P50), Bound: float64(p.P99),
			Text: fmt.Sprintf("%s x%.0f", spanUS(p.P50), float64(p.P50)/float64(max(1, f.Ops[0].P50)))})
	}
	return s.measure(f, fmt.Sprintf("median of one lock, from %s (%s) to %s (%s); the mark is where 99 of 100 are done",
		spanUS(f.Ops[0].P50), f.Ops[0].Op, spanUS(f.dearest().P50), f.dearest().Op), bars...)
}

// measure takes the lock again and again, and gives it up in between.
func (s shop) measure(ctx context.Context) (p price, err error) {
	addrs, stop, err := s.open(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	svc, err := lock.Open(lock.Config{Service: s.service(), Endpoints: addrs, Prefix: "lockdrill/" + runID() + "/"})
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, svc.Close()) }()
	var took []time.Duration
	for i := range costTries + costTries/10 {
		began := time.Now()
		l, err := svc.TryAcquire(ctx, resource, 10*time.Second)
		if err != nil {
			return p, err
		}
		if i >= costTries/10 { // the first ones open connections
			took = append(took, time.Since(began))
		}
		if err := svc.Release(ctx, l); err != nil {
			return p, err
		}
	}
	p = price{Op: s.op, N: len(took), P50: micros(quantile(took, 0.5)), P95: micros(quantile(took, 0.95)), P99: micros(quantile(took, 0.99))}
	p.OfJob = 100 * float64(p.P50) / float64(jobLasts.Microseconds())
	p.OfRequest = 100 * float64(p.P50) / float64(requestLasts.Microseconds())
	return p, nil
}

func (f prices) dearest() price {
	var d price
	for _, p := range f.Ops {
		if p.P50 > d.P50 {
			d = p
		}
	}
	return d
}

// spanUS writes microseconds for people.
func spanUS(us int64) string {
	if us < 1000 {
		return fmt.Sprintf("%d µs", us)
	}
	return fmt.Sprintf("%.1f ms", float64(us)/1000)
}

func sayCost(r Result) Lesson {
	f := figures[prices](r)
	if len(f.Ops) == 0 {
		return Lesson{What: "Nothing is measured yet."}
	}
	cheap, dear := f.Ops[0], f.dearest()
	return Lesson{
		What: fmt.Sprintf("One lock took %s by %s and %s by %s, in the middle; the slowest of a hundred, %s and %s.",
			spanUS(cheap.P50), cheap.Op, spanUS(dear.P50), dear.Op, spanUS(cheap.P99), spanUS(dear.P99)),
		Why:  fmt.Sprintf("To a job of %s the dear one adds %.2f %%; to a request of %s, %.0f %%.", Span(jobLasts), dear.OfJob, Span(requestLasts), dear.OfRequest),
		Room: "By the job, a consensus lock costs nothing worth a word; by the request, it is the request. Say which one you pay for.",
	}
}
