package labs

import (
	"context"
	"io"
	"sync"
	"time"
)

// History is the append-only log of one run. Only the lab's process appends, and
// it alone stamps the time. Writers never wait for readers, and nothing is
// dropped: readers keep their own cursor.
type History struct {
	start time.Time

	mu     sync.Mutex
	events []Event
	closed bool
	grew   chan struct{} // closed and replaced at every change
}

// NewHistory returns an empty history whose clock starts now.
func NewHistory() *History {
	return &History{start: time.Now(), grew: make(chan struct{})}
}

// Append numbers and stamps an event, and returns it so. After Close it is
// stamped and returned, but not kept.
func (h *History) Append(e Event) Event { return h.AppendFunc(func(Event) Event { return e }) }

// AppendFunc appends what f makes of an event that has its number and time
// already, with no other event in between.
func (h *History) AppendFunc(f func(stamped Event) Event) Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	stamp := Event{Seq: len(h.events) + 1, At: time.Since(h.start)}
	e := f(stamp)
	e.Seq, e.At = stamp.Seq, stamp.At
	if !h.closed {
		h.events = append(h.events, e)
		h.wake()
	}
	return e
}

// Next returns event number i, from 0, waiting for it if need be. It returns
// io.EOF after the last event of a closed history.
func (h *History) Next(ctx context.Context, i int) (Event, error) {
	for {
		h.mu.Lock()
		n, closed, grew := len(h.events), h.closed, h.grew
		if i < n {
			e := h.events[i]
			h.mu.Unlock()
			return e, nil
		}
		h.mu.Unlock()
		if closed {
			return Event{}, io.EOF
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// Events is the history so far. The slice is shared and must not be changed.
func (h *History) Events() []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.events[:len(h.events):len(h.events)]
}

// at is the event with that Seq, or the zero event.
func (h *History) at(seq int) Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	if seq < 1 || seq > len(h.events) {
		return Event{}
	}
	return h.events[seq-1]
}

// Now is the time since the start of the run.
func (h *History) Now() time.Duration { return time.Since(h.start) }

// Close ends the history: readers get io.EOF once they have read it all.
func (h *History) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.wake()
}

func (h *History) wake() {
	close(h.grew)
	h.grew = make(chan struct{})
}
