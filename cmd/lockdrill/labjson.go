package main

import (
	"encoding/json"

	"lockdrill/labs"
)

// labResult is the last line of --json.
type labResult struct {
	Kind      string       `json:"kind"`
	Schema    int          `json:"schema"`
	Lab       string       `json:"lab"`
	Service   string       `json:"service"`
	Store     string       `json:"store"`
	Simulated []string     `json:"simulated"`
	GrantedMS float64      `json:"granted_ttl_ms"`
	LateWrite string       `json:"late_write"`
	Checks    []labs.Check `json:"checks"`
	Lost      []labs.Lost  `json:"lost"`
	// Measured is there where the lab measures; its keys are the lab's.
	Measured json.RawMessage `json:"measured,omitempty"`
	WallMS   float64         `json:"wall_ms"`
	Error    string          `json:"error,omitempty"`
}

func writeLabJSON(r labs.Result, failure string, io streams) error {
	enc := json.NewEncoder(io.out)
	for _, e := range r.Events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	simulated := r.Simulated
	if simulated == nil {
		simulated = []string{}
	}
	return enc.Encode(labResult{
		Kind: "result", Schema: 1, Lab: r.Lab, Service: r.Options.Service, Store: r.Options.Store,
		Simulated: simulated, GrantedMS: labs.Milliseconds(r.Granted), LateWrite: r.Verdict.LateWrite,
		Checks: r.Verdict.Checks, Lost: r.Verdict.Lost, Measured: r.Measured(), WallMS: labs.Milliseconds(r.Wall), Error: failure,
	})
}
