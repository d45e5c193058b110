package labs

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// handmade reads a history written by hand: one event a line, numbered from 1,
//
//	MS PROCESS TYPE OP [key=value …]
//
// with the keys call, grant, token, until (ms), v, base, value, effect, detail.
// The resource is job:44 unless "on" names another.
func handmade(t testing.TB, text string) []Event {
	t.Helper()
	var events []Event
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) < 4 {
			t.Fatalf("event %d: %q is too short", len(events)+1, line)
		}
		e := Event{
			Seq: len(events) + 1, At: ms(t, words[0]), Process: words[1],
			Type: Type(words[2]), Op: Op(words[3]), Resource: resource,
		}
		for _, w := range words[4:] {
			key, value, _ := strings.Cut(w, "=")
			if err := set(&e, key, value); err != nil {
				t.Fatalf("event %d: %q: %v", e.Seq, w, err)
			}
		}
		events = append(events, e)
	}
	return events
}

func ms(t testing.TB, s string) time.Duration {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(f * float64(time.Millisecond))
}

func set(e *Event, key, value string) error {
	switch key {
	case "on":
		e.Resource = value
	case "value":
		e.Value = value
	case "effect":
		e.Effect = value
	case "detail":
		e.Detail = value
	case "err":
		e.Err = value
	default:
		return setNumber(e, key, value)
	}
	return nil
}

func setNumber(e *Event, key, value string) error {
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil {
		return err
	}
	switch key {
	case "call":
		e.Call = int(n)
	case "grant":
		e.Grant = int(n)
	case "token":
		e.Token = n
	case "until":
		e.Until = time.Duration(n) * time.Millisecond
	case "v":
		e.Version = n
	case "base":
		e.Base = n
	default:
		return fmt.Errorf("no such key")
	}
	return nil
}
