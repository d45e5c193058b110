// Package labs runs experiments on real locks: it starts a lock service, a data
// store and client processes, breaks them on command, keeps the history of what
// was observed, and judges that history.
package labs

import (
	"encoding/json"
	"time"

	"lockdrill/labs/lock"
)

// Type says which part of an operation an event is.
type Type string

// The types of event. Info means that the outcome is unknown: the operation may
// or may not have taken place.
const (
	Invoke Type = "invoke"
	OK     Type = "ok"
	Fail   Type = "fail"
	Info   Type = "info"
)

// Op names what happened.
type Op string

// What clients do, what the store and the lock service were seen to do, and
// what the lab does to them.
const (
	OpAcquire Op = "acquire"
	OpRenew   Op = "renew"
	OpRelease Op = "release"
	OpClaim   Op = "claim" // register a token with the store
	OpRead    Op = "read"
	OpWrite   Op = "write"
	OpLook    Op = "look"  // a client compares its lease with its own clock
	OpReady   Op = "ready" // a client stands before its write
	OpExit    Op = "exit"  // a client process ended by itself

	OpStart Op = "start" // a server of the lock service is up; Detail is its role

	OpExpire Op = "expire" // a lease was seen to have ended
	OpVanish Op = "vanish" // the service forgot a lease before its promised end

	OpPause   Op = "pause"
	OpResume  Op = "resume"
	OpKill    Op = "kill"
	OpPromote Op = "promote"
	OpLag     Op = "lag" // a replica receives nothing more from its primary
	OpCut     Op = "cut"
	OpMend    Op = "mend"
	OpElect   Op = "elect"
	OpJump    Op = "jump"    // a node's clock is put forward; Detail says by how much
	OpRestart Op = "restart" // a node ends and begins again, empty
	OpSweep   Op = "sweep"   // ZooKeeper removed the emptied parent of the lock nodes
	OpQueue   Op = "queue"   // a client was seen to stand in line
	OpPeek    Op = "peek"    // what the members say that a client reaches; in Detail
	OpFence   Op = "fence"
	OpUnfence Op = "unfence"
	OpHang    Op = "hang"
	OpNote    Op = "note"

	OpCharge Op = "charge" // an effect outside: what Effect names was done
	OpStall  Op = "stall"  // the vendor takes charges and holds back its answers
	OpAnswer Op = "answer" // the vendor's answers go out again
	OpIntend Op = "intend" // write down that an effect is about to be tried, once
	OpDelete Op = "delete" // delete a lock key without asking whose it is

	OpMeasure Op = "measure" // the run's figures, in Measured
)

// StoreName is the process under which the data store's decisions are logged.
const StoreName = "store"

// VendorName is the process under which charges are logged as they happen.
const VendorName = "vendor"

// Event is one thing observed. Events are flat: JSON, golden files and the
// screen share them.
type Event struct {
	Seq      int           // from 1
	At       time.Duration // since the start of the run, by the lab's monotonic clock alone
	Process  string        // "A", "redis-1", "etcd", "store"
	Type     Type
	Op       Op
	Call     int // the Seq of the invoke that this event answers or carries out
	Resource string
	Grant    int           // numbered by the lab, one per granted acquire; a write names the one it stands on
	Token    uint64        // what the service issued; 0 = none
	Until    time.Duration // acquire, renew: the promised end; on an invoke, the end if it is granted
	Version  uint64        // store: the version read or made
	Base     uint64        // write: the version it was worked out from; 0 = never read
	Value    string
	Effect   string // idempotency key of a charge
	Err      string
	Detail   string          // a client's own words, with its own clock; the lab's, on its own events and on orders
	Wire     []lock.Exchange // what went over the wire
	Measured json.RawMessage // the figures of a run that measured
	Bars     []Bar           // and their picture
}

// eventJSON is how an event is written: milliseconds, and no empty fields.
type eventJSON struct {
	Kind     string          `json:"kind"`
	Seq      int             `json:"seq"`
	AtMS     float64         `json:"at_ms"`
	Process  string          `json:"process"`
	Type     Type            `json:"type"`
	Op       Op              `json:"op"`
	Call     int             `json:"call,omitempty"`
	Resource string          `json:"resource,omitempty"`
	Grant    int             `json:"grant,omitempty"`
	Token    *uint64         `json:"token,omitempty"` // there, even when 0, wherever there is a grant
	UntilMS  float64         `json:"until_ms,omitempty"`
	Version  uint64          `json:"version,omitempty"`
	Base     uint64          `json:"base,omitempty"`
	Value    string          `json:"value,omitempty"`
	Effect   string          `json:"effect,omitempty"`
	Err      string          `json:"err,omitempty"`
	Detail   string          `json:"detail,omitempty"`
	Wire     []lock.Exchange `json:"wire,omitempty"`
	Measured json.RawMessage `json:"measured,omitempty"`
	Bars     []Bar           `json:"bars,omitempty"`
}

// MarshalJSON writes times as milliseconds.
func (e Event) MarshalJSON() ([]byte, error) {
	j := eventJSON{
		Kind: "event", Seq: e.Seq, AtMS: Milliseconds(e.At), Process: e.Process, Type: e.Type, Op: e.Op,
		Call: e.Call, Resource: e.Resource, Grant: e.Grant, UntilMS: Milliseconds(e.Until),
		Version: e.Version, Base: e.Base, Value: e.Value, Effect: e.Effect, Err: e.Err, Detail: e.Detail, Wire: e.Wire,
		Measured: e.Measured, Bars: e.Bars,
	}
	if e.Grant > 0 {
		j.Token = &e.Token
	}
	return json.Marshal(j)
}

// Milliseconds is d in milliseconds, to the microsecond.
func Milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
