// Package client is the process that takes locks and writes: a child process,
// so that stopping it stops all of it, its lease renewal too. The lab's process
// sends it commands; it reports each outcome and waits until the report is in
// the history before it goes on. Messages are JSON, one a line, on its standard
// input and output.
package client

import (
	"time"

	"lockdrill/labs/lock"
)

// Config is what a client process is told when it starts.
type Config struct {
	Name     string      `json:"name"` // "A"
	Resource string      `json:"resource"`
	Lock     lock.Config `json:"lock"`
	StoreURL string      `json:"store_url"`
	// VendorURL is where charges go; "" = there is no vendor.
	VendorURL string `json:"vendor_url,omitempty"`
	// Lockless clients read and write without a lease, too.
	Lockless bool `json:"lockless,omitempty"`
	// NoRenew clients let their leases run out.
	NoRenew bool          `json:"no_renew,omitempty"`
	TTL     time.Duration `json:"ttl"`
	// Patience bounds one request to the lock service or the store.
	Patience time.Duration `json:"patience"`
}

// Op names what a command asks for, and what a report is about.
type Op string

// Acquire to Work are commands; Renew, Look and Ready the client does of its
// own accord.
const (
	Acquire Op = "acquire" // one attempt
	Wait    Op = "wait"    // acquire, waiting for it
	Release Op = "release"
	Claim   Op = "claim"
	Read    Op = "read"
	Write   Op = "write"
	Save    Op = "save"   // write if the version is still the one read
	Delete  Op = "delete" // delete the lock key without asking whose it is
	Check   Op = "check"  // read a row that is none of the lock's
	Mark    Op = "mark"   // write such a row
	Intend  Op = "intend" // insert a row, once
	Charge  Op = "charge" // ask the vendor for money
	Work    Op = "work"   // do the job up to its write, report Ready, and write once that is acknowledged
	Renew   Op = "renew"
	Look    Op = "look"  // a look at its own lease, by its own clock
	Hello   Op = "hello" // it is up and has reached the lock service; its first report
	Ready   Op = "ready" // it stands before its write
)

// Command is one thing to do. Call is the number of the invoke event that it
// was logged under.
type Command struct {
	Op         Op     `json:"op"`
	Call       int    `json:"call"`
	Resource   string `json:"resource,omitempty"`
	Key        string `json:"key,omitempty"` // Charge: idempotency key
	Value      string `json:"value,omitempty"`
	Stand      bool   `json:"stand,omitempty"`       // Acquire: stop before it is looked at what the answers mean
	CheckClock bool   `json:"check_clock,omitempty"` // Work: look at the lease just before the write
}

// Outcome says how an operation ended.
type Outcome string

// Invoke announces an operation that the client starts by itself. Info means
// that the client cannot know whether it took place.
const (
	Invoke Outcome = "invoke"
	OK     Outcome = "ok"
	Fail   Outcome = "fail"
	Info   Outcome = "info"
)

// Report is what the client says happened.
type Report struct {
	N       int        `json:"n"` // to be acknowledged
	Op      Op         `json:"op"`
	Outcome Outcome    `json:"outcome"`
	Call    int        `json:"call"` // 0 on Invoke: the acknowledgement assigns it
	Grant   int        `json:"grant"`
	Lease   lock.Lease `json:"lease"`
	// Waited is how long after its start an acquire asked for what it was granted.
	Waited  time.Duration `json:"waited,omitempty"`
	Version uint64        `json:"version,omitempty"`
	Base    uint64        `json:"base,omitempty"`
	Value   string        `json:"value,omitempty"`
	// Resource is what the operation was about; the reporter fills it in.
	Resource string          `json:"resource,omitempty"`
	Effect   string          `json:"effect,omitempty"` // Charge: what must happen once
	Err      string          `json:"err,omitempty"`
	Detail   string          `json:"detail,omitempty"`
	Wire     []lock.Exchange `json:"wire,omitempty"`
}

// ack answers a report.
type ack struct {
	N     int `json:"n"`
	Call  int `json:"call,omitempty"`  // after Invoke: the number of that event
	Grant int `json:"grant,omitempty"` // after a granted acquire: its number
}

// message is one line to the client: its configuration (first), a command or an
// acknowledgement.
type message struct {
	Config  *Config  `json:"config,omitempty"`
	Command *Command `json:"command,omitempty"`
	Ack     *ack     `json:"ack,omitempty"`
}
