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
	var servers Servers
	if slices.Contains(services, "zookeeper") {
		var stop func()
		servers, stop = m.zooKeeper(ctx)
		defer stop()
	}
	for _, service := range services {
		if slices.ContainsFunc(m.NotTried, func(n Missing) bool { return n.Service == service }) {
			continue
		}
		for _, store := range []string{Unfenced, Fenced} {
			m.Rows = append(m.Rows, MatrixRow{Service: service, Store: store, Cells: make([]MatrixCell, len(faults))})
		}
	}
	return m, m.fill(ctx, servers, progress)
}

// zooKeeper starts the one server that all cells of its rows share: each would
// take longer to start than to run.
func (m *Matrix) zooKeeper(ctx context.Context) (Servers, func()) {
	z, err := startedZooKeeper(ctx)
	if err != nil {
		m.NotTried = append(m.NotTried, Missing{"zookeeper", err.Error()})
		return Servers{}, func() {}
	}
	at := lock.Config{Service: "zookeeper", Endpoints: []string{z.Addr()}}
	return Servers{ZooKeeper: &at}, func() { _ = z.Close() } // it goes with its directory
}

func startedZooKeeper(ctx context.Context) (*server.ZooKeeper, error) {
	if err := server.FindZooKeeper(); err != nil {
		return nil, err
	}
	return server.StartZooKeeper(ctx)
}

// task is one cell to run.
type task struct {
	cell    *MatrixCell
	lab     Lab
	options Options
}

func (m *Matrix) fill(ctx context.Context, servers Servers, progress func(done, total int)) error {
	tasks := m.tasks(servers)
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
func (m *Matrix) tasks(servers Servers) []task {
	var tasks []task
	for i := range m.Rows {
		row := &m.Rows[i]
		for j, f := range faults {
			cell := &row.Cells[j]
			cell.Fault = f.name
			t, err := f.task(row.Service, row.Store, servers)
			if err != nil {
				cell.Outcome, cell.Why = cellNone, err.Error()
				continue
			}
			t.cell, cell.Command = cell, t.command()
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b task) int { return b.weight() - a.weight() })
	return tasks
}

func (f fault) task(service, store string, servers Servers) (task, error) {
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
	if service == "zookeeper" {
		o.Servers = servers
	}
	o, err = l.Fill(o)
	return task{lab: l, options: o}, err
}

func (t task) command() string {
	parts := append([]string{"lockdrill lab", t.lab.Name, "--service", t.options.Service, "--store", t.options.Store}, t.lab.Flagged(t.options)...)
	return strings.Join(parts, " ")
}

// weight: leases of etcd and ZooKeeper are the longest.
func (t task) weight() int {
	return map[string]int{"zookeeper": 2, "etcd": 1}[t.options.Service]
}

// run runs a cell to its end. One that could not be brought to an end is run
// again: the outcome is that of a whole run or none.
func (t task) run(ctx context.Context) (string, error) {
	var err error
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
