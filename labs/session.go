package labs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lockdrill/labs/client"
	"lockdrill/labs/guard"
	"lockdrill/labs/server"
	"lockdrill/labs/store"
	"lockdrill/labs/vendor"
)

// What every lab fights over, and who does.
const (
	resource     = "job:44"
	initialValue = "0"
)

// How long things may take before the run is given up. Neither decides a
// verdict: they turn a hang into an error.
const (
	patience  = 30 * time.Second // one request of a client
	waitBound = 60 * time.Second // one step of a scenario
)

// Session is one running lab: its lock service, store, clients and history.
type Session struct {
	Lab     Lab
	Options Options

	history *History
	plan    plan
	site    site
	store   *store.Store
	vendor  *vendor.Vendor // nil = there is none
	clients map[string]*client.Process
	up      map[string]chan struct{} // by client: closed once it has said hello
	bound   time.Duration            // of one wait
	patient time.Duration            // a client, with one request
	watch   context.CancelFunc       // ends the observer
	watched sync.WaitGroup
	ending  sync.Once
	ended   error

	mu      sync.Mutex // everything below
	grants  int
	leases  map[int]leaseState       // by grant
	ready   map[string]client.Report // clients that stand before their write
	asleep  map[string]bool
	killed  map[string]bool // by the lab
	closing bool
	models  []string      // what is not the real thing, of what the run started
	ran     bool          // the lab's coded story has begun
	granted time.Duration // the last lease's length
	// lastAction is how long the history was when the last action began.
	lastAction int
}

// Start sets a lab up: servers, store and clients, all fresh.
func Start(ctx context.Context, l Lab, o Options) (*Session, error) {
	o, err := l.Fill(o)
	if err != nil {
		return nil, err
	}
	server.SweepTempDirs()
	s := newSession(l, o)
	if s.plan.bare {
		return s, nil
	}
	if err := s.setUp(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newSession is a session before anything runs. Options are filled in.
func newSession(l Lab, o Options) *Session {
	s := &Session{
		Lab: l, Options: o, history: NewHistory(), plan: l.plan(o), bound: waitBound, patient: patience, site: bareSite{},
		clients: map[string]*client.Process{}, up: map[string]chan struct{}{}, leases: map[int]leaseState{},
		ready: map[string]client.Report{}, asleep: map[string]bool{}, killed: map[string]bool{},
	}
	if s.plan.bound > 0 {
		s.bound = s.plan.bound
	}
	return s
}

// setUp starts the clients first: they take longest, and wait for the rest.
func (s *Session) setUp(ctx context.Context) (err error) {
	names := s.plan.clientNames()
	for _, name := range names {
		if err := s.startClient(name); err != nil {
			return err
		}
	}
	opened, err := s.openSite(ctx)
	if err != nil {
		return err // and no site: an interface that holds a nil pointer is not nil
	}
	s.site = opened
	for _, n := range s.site.nodes() {
		s.history.Append(Event{Process: n.name, Type: OK, Op: OpStart, Detail: n.role})
	}
	if s.store, err = store.Start(s.Options.Store == Fenced, s.decided); err != nil {
		return err
	}
	if err := s.store.Put(resource, initialValue); err != nil {
		return err
	}
	for _, n := range s.plan.unpaid {
		if err := s.store.Put(invoiceOf(n), "unpaid"); err != nil {
			return err
		}
	}
	if s.plan.vendor {
		if s.vendor, err = vendor.Start(s.charged); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := s.configure(name); err != nil {
			return err
		}
	}
	if err := s.startObserver(); err != nil {
		return err
	}
	return s.awaitHello(ctx, names)
}

// awaitHello waits until the clients are up: a lease whose holder had yet to
// start would be half over before it is had.
func (s *Session) awaitHello(ctx context.Context, names []string) error {
	ctx, cancel := context.WithTimeout(ctx, waitBound)
	defer cancel()
	for _, name := range names {
		p := s.clients[name]
		select {
		case <-s.up[name]:
		case <-p.Exited():
			return fmt.Errorf("client %s ended before it was up: %w", name, p.Err())
		case <-ctx.Done():
			return fmt.Errorf("client %s was not up within %s: %w", name, waitBound, ctx.Err())
		}
	}
	return nil
}

func runID() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

func (s *Session) startClient(name string) error {
	s.up[name] = make(chan struct{})
	p, err := client.Start(name, func(r client.Report) client.Answer { return s.reported(name, r) })
	if err != nil {
		return err
	}
	s.clients[name] = p
	s.watched.Go(guard.Func(func() { s.awaitExit(name, p) }))
	return nil
}

func (s *Session) configure(name string) error {
	cfg, err := s.site.connect(name)
	if err != nil {
		return err
	}
	return s.clients[name].Configure(client.Config{
		Name: name, Resource: resource, Lock: cfg, StoreURL: s.store.URL(), VendorURL: s.vendor.URL(),
		TTL: s.Options.TTL, Patience: s.patient, Lockless: s.plan.lockless, NoRenew: s.plan.noRenew,
	})
}

// awaitExit logs a client that ends by itself.
func (s *Session) awaitExit(name string, p *client.Process) {
	<-p.Exited()
	s.mu.Lock()
	expected := s.closing || s.killed[name]
	s.mu.Unlock()
	if !expected {
		s.history.Append(Event{Process: name, Type: Fail, Op: OpExit, Err: fmt.Sprint(p.Err())})
	}
}

// History is what has been observed so far, and goes on.
func (s *Session) History() *History { return s.history }

// Close ends everything the lab started and returns once it is gone. It may be
// called at any time, and again.
func (s *Session) Close() error {
	s.ending.Do(func() { s.ended = s.end() })
	return s.ended
}

func (s *Session) end() error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	if s.watch != nil {
		s.watch()
	}
	for _, p := range s.clients {
		p.Kill()
	}
	s.watched.Wait()
	var errs []error
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	errs = append(errs, s.vendor.Close())
	errs = append(errs, s.site.close())
	s.history.Close()
	return errors.Join(errs...)
}

// Result is the outcome of a run.
type Result struct {
	Lab       string
	Options   Options
	Simulated []string
	Granted   time.Duration // the lease's length as the service granted it; 0 = nothing granted
	Events    []Event
	Verdict   Verdict
	Wall      time.Duration
}

// simulate notes what of a site that the run started is not the real thing.
func (s *Session) simulate(st site) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range st.simulated() {
		if !slices.Contains(s.models, m) {
			s.models = append(s.models, m)
		}
	}
}

// Result judges the run as it stands.
func (s *Session) Result() Result {
	events := s.history.Events()
	return s.ResultOf(slices.Clone(events), Judge(events))
}

// ResultOf is the run with events and a verdict that were worked out before.
func (s *Session) ResultOf(events []Event, v Verdict) Result {
	s.mu.Lock()
	granted, models := s.granted, s.models
	s.mu.Unlock()
	return Result{
		Lab: s.Lab.Name, Options: s.Options, Simulated: append(s.site.simulated(), models...), Granted: granted,
		Events: events, Verdict: v, Wall: s.history.Now(),
	}
}
