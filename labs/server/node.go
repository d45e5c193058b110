package server

import (
	"context"
	"errors"
	"time"
)

// Node is one Redis, in this process or a real one beside it.
type Node interface {
	// Addr is host:port, the same for all its life.
	Addr() string
	// Follow makes it a replica of a primary of its own kind, beginning with a
	// full copy.
	Follow(ctx context.Context, primary Node) error
	// Lag lets it receive nothing more from its primary.
	Lag() error
	// Lead makes it follow nobody.
	Lead(ctx context.Context) error
	// Jump puts its clock forward: leases that would have ended by then are gone.
	Jump(d time.Duration) error
	// Restart ends it and starts it again, empty: it had no persistence.
	Restart(ctx context.Context) error
	// Kill ends it as a crash does.
	Kill() error
	// Close ends it for good. Closing it again does nothing.
	Close() error
}

// Follow makes the node a replica of another one in this process.
func (r *Redis) Follow(_ context.Context, primary Node) error {
	p, ok := primary.(*Redis)
	if !ok {
		return errors.New("a Redis in this process follows one in this process")
	}
	p.Replicate(r)
	r.follows = p
	return nil
}

// Lag holds back what the primary sends.
func (r *Redis) Lag() error {
	if r.follows == nil {
		return errors.New("it follows no primary")
	}
	r.follows.Hold(r)
	return nil
}

// Lead makes the node follow nobody.
func (r *Redis) Lead(context.Context) error {
	if r.follows != nil {
		r.follows.Hold(r)
	}
	r.follows = nil
	return nil
}

// Kill ends the node as a crash does.
func (r *Redis) Kill() error { return r.Close() }

// Jump puts the node's clock forward.
func (r *Redis) Jump(d time.Duration) error {
	r.m.FastForward(d)
	return nil
}

// Restart empties the node and starts it again at the same address.
func (r *Redis) Restart(context.Context) error {
	r.m.Close()
	r.m.FlushAll()
	if err := r.m.Restart(); err != nil {
		return err
	}
	r.m.Server().SetPreHook(r.hook)
	return nil
}
