package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"lockdrill/labs/lock"
	"lockdrill/labs/store"
	"lockdrill/labs/vendor"
)

const childEnv = "LOCKDRILL_CLIENT"

// Main turns this process into a client if the lab started it as one, and then
// never returns. Every program that starts labs, and every TestMain, calls it
// first.
func Main() {
	if os.Getenv(childEnv) == "" {
		return
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child is the client process: a worker that executes commands one by one, and
// beside it a renewal loop, as client libraries have.
type child struct {
	cfg    Config
	svc    lock.Service
	store  *store.Client
	vendor *vendor.Client

	out     *json.Encoder
	outMu   sync.Mutex
	mu      sync.Mutex // everything below
	reports int
	waiting map[int]chan ack
	held    *holding
}

func serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	first, err := readMessage(lines)
	if err != nil || first.Config == nil {
		return fmt.Errorf("client: no configuration on standard input: %w", err)
	}
	svc, err := openService(first.Config.Lock)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	c := &child{
		cfg: *first.Config, svc: svc, store: store.NewClient(first.Config.StoreURL), vendor: vendor.NewClient(first.Config.VendorURL),
		out: json.NewEncoder(out), waiting: map[int]chan ack{},
	}
	commands := make(chan Command, 64)
	go c.work(commands)
	for {
		m, err := readMessage(lines)
		switch {
		case errors.Is(err, io.EOF):
			return nil // the lab is gone, or done with us
		case err != nil:
			return err
		case m.Ack != nil:
			c.acknowledge(*m.Ack)
		case m.Command != nil:
			commands <- *m.Command
		}
	}
}

// openService connects to the lock service, if the lab has one.
func openService(cfg lock.Config) (lock.Service, error) {
	if cfg.Service == "" {
		return nil, nil
	}
	return lock.Open(cfg)
}

func readMessage(lines *bufio.Scanner) (message, error) {
	var m message
	if !lines.Scan() {
		return m, errors.Join(lines.Err(), io.EOF)
	}
	return m, json.Unmarshal(lines.Bytes(), &m)
}

// work says hello and then does what it is told. The lock service is asked once
// before that, so that the first acquire is not the one to find the way.
func (c *child) work(commands <-chan Command) {
	if c.svc != nil {
		ctx, _, cancel := c.request()
		_, _ = c.svc.Holder(ctx, c.cfg.Resource) // whatever it says, the acquire will tell
		cancel()
	}
	c.report(Report{Op: Hello, Outcome: OK})
	for cmd := range commands {
		c.execute(cmd)
	}
}

func (c *child) execute(cmd Command) {
	switch cmd.Op {
	case Acquire, Wait:
		c.acquire(cmd.Op, cmd.Call, cmd.Stand)
	case Release:
		c.release(cmd.Call)
	case Claim, Read:
		c.ask(cmd.Op, cmd.Call, "")
	case Write, Save:
		c.ask(cmd.Op, cmd.Call, cmd.Value)
	case Delete:
		c.delete(cmd.Call)
	case Check, Mark, Intend:
		c.row(cmd)
	case Charge:
		c.charge(cmd)
	case Work:
		c.job(cmd)
	}
}

// report tells the lab and waits until it is in the history.
func (c *child) report(r Report) ack {
	if r.Resource == "" {
		r.Resource = c.cfg.Resource
	}
	c.mu.Lock()
	c.reports++
	r.N = c.reports
	answered := make(chan ack, 1)
	c.waiting[r.N] = answered
	c.mu.Unlock()

	c.outMu.Lock()
	err := c.out.Encode(r)
	c.outMu.Unlock()
	if err != nil {
		os.Exit(1) // the lab is gone
	}
	return <-answered
}

func (c *child) acknowledge(a ack) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.waiting[a.N]; w != nil {
		w <- a
		delete(c.waiting, a.N)
	}
}

// start announces an operation that no command asked for, and returns its call.
func (c *child) start(r Report) int {
	r.Outcome = Invoke
	return c.report(r).Call
}

// request returns the context of one request, and where its wire is recorded.
func (c *child) request() (context.Context, *[]lock.Exchange, context.CancelFunc) {
	var wire []lock.Exchange
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.Patience)
	return lock.Recorded(ctx, &wire), &wire, cancel
}
