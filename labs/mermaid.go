package labs

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMermaid writes the run as a Mermaid sequence diagram: who asked whom, and
// what was answered. Renewals that went well are left out.
func (r Result) WriteMermaid(w io.Writer) error {
	d := diagram{r: r, service: picture{events: r.Events}.serviceName()}
	d.b.WriteString("sequenceDiagram\n")
	for _, name := range d.participants() {
		fmt.Fprintf(&d.b, "    participant %s\n", alias(name))
	}
	for _, e := range r.Events {
		d.add(e)
	}
	_, err := io.WriteString(w, d.b.String())
	return err
}

type diagram struct {
	r       Result
	service string
	b       strings.Builder
	known   []string
}

// participants are the processes, clients first, then the service, the store and
// whoever else there is.
func (d *diagram) participants() []string {
	var clients, others []string
	for _, e := range d.r.Events {
		name := e.Process
		switch {
		case slices.Contains(clients, name) || slices.Contains(others, name):
		case e.Type == Invoke:
			clients = append(clients, name)
		case name != labName && !d.isNode(name):
			others = append(others, name)
		}
	}
	others = slices.DeleteFunc(others, func(n string) bool { return slices.Contains(clients, n) })
	if d.hasService() {
		clients = append(clients, d.service)
	}
	d.known = append(clients, others...)
	return d.known
}

// isNode says whether a process is a server of the lock service, which the
// diagram shows as one.
func (d *diagram) isNode(name string) bool {
	return name == d.service || strings.HasPrefix(name, d.service+"-")
}

func (d *diagram) hasService() bool {
	return slices.ContainsFunc(d.r.Events, func(e Event) bool { return e.Op == OpAcquire || d.isNode(e.Process) })
}

func (d *diagram) add(e Event) {
	to, asks := map[Op]string{
		OpAcquire: d.service, OpRenew: d.service, OpRelease: d.service, OpDelete: d.service,
		OpClaim: StoreName, OpRead: StoreName, OpWrite: StoreName, OpIntend: StoreName, OpCharge: VendorName,
	}[e.Op]
	switch {
	case e.Op == OpReady, e.Op == OpStart, e.Op == OpRenew && e.Type != Fail:
	case asks && (e.Process == StoreName || e.Process == VendorName):
		d.decision(e)
	case asks && e.Type == Invoke:
		d.line("%s->>%s: %s", alias(e.Process), alias(to), Explain(e))
	case asks && to == d.service:
		d.line("%s%s%s: %s", alias(to), map[bool]string{true: "-->>", false: "--x"}[e.Type == OK], alias(e.Process), Explain(e))
	case asks: // what the store or the vendor decided is there already
	case d.isNode(e.Process):
		d.line("Note over %s: %s %s", alias(d.service), e.Process, Explain(e))
	case e.Process == labName:
		d.line("Note over %s: %s", alias(d.known[0]), Explain(e))
	default:
		d.line("Note over %s: %s", alias(e.Process), Explain(e))
	}
}

// decision is an answer of the store or the vendor, to whoever asked.
func (d *diagram) decision(e Event) {
	asker := picture{events: d.r.Events}.invoker(e)
	if asker == "" {
		d.line("Note over %s: %s", alias(e.Process), Explain(e))
		return
	}
	d.line("%s%s%s: %s", alias(e.Process), map[bool]string{true: "-->>", false: "--x"}[e.Type == OK], alias(asker), Explain(e))
}

// line adds one line. Mermaid ends a statement at a semicolon and takes # for an
// entity.
func (d *diagram) line(format string, args ...any) {
	text := strings.NewReplacer("#", "#35;", ";", "#59;", "\n", " ").Replace(fmt.Sprintf(format, args...))
	d.b.WriteString("    " + text + "\n")
}

// alias is a name without characters that Mermaid reads as something else.
func alias(name string) string { return strings.ReplaceAll(name, "-", "_") }
