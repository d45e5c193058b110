package labs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
)

// readAll reads a history with a cursor of its own until it ends.
func readAll(h *History) ([]Event, error) {
	var all []Event
	for i := 0; ; i++ {
		e, err := h.Next(context.Background(), i)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
}

func TestEveryReaderSeesEverythingInOrder(t *testing.T) {
	const writers, each, readers = 100, 50, 3
	h := NewHistory()
	var writing, reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			all, err := readAll(h)
			if err != nil || len(all) != writers*each {
				t.Errorf("read %d of %d events: %v", len(all), writers*each, err)
			}
			for i, e := range all {
				if e.Seq != i+1 || (i > 0 && e.At < all[i-1].At) {
					t.Errorf("event %d is number %d at %s", i, e.Seq, e.At)
					return
				}
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				h.Append(Event{Process: fmt.Sprint(w), Call: i})
			}
		})
	}
	writing.Wait()
	h.Close()
	reading.Wait()
	next := map[string]int{}
	for _, e := range h.Events() {
		if e.Call != next[e.Process] {
			t.Fatalf("writer %s: event %d comes where %d should", e.Process, e.Call, next[e.Process])
		}
		next[e.Process]++
	}
}

func TestAClosedHistory(t *testing.T) {
	h := NewHistory()
	h.Append(Event{Process: "A"})
	h.Close()
	if e := h.Append(Event{Process: "late"}); e.Seq != 2 || e.At == 0 {
		t.Errorf("an event after the end is not stamped: %+v", e)
	}
	h.Close() // again
	if e, err := h.Next(context.Background(), 0); err != nil || e.Process != "A" {
		t.Errorf("got %+v, %v", e, err)
	}
	if _, err := h.Next(context.Background(), 1); !errors.Is(err, io.EOF) {
		t.Errorf("after the last event: %v", err)
	}
	if n := len(h.Events()); n != 1 {
		t.Errorf("%d events were kept", n)
	}
}

func TestAReaderStopsWaitingWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewHistory().Next(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEventsHandedOutDoNotChange(t *testing.T) {
	h := NewHistory()
	h.Append(Event{Process: "A"})
	before := h.Events()
	h.Append(Event{Process: "B"})
	if len(before) != 1 || len(h.Events()) != 2 {
		t.Errorf("%d, then %d events", len(before), len(h.Events()))
	}
	if grown := append(before, Event{Process: "mine"}); h.Events()[1].Process != "B" {
		t.Errorf("a reader's append reached the history: %v", grown)
	}
}

func TestAppendFuncKnowsItsPlace(t *testing.T) {
	h := NewHistory()
	h.Append(Event{})
	e := h.AppendFunc(func(stamped Event) Event {
		return Event{Seq: 99, Until: stamped.At, Call: stamped.Seq}
	})
	if e.Seq != 2 || e.Call != 2 || e.Until != e.At {
		t.Errorf("got %+v", e)
	}
}

func BenchmarkAppend(b *testing.B) {
	h := NewHistory()
	b.ReportAllocs()
	for b.Loop() {
		h.Append(Event{Process: "A", Type: OK, Op: OpRenew})
	}
}

func BenchmarkAppendWithReaders(b *testing.B) {
	h := NewHistory()
	var reading sync.WaitGroup
	for range 3 {
		reading.Go(func() { _, _ = readAll(h) })
	}
	b.ReportAllocs()
	for b.Loop() {
		h.Append(Event{Process: "A", Type: OK, Op: OpRenew})
	}
	h.Close()
	reading.Wait()
}
