package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"lockdrill/labs"
)

// labFlags are the flags that one lab has of its own, by name.
type labFlags struct {
	switches map[string]*bool
	values   map[string]*string
}

// define adds the lab's own flags to a command's.
func (o *labFlags) define(l labs.Lab, to *pflag.FlagSet) {
	o.switches, o.values = map[string]*bool{}, map[string]*string{}
	for _, f := range l.Flags {
		switch {
		case f.Switch():
			o.switches[f.Name] = to.Bool(f.Name, false, f.Usage)
		case f.By != nil:
			o.values[f.Name] = to.String(f.Name, "", f.Usage+"; "+byService(f))
		case f.Values != nil:
			o.values[f.Name] = to.String(f.Name, "", fmt.Sprintf("%s: %s (default %s)", f.Usage, strings.Join(f.Values, ", "), f.Default))
		default:
			o.values[f.Name] = to.String(f.Name, "", fmt.Sprintf("%s, %d to %d (default %s)", f.Usage, f.Min, f.Max, f.Default))
		}
	}
}

// byService lists the words of a flag that differ by service.
func byService(f labs.Flag) string {
	var parts []string
	for _, s := range f.Services {
		parts = append(parts, s+": "+strings.Join(f.By[s], ", "))
	}
	return strings.Join(parts, "; ") + " (default the first)"
}

// set is what was set, as a lab's options hold it.
func (o *labFlags) set(l labs.Lab) (on []string, values map[string]string) {
	values = map[string]string{}
	for _, f := range l.Flags {
		switch {
		case f.Switch() && *o.switches[f.Name]:
			on = append(on, f.Name)
		case !f.Switch() && *o.values[f.Name] != "":
			values[f.Name] = *o.values[f.Name]
		}
	}
	return on, values
}
