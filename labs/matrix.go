package labs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"lockdrill/labs/guard"
	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// The outcomes of a cell of the matrix.
const (
	cellLanded  = "landed"         // a late write was taken
	cellFenced  = "fenced"         // a late write came and was refused
	cellOne     = "one-holder"     // nobody came late: there was one holder at a time
	cellRefused = "holder-refused" // the rightful holder's write was refused as stale
	cellNone    = "n-a"
)

// MatrixCell is one fault against one service and store, as a run of now showed it.
type MatrixCell struct {
	Fault   string `json:"fault"`
	Outcome string `json:"outcome"`           // "" = not run, because the matrix was broken off
	Command string `json:"command,omitempty"` // replays it; n-a has none
	Why     string `json:"why,omitempty"`     // n-a: the reason
}

// MatrixRow is one service with one store.
type MatrixRow struct {
	Service string       `json:"service"`
	Store   string       `json:"store"`
	Cells   []MatrixCell `json:"cells"`
}

// Missing is a service that could not be tried.
type Missing struct {
	Service string `json:"service"`
	Why     string `json:"why"`
}

// Matrix is every service and store against every fault.
type Matrix struct {
	Rows     []MatrixRow
	NotTried []Missing
}

// fault is a column: the lab that shows it, and its flags.
type fault struct {
	name   string
	lab    string
	on     string // a switch
	values map[string]string
}

var faults = []fault{
	{name: "pause", lab: "pause"},
	{name: "check-then-pause", lab: "pause", on: flagCheckClock},
	{name: "no-claim", lab: "pause", on: flagNoClaim},
	{name: "failover", lab: "failover"},
	{name: "partition", lab: "partition"},
	{name: "blind-delete", lab: "delete"},
	{name: "clock-jump", lab: "redlock", values: map[string]string{flagFault: faultClockJump}},
	{name: "restart", lab: "redlock", values: map[string]string{flagFault: faultRestart}},
}

// Faults are the columns of the matrix, in order.
func Faults() []string {
	var names []string
	for _, f := range faults {
		names = append(names, f.name)
	}
	return names
}

// matrixServices are the rows, without their stores.
var matrixServices = []string{"redis", "redis-incr", "redlock", "etcd", "zookeeper"}

// atOnce is how many cells run at the same time. Most of a run is waiting for a
// lease to end.
const atOnce = 10

// cellTries is how often a cell is run that fails to come to an end.
const cellTries = 3

// RunMatrix runs every cell of these services, or of all if none is named, and
// tells progress after each. When ctx ends it returns what is done, and the
// context's error.
func RunMatrix(ctx context.Context, services []string, progress func(done, total int)) (Matrix, error) {
	if len(services) == 0 {
		services = matrixServices
	}
	for _, s := range services {
		if err := oneOf("--service", s, matrixServices); err != nil {
			return Matrix{}, err
		}
	}
	var m Matrix
	var zk *sharedZooKeeper
	if slices.Contains(services, "zookeeper") {
		zk = startSharedZooKeeper(ctx)
		defer zk.stop()
	}
	for _, service := range services {
		if service == "zookeeper" && zk.missing != nil {
			m.NotTried = append(m.NotTried, Missing{service, zk.missing.Error()})
			continue
		}
		for _, store := range []string{Unfenced, Fenced} {
			m.Rows = append(m.Rows, MatrixRow{Service: service, Store: store, Cells: make([]MatrixCell, len(faults))})
		}
	}
	err := m.fill(ctx, zk, progress)
	m.drop(zk)
	return m, err
}

// sharedZooKeeper is the one server that all cells of the ZooKeeper rows run
// against: each would take longer to start than to run. It starts while other
// cells run.
type sharedZooKeeper struct {
	missing error // there is none to start
	started chan struct{}
	server  *server.ZooKeeper // these two are read after started
	err     error
}

func startSharedZooKeeper(ctx context.Context) *sharedZooKeeper {
	z := &sharedZooKeeper{missing: server.FindZooKeeper(), started: make(chan struct{})}
	go guard.Func(func() {
		defer close(z.started)
		if z.missing == nil {
			z.server, z.err = server.StartZooKeeper(ctx)
		}
	})()
	return z
}

// servers waits until it is up.
func (z *sharedZooKeeper) servers() (Servers, error) {
	<-z.started
	if z.err != nil {
		return Servers{}, z.err
	}
	return Servers{ZooKeeper: &lock.Config{Service: "zookeeper", Endpoints: []string{z.server.Addr()}}}, nil
}

func (z *sharedZooKeeper) stop() {
	<-z.started
	if z.server != nil {
		_ = z.server.Close() // it goes with its directory
	}
}

// drop takes out the rows of a ZooKeeper that did not start, and says why.
func (m *Matrix) drop(z *sharedZooKeeper) {
	if z == nil || z.missing != nil || z.err == nil {
		return
	}
	m.Rows = slices.DeleteFunc(m.Rows, func(r MatrixRow) bool { return r.Service == "zookeeper" })
	m.NotTried = append(m.NotTried, Missing{"zookeeper", z.err.Error()})
}

// task is one cell to run.
type task struct {
	cell    *MatrixCell
	lab     Lab
	options Options
	zk      *sharedZooKeeper // nil = needs none
}

func (m *Matrix) fill(ctx context.Context, zk *sharedZooKeeper, progress func(done, total int)) error {
	tasks := m.tasks(zk)
	var mu sync.Mutex
	done, errs := 0, []error(nil)
	next := make(chan task)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(guard.Func(func() {
			for t := range next {
				outcome, err := t.run(ctx)
				mu.Lock()
				t.cell.Outcome = outcome
				errs = append(errs, err)
				done++
				progress(done, len(tasks))
				mu.Unlock()
			}
		}))
	}
	for _, t := range tasks {
		select {
		case next <- t:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

// tasks are the cells that mean something; the others say why they do not. The
// slow ones come first.
func (m *Matrix) tasks(zk *sharedZooKeeper) []task {
	var tasks []task
	for i := range m.Rows {
		row := &m.Rows[i]
		for j, f := range faults {
			cell := &row.Cells[j]
			cell.Fault = f.name
			t, err := f.task(row.Service, row.Store)
			if err != nil {
				cell.Outcome, cell.Why = cellNone, err.Error()
				continue
			}
			t.cell, cell.Command = cell, t.command()
			if row.Service == "zookeeper" {
				t.zk = zk
			}
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b task) int { return b.weight() - a.weight() })
	return tasks
}

func (f fault) task(service, store string) (task, error) {
	l, err := Named(f.lab)
	if err != nil {
		return task{}, err
	}
	o := Options{Service: service, Store: store, Values: f.values}
	if f.on != "" {
		o.On = []string{f.on}
	}
	if !slices.Contains(l.Services, service) {
		return task{}, fmt.Errorf("lab %s is about %s", f.lab, strings.Join(l.Services, ", "))
	}
	o, err = l.Fill(o)
	return task{lab: l, options: o}, err
}

func (t task) command() string {
	parts := append([]string{"lockdrill lab", t.lab.Name, "--service", t.options.Service, "--store", t.options.Store}, t.lab.Flagged(t.options)...)
	return strings.Join(parts, " ")
}

// weight: leases of etcd are the longest, and ZooKeeper takes its time to start.
func (t task) weight() int {
	return map[string]int{"zookeeper": -1, "etcd": 1}[t.options.Service]
}

// run runs a cell to its end. One that could not be brought to an end is run
// again: the outcome is that of a whole run or none.
func (t task) run(ctx context.Context) (string, error) {
	var err error
	if t.zk != nil {
		if t.options.Servers, err = t.zk.servers(); err != nil {
			return "", nil // its rows are dropped, with the reason
		}
	}
	for range cellTries {
		var r Result
		if r, err = playOnce(ctx, t.lab, t.options); err == nil {
			return r.outcome(), nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	return "", fmt.Errorf("%s: %w", t.command(), err)
}

func playOnce(ctx context.Context, l Lab, o Options) (Result, error) {
	s, err := Start(ctx, l, o)
	if err != nil {
		return Result{}, err
	}
	err = s.Play(ctx)
	return s.Result(), errors.Join(err, s.Close())
}

// outcome is what a run comes to, in a word of the matrix.
func (r Result) outcome() string {
	switch {
	case r.Verdict.Check("holder-served").Verdict == Broken:
		return cellRefused
	case r.Verdict.LateWrite == "landed":
		return cellLanded
	case r.Verdict.LateWrite == "fenced":
		return cellFenced
	}
	return cellOne
}
