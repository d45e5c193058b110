package labs

import (
	"context"
	"errors"

	"lockdrill/labs/lock"
	"lockdrill/labs/server"
)

// bareSite is no lock service at all: the lab takes no lock, or its run starts
// the servers that it measures by itself.
type bareSite struct{}

var errNoService = errors.New("this lab has no lock service to act on")

func (bareSite) name() string                                    { return NoService }
func (bareSite) nodes() []node                                   { return nil }
func (bareSite) connect(string) (lock.Config, error)             { return lock.Config{}, nil }
func (bareSite) of(string) []*server.Link                        { return nil }
func (bareSite) direct() lock.Config                             { return lock.Config{} }
func (bareSite) operate(context.Context, Action) (string, error) { return "", errNoService }
func (bareSite) possible(Action) error                           { return errNoService }
func (bareSite) simulated() []string                             { return nil }
func (bareSite) close() error                                    { return nil }
