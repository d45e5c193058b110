package labs

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Flag is a choice that one lab offers beside service, store and lease: a
// switch, one of several words, or a whole number.
type Flag struct {
	Name, Usage string
	Services    []string // which services know it; nil = all
	Values      []string // one of these; nil = a switch or a number
	Default     string   // of a word or a number
	Min, Max    int      // of a number; Max 0 = no number
	// By is the words by service, where each has its own; the first is its default.
	By map[string][]string
}

// Switch says that the flag is on or off and has no value.
func (f Flag) Switch() bool { return f.Values == nil && f.Max == 0 && f.By == nil }

// words are the values that the flag takes with a service; nil = any number.
func (f Flag) words(service string) []string {
	if f.By != nil {
		return f.By[service]
	}
	return f.Values
}

// standard is the default with a service.
func (f Flag) standard(service string) string {
	if f.By != nil && len(f.By[service]) > 0 {
		return f.By[service][0]
	}
	return f.Default
}

// check says what is wrong with a value, or nil.
func (f Flag) check(value, service string) error {
	if words := f.words(service); words != nil {
		return oneOf("--"+f.Name, value, words)
	}
	if n, err := strconv.Atoi(value); err != nil || n < f.Min || n > f.Max {
		return usagef("--%s %q is no whole number from %d to %d", f.Name, value, f.Min, f.Max)
	}
	return nil
}

// fillFlags checks the flags that are set and fills in the others' defaults.
func (l Lab) fillFlags(o *Options) error {
	for _, name := range o.On {
		if err := l.knows(name, o.Service); err != nil {
			return err
		}
	}
	values := maps.Clone(o.Values)
	if values == nil {
		values = map[string]string{}
	}
	for name := range values {
		if err := l.knows(name, o.Service); err != nil {
			return err
		}
	}
	for _, f := range l.Flags {
		if f.Switch() || !f.knownTo(o.Service) {
			continue
		}
		if values[f.Name] == "" {
			values[f.Name] = f.standard(o.Service)
		}
		if err := f.check(values[f.Name], o.Service); err != nil {
			return err
		}
	}
	o.Values = values
	return nil
}

func (f Flag) knownTo(service string) bool {
	return f.Services == nil || slices.Contains(f.Services, service)
}

func (l Lab) knows(flag, service string) error {
	i := slices.IndexFunc(l.Flags, func(f Flag) bool { return f.Name == flag })
	if i < 0 {
		return usagef("lab %s has no flag --%s", l.Name, flag)
	}
	if f := l.Flags[i]; !f.knownTo(service) {
		return usagef("--%s means nothing to %s; it is for %s", flag, service, strings.Join(f.Services, ", "))
	}
	return nil
}

// has says whether a switch is set.
func (o Options) has(flag string) bool { return slices.Contains(o.On, flag) }

// value is the value of a flag, checked by Fill.
func (o Options) value(flag string) string { return o.Values[flag] }

// number is the value of a flag that is a whole number, checked by Fill.
func (o Options) number(flag string) int {
	n, _ := strconv.Atoi(o.Values[flag]) // Fill has seen to it
	return n
}

// Flagged are the flags as they were set, for people: --wait, --writers 8.
// Defaults are left out.
func (l Lab) Flagged(o Options) []string {
	var all []string
	for _, f := range l.Flags {
		switch v := o.value(f.Name); {
		case f.Switch() && o.has(f.Name):
			all = append(all, "--"+f.Name)
		case !f.Switch() && v != "" && v != f.standard(o.Service):
			all = append(all, "--"+f.Name+" "+v)
		}
	}
	return all
}
