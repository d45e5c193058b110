package main

import (
	"bytes"
	"regexp"
	"testing"

	"lockdrill/labs"
)

// Renewals are left out, but one that is refused is told with its request.
func TestARefusedRenewalIsToldWithItsRequest(t *testing.T) {
	h := labs.NewHistory()
	h.Append(labs.Event{Process: "A", Type: labs.Invoke, Op: labs.OpRenew, Grant: 1})
	h.Append(labs.Event{Process: "A", Type: labs.OK, Op: labs.OpRenew, Call: 1, Grant: 1})
	h.Append(labs.Event{Process: "A", Type: labs.Invoke, Op: labs.OpRenew, Grant: 1})
	h.Append(labs.Event{Process: "A", Type: labs.Fail, Op: labs.OpRenew, Call: 3, Grant: 1, Err: "lease is not held"})
	h.Close()
	var out bytes.Buffer
	p := &labLines{out: &out}
	p.tell(t.Context(), h)
	want := "3  N ms  A renews its lease\n4  N ms  A is told that its lease is gone: lease is not held\n"
	if got := moment.ReplaceAllString(out.String(), "N ms"); got != want {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
}

var moment = regexp.MustCompile(`\d+ ms`)
