package labs

import (
	"fmt"
	"strings"
	"time"
)

// Explain says one event in one line, without its time and process.
func Explain(e Event) string {
	if e.Type == Invoke && e.Detail == whileStopped {
		return "is told to " + explainOrder(e) + "; it is stopped and will do it when it wakes"
	}
	switch e.Op {
	case OpAcquire, OpRenew, OpRelease:
		return explainLease(e)
	case OpClaim, OpRead, OpWrite:
		if e.Process == StoreName {
			return explainDecision(e)
		}
		return explainRequest(e)
	case OpLook, OpReady:
		return explainJob(e)
	case OpCharge:
		return explainCharge(e)
	case OpDelete, OpIntend:
		return explainOnce(e)
	}
	return explainWorld(e)
}

// explainOrder says what a client is told to do.
func explainOrder(e Event) string {
	switch e.Op {
	case OpAcquire:
		return "ask for " + e.Resource
	case OpWrite:
		return "write " + of(e) + e.Value
	case OpRead:
		return strings.TrimRight("read "+of(e), ": ")
	case OpClaim:
		return "show its token to the store"
	case OpRelease:
		return "give the lock up"
	case OpReady:
		return "do its job, which ends in a write of " + e.Value
	case OpCharge:
		return "charge " + e.Effect
	}
	return string(e.Op) + " " + e.Resource
}

func explainLease(e Event) string {
	ask := map[Op]string{OpAcquire: "asks for " + e.Resource, OpRenew: "renews its lease", OpRelease: "gives the lock up"}
	switch {
	case e.Type == Invoke:
		return ask[e.Op]
	case e.Type == OK && e.Op == OpAcquire:
		return fmt.Sprintf("is granted %s until %s: grant %d, %s", e.Resource, clock(e.Until), e.Grant, tokenText(e.Token))
	case e.Type == OK && e.Op == OpRenew:
		if e.Detail != "" {
			return fmt.Sprintf("has its lease until %s; %s", clock(e.Until), e.Detail)
		}
		return fmt.Sprintf("has its lease until %s, %s as before", clock(e.Until), tokenText(e.Token))
	case e.Type == OK:
		return "gave the lock up"
	case e.Type == Info:
		return "does not know whether that took place: " + e.Err
	}
	return map[Op]string{
		OpAcquire: "is refused: ", OpRenew: "is told that its lease is gone: ", OpRelease: "had nothing to give up: ",
	}[e.Op] + e.Err
}

func explainRequest(e Event) string {
	switch {
	case e.Type == Info:
		return "does not know whether that took place: " + e.Err
	case e.Type == Fail:
		return fmt.Sprintf("is told that its %s failed: %s", e.Op, e.Err)
	case e.Type == OK && e.Op == OpRead:
		return fmt.Sprintf("has read %s%s, version %d", of(e), e.Value, e.Version)
	case e.Type == OK:
		return fmt.Sprintf("is told that its %s went well", e.Op)
	case e.Op == OpClaim:
		return "shows its token to the store, " + tokenText(e.Token)
	case e.Op == OpRead:
		return strings.TrimRight("reads "+of(e), ": ")
	}
	return fmt.Sprintf("sends its write of %s%s, %s", of(e), e.Value, tokenText(e.Token))
}

func explainDecision(e Event) string {
	switch {
	case e.Err == versionMoved:
		return fmt.Sprintf("refuses it, 0 rows: worked out from version %d, and it is at %d", e.Base, e.Version)
	case e.Type != OK:
		return fmt.Sprintf("refuses it: token %d is lower than one it has seen", e.Token)
	case e.Op == OpRead:
		return fmt.Sprintf("gives %s%s, version %d", of(e), e.Value, e.Version)
	case e.Op == OpClaim && e.Version == 0:
		return "keeps no token: it is not fenced"
	case e.Op == OpClaim:
		return fmt.Sprintf("remembers token %d; lower ones are refused from here on", e.Token)
	}
	return fmt.Sprintf("takes %s%s: version %d", of(e), e.Value, e.Version)
}

// of names the row of an event, unless it is the one that all labs fight over.
func of(e Event) string {
	if e.Resource == resource {
		return ""
	}
	return e.Resource + ": "
}

func explainCharge(e Event) string {
	switch {
	case e.Process == VendorName && e.Type == OK:
		return "charges " + e.Effect + ": " + e.Detail
	case e.Process == VendorName:
		return "does not charge " + e.Effect + ": " + e.Err
	case e.Type == Invoke:
		return "asks the vendor to charge " + e.Effect
	case e.Type == OK && e.Detail != "":
		return "is told that " + e.Effect + " is charged: " + e.Detail
	case e.Type == OK:
		return "is told that " + e.Effect + " is charged"
	}
	return "does not know whether " + e.Effect + " was charged: " + e.Err
}

// explainOnce says a deletion of a lock key, or a row that is written before the
// deed.
func explainOnce(e Event) string {
	ask := map[Op]string{OpDelete: "deletes the lock key, whoever's it is", OpIntend: "writes down that it will act: " + e.Resource}[e.Op]
	done := map[Op]string{OpDelete: "has deleted the lock key", OpIntend: "was the first: " + e.Resource}[e.Op]
	switch {
	case e.Process == StoreName && e.Type == OK:
		return "takes the row " + e.Resource
	case e.Process == StoreName:
		return "has the row " + e.Resource + " already: 0 rows"
	case e.Type == Invoke:
		return ask
	case e.Type == OK:
		return done
	case e.Type == Info:
		return "does not know whether that took place: " + e.Err
	}
	return "changed nothing: " + e.Err
}

func explainJob(e Event) string {
	switch {
	case e.Op == OpLook && e.Type == OK:
		return "looks at its lease: " + e.Detail
	case e.Op == OpLook:
		return "looks at its lease: it has ended, so it starts again"
	case e.Type == Invoke:
		return "begins its job, which ends in a write of " + e.Value
	case e.Type == OK && e.Detail != "":
		return "stands before its write; " + e.Detail
	case e.Type == OK:
		return "stands before its write"
	}
	return "could not do its job: " + e.Err
}

// world is what the lab does, and what servers were seen to do.
var world = map[Op]string{
	OpPause: "is stopped (SIGSTOP)", OpResume: "wakes (SIGCONT)", OpKill: "is killed",
	OpPromote: "is promoted: clients are led to it", OpLag: "receives nothing more from its primary",
	OpCut: "is cut off", OpMend: "is reached again", OpElect: "leads now",
	OpRestart: "is started anew, with nothing in it", OpQueue: "stands in line for it",
	OpSweep: "removed the emptied parent of the lock nodes",
	OpStall: "takes charges, and holds its answers back", OpAnswer: "sends its answers",
	OpFence: "compares tokens from now on", OpUnfence: "compares tokens no more", OpHang: "answers nobody any more",
}

func explainWorld(e Event) string {
	switch e.Op {
	case OpStart:
		return "is up: " + e.Detail
	case OpPeek:
		return e.Detail
	case OpJump:
		return "puts its clock forward by " + e.Detail
	case OpExit:
		return "ended by itself: " + e.Err
	case OpNote, OpMeasure:
		return e.Detail
	case OpExpire:
		return fmt.Sprintf("grant %d has ended: the lease ran out", e.Grant)
	case OpVanish:
		return fmt.Sprintf("grant %d is not known here, before its promised end", e.Grant)
	}
	if text, ok := world[e.Op]; ok {
		return text
	}
	return string(e.Op)
}

// clock writes a moment of the run.
func clock(at time.Duration) string { return fmt.Sprintf("%.0f ms", Milliseconds(at)) }
