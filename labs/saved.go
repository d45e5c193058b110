package labs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// savedSchema numbers the form of a saved run.
const savedSchema = 1

// saved is a run as a file keeps it. Verdict and lesson are computed anew when it
// is read; the checks stand there for other readers.
type saved struct {
	Schema    int               `json:"schema"`
	Lab       string            `json:"lab"`
	Service   string            `json:"service"`
	Store     string            `json:"store"`
	TTLMS     float64           `json:"ttl_ms,omitempty"`
	On        []string          `json:"on,omitempty"`
	Values    map[string]string `json:"values,omitempty"`
	Simulated []string          `json:"simulated"`
	GrantedMS float64           `json:"granted_ttl_ms"`
	WallMS    float64           `json:"wall_ms"`
	LateWrite string            `json:"late_write"`
	Checks    []Check           `json:"checks"`
	Lost      []Lost            `json:"lost"`
	Events    []Event           `json:"events"`
}

// WriteSaved writes the run as one JSON document that ReadSaved reads.
func (r Result) WriteSaved(w io.Writer) error {
	s := saved{
		Schema: savedSchema, Lab: r.Lab, Service: r.Options.Service, Store: r.Options.Store,
		TTLMS: Milliseconds(r.Options.TTL), On: r.Options.On, Values: r.Options.Values, Simulated: r.Simulated,
		GrantedMS: Milliseconds(r.Granted), WallMS: Milliseconds(r.Wall),
		LateWrite: r.Verdict.LateWrite, Checks: r.Verdict.Checks, Lost: r.Verdict.Lost, Events: r.Events,
	}
	if s.Simulated == nil {
		s.Simulated = []string{}
	}
	if s.Events == nil {
		s.Events = []Event{}
	}
	return json.NewEncoder(w).Encode(s)
}

// maxSaved bounds a file that is read as a saved run, in bytes.
const maxSaved = 256 << 20

// ReadSaved reads a run that WriteSaved wrote, and judges it.
func ReadSaved(r io.Reader) (Result, error) {
	limited := &io.LimitedReader{R: r, N: maxSaved}
	var s saved
	if err := json.NewDecoder(limited).Decode(&s); err != nil {
		return Result{}, fmt.Errorf("no saved run: %w", err)
	}
	if s.Schema != savedSchema {
		return Result{}, fmt.Errorf("a saved run of schema %d; this program reads %d", s.Schema, savedSchema)
	}
	for i, e := range s.Events {
		if e.Seq != i+1 || e.Call < 0 || e.Call > len(s.Events) {
			return Result{}, fmt.Errorf("no saved run: event %d is numbered %d and belongs to %d", i+1, e.Seq, e.Call)
		}
	}
	return Result{
		Lab: s.Lab, Options: Options{Service: s.Service, Store: s.Store, TTL: fromMilliseconds(s.TTLMS), On: s.On, Values: s.Values},
		Simulated: s.Simulated, Granted: fromMilliseconds(s.GrantedMS), Wall: fromMilliseconds(s.WallMS),
		Events: s.Events, Verdict: Judge(s.Events),
	}, nil
}

// LessonOf is what a run has to say, also one that was read from a file.
func LessonOf(r Result) Lesson {
	if l, err := Named(r.Lab); err == nil {
		return l.say(r)
	}
	return sayWritten(r)
}

// errNotEvent explains a line that is something else.
var errNotEvent = errors.New("not an event")

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Event) UnmarshalJSON(b []byte) error {
	var j eventJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	if j.Kind != "event" {
		return errNotEvent
	}
	*e = Event{
		Seq: j.Seq, At: fromMilliseconds(j.AtMS), Process: j.Process, Type: j.Type, Op: j.Op, Call: j.Call,
		Resource: j.Resource, Grant: j.Grant, Until: fromMilliseconds(j.UntilMS), Version: j.Version, Base: j.Base,
		Value: j.Value, Effect: j.Effect, Err: j.Err, Detail: j.Detail, Wire: j.Wire, Measured: j.Measured, Bars: j.Bars,
	}
	if j.Token != nil {
		e.Token = *j.Token
	}
	return nil
}

// fromMilliseconds is the inverse of Milliseconds, to the microsecond.
func fromMilliseconds(ms float64) time.Duration {
	return time.Duration(ms*1000+0.5) * time.Microsecond
}
