package labs

import (
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
	Points   []int    // the talking points it proves
	Flags    []Flag

	ttl      func(service string) time.Duration // the default
	handTTL  func(service string) time.Duration // the default where people press the keys
	plan     func(o Options) plan
	opening  func(o Options) []string // actions that set the scene before a person takes over
	controls func(o Options) []Control
	question func(o Options) Question
	say      func(r Result) Lesson
}

// Flag is a switch of one lab, and which services know it (nil = all).
type Flag struct {
	Name, Usage string
	Services    []string
}

// Options choose a variant of a lab. Zero fields take the lab's defaults.
type Options struct {
	Service string
	Store   string        // "unfenced" or "fenced"
	TTL     time.Duration // asked for; the service may grant more
	On      []string      // names of the flags that are set
}

// plan is what a variant needs, and its story.
type plan struct {
	scenario string
	replicas int // redis
	wait     int // redis: replicas that must acknowledge a grant
	members  int // etcd
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

// UsageError is a wrong choice of the person's: exit code 2.
type UsageError struct{ Text string }

func (e UsageError) Error() string { return e.Text }

func usagef(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// All lists the labs that exist, in the order to run them.
func All() []Lab { return []Lab{pauseLab(), failoverLab()} }

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
	if o.Store == "" {
		o.Store = l.Stores[0]
	}
	if err := oneOf("--service", o.Service, l.Services); err != nil {
		return o, err
	}
	if err := oneOf("--store", o.Store, l.Stores); err != nil {
		return o, err
	}
	if o.TTL == 0 {
		o.TTL = l.ttl(o.Service)
	}
	if o.TTL < minTTL || o.TTL > maxTTL {
		return o, usagef("--ttl %s is outside %s to %s", o.TTL, minTTL, maxTTL)
	}
	for _, name := range o.On {
		if err := l.knows(name, o.Service); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (l Lab) knows(flag, service string) error {
	i := slices.IndexFunc(l.Flags, func(f Flag) bool { return f.Name == flag })
	if i < 0 {
		return usagef("lab %s has no flag --%s", l.Name, flag)
	}
	if known := l.Flags[i].Services; known != nil && !slices.Contains(known, service) {
		return usagef("--%s means nothing to %s; it is for %s", flag, service, strings.Join(known, ", "))
	}
	return nil
}

func oneOf(flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return usagef("%s %q is not one of %s%s", flag, value, strings.Join(known, ", "), suggest(value, known))
}

// has says whether a flag is set.
func (o Options) has(flag string) bool { return slices.Contains(o.On, flag) }
