package labs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Lab is one experiment: a question, what it can run against, and its story.
type Lab struct {
	Name     string
	Question string   // what it answers, one line
	Services []string // the first is the default
	Stores   []string // the first is the default
	Points   []int    // the talking points it can prove; a run proves those of Proves
	Flags    []Flag

	ttl      func(service string) time.Duration // the default; nil = no lease is taken
	ttlFor   func(o Options) time.Duration      // the same, where it depends on more; nil = ttl
	handTTL  func(service string) time.Duration // the default where people press the keys; nil = ttl
	plan     func(o Options) plan
	run      func(ctx context.Context, s *Session) error // the story, where it is coded and no scenario
	opening  func(o Options) []string                    // actions that set the scene before a person takes over; nil = none
	controls func(o Options) []Control                   // nil = the run alone
	question func(o Options) Question                    // nil = none
	say      func(r Result) Lesson
}

// Options choose a variant of a lab. Zero fields take the lab's defaults.
type Options struct {
	Service string
	Store   string        // "unfenced" or "fenced"
	TTL     time.Duration // asked for; the service may grant more
	On      []string      // names of the switches that are set
	// Values are the flags that have a value, by name.
	Values map[string]string
	// Servers are what it runs against; the zero value = what lockdrill starts.
	Servers Servers
}

// plan is what a variant needs, and its story.
type plan struct {
	scenario string // "" = the lab's own run
	file     string // where steps come from
	steps    []Step // a scenario that is no built-in one
	replicas int    // redis
	wait     int    // redis: replicas that must acknowledge a grant
	members  int    // etcd
	split    string // etcd: how clients are spread over the members
	// ownServer says that the story rests on how lockdrill sets its servers up.
	ownServer bool
	clients   []string      // nil = A and B
	bare      bool          // neither clients nor service nor store: the run sees to itself
	lockless  bool          // clients read and write without a lease, too
	noRenew   bool          // clients do not renew their leases
	vendor    bool          // there is a vendor that takes charges
	keys      bool          // charges carry an idempotency key
	unpaid    []string      // invoices in the store
	bound     time.Duration // of one wait; 0 = waitBound
}

func (p plan) clientNames() []string {
	switch {
	case p.bare:
		return nil
	case p.clients == nil:
		return []string{"A", "B"}
	}
	return p.clients
}

// Lesson is what a run has to say.
type Lesson struct {
	What string // what happened, one line
	Why  string
	Room string // the sentence to say in the room
}

// Stores, as every lab with a data store offers them.
const (
	Unfenced = "unfenced"
	Fenced   = "fenced"
)

// NoService is the service of a lab that takes no lock.
const NoService = "none"

// UsageError is a wrong choice of the person's: exit code 2.
type UsageError struct{ Text string }

func (e UsageError) Error() string { return e.Text }

func usagef(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// All lists the labs that exist, in the order to run them.
func All() []Lab {
	return []Lab{
		pauseLab(), failoverLab(), deleteLab(), partitionLab(), chargeLab(), retryLab(), thinkTimeLab(), forgottenClientLab(),
		optimisticLab(), waitersLab(), hotKeyLab(), costLab(), placementLab(),
		redlockLab(), leaderLab(),
	}
}

// Named finds a lab. The error suggests the nearest name.
func Named(name string) (Lab, error) {
	var names []string
	for _, l := range All() {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return Lab{}, usagef("no lab is called %q%s", name, suggestOr(name, names, "; lockdrill lab lists them"))
}

func suggestOr(word string, known []string, otherwise string) string {
	if s := suggest(word, known); s != "" {
		return s
	}
	return otherwise
}

// Limits of --ttl. Below the first a busy machine cannot renew in time.
const (
	minTTL = 50 * time.Millisecond
	maxTTL = 10 * time.Minute
)

// Fill checks the options and fills in the lab's defaults.
func (l Lab) Fill(o Options) (Options, error) {
	if o.Service == "" {
		o.Service = l.Services[0]
	}
	if o.Store == "" && o.value(flagToken) != "" {
		o.Store = Fenced // nobody else compares tokens
	}
	if o.Store == "" {
		o.Store = l.Stores[0]
	}
	if err := oneOf("--service", o.Service, l.Services); err != nil {
		return o, err
	}
	if err := oneOf("--store", o.Store, l.Stores); err != nil {
		return o, err
	}
	if err := l.fillFlags(&o); err != nil {
		return o, err
	}
	if err := l.fillTTL(&o); err != nil {
		return o, err
	}
	return o, o.Servers.fits(o, l.plan(o))
}

// Leases says whether the lab takes leases, whose length can be chosen.
func (l Lab) Leases() bool { return l.ttl != nil }

// lease is the default length of a lease.
func (l Lab) lease(o Options) time.Duration {
	if l.ttlFor != nil {
		return l.ttlFor(o)
	}
	return l.ttl(o.Service)
}

func (l Lab) fillTTL(o *Options) error {
	if !l.Leases() {
		if o.TTL != 0 {
			return usagef("lab %s takes no lease that --ttl could set", l.Name)
		}
		return nil
	}
	if o.TTL == 0 {
		o.TTL = l.lease(*o)
	}
	if o.TTL < minTTL || o.TTL > maxTTL {
		return usagef("--ttl %s is outside %s to %s", o.TTL, minTTL, maxTTL)
	}
	return nil
}

func oneOf(flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return usagef("%s %q is not one of %s%s", flag, value, strings.Join(known, ", "), suggest(value, known))
}
