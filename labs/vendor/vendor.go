// Package vendor is somebody else's service that takes money: an HTTP server in
// this process that knows idempotency keys. It never loses what it did, and the
// lab hears of every charge at the moment it is decided.
package vendor

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Charge is what a client asks for.
type Charge struct {
	Row  string `json:"row"`  // what is to be paid for: an effect of the world, charged once
	Call int    `json:"call"` // the invoke event it belongs to
	Key  string `json:"-"`    // idempotency key, sent as a header; "" = none
}

// keyHeader is where vendors look for the key.
const keyHeader = "Idempotency-Key"

// Reply is the vendor's answer. Repeated means that the key had been charged
// before: the first answer again, and no money.
type Reply struct {
	Repeated bool `json:"repeated"`
}

// Vendor is a running vendor. A nil Vendor has no address and nothing to close.
type Vendor struct {
	mu      sync.Mutex // one charge at a time
	seen    map[string]bool
	told    func(Charge, Reply)
	stalled chan struct{} // nil = answers at once

	srv *http.Server
	url string
}

// Start serves a vendor on a free loopback port. Every charge is passed to told
// as it is decided, before the next one.
func Start(told func(Charge, Reply)) (*Vendor, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("vendor: %w", err)
	}
	v := &Vendor{seen: map[string]bool{}, told: told, url: "http://" + l.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /charge", v.serve)
	v.srv = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = v.srv.Serve(l) }() // ends with Close
	return v, nil
}

// URL is where the vendor listens.
func (v *Vendor) URL() string {
	if v == nil {
		return ""
	}
	return v.url
}

// Stall makes the vendor take charges and hold back its answers.
func (v *Vendor) Stall() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stalled == nil {
		v.stalled = make(chan struct{})
	}
}

// Stalled says whether answers are held back.
func (v *Vendor) Stalled() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stalled != nil
}

// Answer sends what was held back, and answers at once from here on.
func (v *Vendor) Answer() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stalled != nil {
		close(v.stalled)
		v.stalled = nil
	}
}

// Close stops serving, breaking off what is under way.
func (v *Vendor) Close() error {
	if v == nil {
		return nil
	}
	return v.srv.Close()
}

func (v *Vendor) serve(w http.ResponseWriter, r *http.Request) {
	var c Charge
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.Key = r.Header.Get(keyHeader)
	reply, stalled := v.charge(c)
	if stalled != nil {
		select {
		case <-stalled:
		case <-r.Context().Done():
			return
		}
	}
	_ = json.NewEncoder(w).Encode(reply) // a client that left does not read it
}

func (v *Vendor) charge(c Charge) (Reply, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	reply := Reply{Repeated: c.Key != "" && v.seen[c.Key]}
	if c.Key != "" {
		v.seen[c.Key] = true
	}
	v.told(c, reply)
	return reply, v.stalled
}

// errNoVendor explains a charge where there is nobody to charge.
var errNoVendor = errors.New("this lab has no vendor")
