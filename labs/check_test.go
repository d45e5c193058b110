package labs

import (
	"fmt"
	"strings"
	"testing"
)

// Openings that many histories share.
const (
	aHolds = `
		0   A  invoke acquire until=400
		1   A  ok     acquire call=1 grant=1 token=5 until=400
	`
	bAfterA = aHolds + `
		500 B  invoke acquire until=900
		501 B  ok     acquire call=3 grant=2 token=9 until=900
	`
)

func TestChecks(t *testing.T) {
	tests := []struct {
		name, history, want string // want: check=verdict[:witness,…], late=…
	}{
		{"nothing happened", ``, "one-grant=held no-late-write=held tokens-rise=held holder-served=held no-lost-update=held late=none"},
		{"one holder", aHolds, "one-grant=held:2 tokens-rise=held:2"},
		{"one after the other", bAfterA, "one-grant=held:2,4 tokens-rise=held:2,4"},
		{"two within one promise", aHolds + `
			200 B invoke acquire until=600
			201 B ok     acquire call=3 grant=2 token=9 until=600
		`, "one-grant=broken:2,4 tokens-rise=held"},
		{"exactly at the promised end", aHolds + `
			400 B invoke acquire until=800
			400 B ok     acquire call=3 grant=2 token=9 until=800
		`, "one-grant=held"},
		{"another resource", aHolds + `
			200 B invoke acquire until=600 on=job:45
			201 B ok     acquire call=3 grant=2 token=9 until=600 on=job:45
		`, "one-grant=held:2,4"},
		{"the earlier one was refused", aHolds + `
			200 B invoke acquire until=600
			201 B fail   acquire call=3
		`, "one-grant=held:2"},

		{"a renewal promises more", aHolds + `
			300 A invoke renew grant=1 until=700
			301 A ok     renew call=3 grant=1 until=700
			500 B invoke acquire until=900
			501 B ok     acquire call=5 grant=2 token=9 until=900
		`, "one-grant=broken:4,6"},
		{"a renewal asked for in time and answered late", aHolds + `
			300 A invoke renew grant=1 until=700
			500 B invoke acquire until=900
			501 B ok     acquire call=4 grant=2 token=9 until=900
			510 A ok     renew call=3 grant=1 until=700
		`, "one-grant=broken:5,6"},
		{"a renewal asked for after the next grant", bAfterA + `
			510 A invoke renew grant=1 until=910
			511 A ok     renew call=5 grant=1 until=910
		`, "one-grant=held"},
		{"a renewal that was refused", aHolds + `
			300 A invoke renew grant=1 until=700
			500 B invoke acquire until=900
			501 B ok     acquire call=4 grant=2 token=9 until=900
			510 A fail   renew call=3 grant=1
		`, "one-grant=held:2,5"},
		{"a renewal never answered", aHolds + `
			300 A invoke renew grant=1 until=700
			500 B invoke acquire until=900
			501 B ok     acquire call=4 grant=2 token=9 until=900
		`, "one-grant=unknown:3,5"},
		{"a renewal of unknown outcome", aHolds + `
			300 A invoke renew grant=1 until=700
			310 A info   renew call=3 grant=1
			500 B invoke acquire until=900
			501 B ok     acquire call=5 grant=2 token=9 until=900
		`, "one-grant=unknown:3,6"},
		{"a renewal of unknown outcome that had ended anyway", aHolds + `
			300 A invoke renew grant=1 until=700
			310 A info   renew call=3 grant=1
			800 B invoke acquire until=1200
			801 B ok     acquire call=5 grant=2 token=9 until=1200
		`, "one-grant=held:2,6"},

		{"release invoked before the next grant", aHolds + `
			100 A invoke release grant=1
			150 B invoke acquire until=550
			151 B ok     acquire call=4 grant=2 token=9 until=550
			160 A ok     release call=3 grant=1
		`, "one-grant=held"},
		{"release invoked, its outcome unknown", aHolds + `
			100 A invoke release grant=1
			110 A info   release call=3 grant=1
			150 B invoke acquire until=550
			151 B ok     acquire call=5 grant=2 token=9 until=550
		`, "one-grant=held"},
		{"released after the next grant", aHolds + `
			150 B invoke acquire until=550
			151 B ok     acquire call=3 grant=2 token=9 until=550
			160 A invoke release grant=1
			161 A ok     release call=5 grant=1
		`, "one-grant=broken:2,4"},

		{"an acquire never answered, while another holds", aHolds + `
			200 B invoke acquire until=600
		`, "one-grant=unknown:2,3"},
		{"an acquire of unknown outcome, while another holds", aHolds + `
			200 B invoke acquire until=600
			210 B info   acquire call=3
		`, "one-grant=unknown:2,3 no-late-write=held"},
		{"an acquire of unknown outcome, then a grant within it", `
			0   B invoke acquire until=400
			10  B info   acquire call=1
			200 A invoke acquire until=600
			201 A ok     acquire call=3 grant=1 token=5 until=600
		`, "one-grant=unknown:1,4"},
		{"an acquire of unknown outcome that had ended", `
			0   B invoke acquire until=400
			10  B info   acquire call=1
			500 A invoke acquire until=900
			501 A ok     acquire call=3 grant=1 token=5 until=900
		`, "one-grant=held:4"},
		{"an acquire that may have been granted late", `
			0   B invoke acquire until=400
			500 A invoke acquire until=900
			501 A ok     acquire call=2 grant=1 token=5 until=900
			600 B info   acquire call=1
		`, "one-grant=unknown:1,3"},
		{"an acquire of unknown outcome after a release", aHolds + `
			100 A invoke release grant=1
			101 A ok     release call=3 grant=1
			200 B invoke acquire until=600
			210 B info   acquire call=5
		`, "one-grant=held"},
		{"two acquires of unknown outcome", `
			0   A invoke acquire until=400
			10  A info   acquire call=1
			100 B invoke acquire until=500
			110 B info   acquire call=3
		`, "one-grant=unknown:1,3"},
		{"news of a lease that came after its end", `
			0   A     invoke acquire until=400
			450 B     invoke acquire until=850
			451 B     ok     acquire call=2 grant=1 token=9 until=850
			460 A     ok     acquire call=1 grant=2 token=5 until=400
			470 A     invoke write grant=2 token=5 value=100 base=1
			471 store fail   write call=5 grant=2 token=5 value=100 base=1
			472 B     invoke write grant=1 token=9 value=200 base=1
			473 store ok     write call=7 grant=1 token=9 value=200 base=1 v=2
		`, "one-grant=held:3,4 tokens-rise=held holder-served=held:8 no-late-write=held:3,6 late=fenced"},
		{"two granted at the same time", `
			0  A invoke acquire until=400
			1  B invoke acquire until=401
			10 B ok     acquire call=2 grant=1 token=9 until=401
			11 A ok     acquire call=1 grant=2 token=5 until=400
		`, "one-grant=broken:3,4"},
		{"broken stays broken whatever else is unknown", aHolds + `
			200 B invoke acquire until=600
			201 B ok     acquire call=3 grant=2 token=9 until=600
			300 A invoke acquire until=700
		`, "one-grant=broken:2,4"},

		{"tokens fall", aHolds + `
			500 B invoke acquire until=900
			501 B ok     acquire call=3 grant=2 token=4 until=900
		`, "tokens-rise=broken:2,4"},
		{"a token twice", aHolds + `
			500 B invoke acquire until=900
			501 B ok     acquire call=3 grant=2 token=5 until=900
		`, "tokens-rise=broken:2,4"},
		{"a token lower than one before the last", bAfterA + `
			1000 A invoke acquire until=1400
			1001 A ok     acquire call=5 grant=3 token=8 until=1400
		`, "tokens-rise=broken:4,6"},
		{"asked for at the same time", `
			0   A invoke acquire until=400
			0   B invoke acquire until=400
			500 A ok     acquire call=1 grant=1 token=9 until=400
			501 B ok     acquire call=2 grant=2 token=5 until=400
		`, "tokens-rise=held:3,4"},
		{"no tokens", `
			0   A invoke acquire until=400
			1   A ok     acquire call=1 grant=1 until=400
			500 B invoke acquire until=900
			501 B ok     acquire call=3 grant=2 until=900
		`, "tokens-rise=unknown:2,4"},
		{"tokens of two resources are not compared", aHolds + `
			500 B invoke acquire until=900 on=job:45
			501 B ok     acquire call=3 grant=2 token=4 until=900 on=job:45
		`, "tokens-rise=held"},

		{"a write in time", aHolds + `
			100 A     invoke write grant=1 token=5 value=100 base=1
			101 store ok     write call=3 grant=1 token=5 value=100 base=1 v=2
			102 A     ok     write call=3 grant=1 token=5 value=100
		`, "no-late-write=held:4 holder-served=held:4 no-lost-update=held:4 late=none"},
		{"late and landed", bAfterA + `
			600 A     invoke write grant=1 token=5 value=100 base=1
			601 store ok     write call=5 grant=1 token=5 value=100 base=1 v=2
		`, "no-late-write=broken:4,6 holder-served=held late=landed"},
		{"late and refused", bAfterA + `
			600 A     invoke write grant=1 token=5 value=100 base=1
			601 store fail   write call=5 grant=1 token=5 value=100 base=1
		`, "no-late-write=held:4,6 holder-served=held late=fenced"},
		{"one landed, one refused", bAfterA + `
			600 A     invoke write grant=1 token=5 value=100 base=1
			601 store fail   write call=5 grant=1 token=5 value=100 base=1
			602 A     invoke write grant=1 token=5 value=101 base=1
			603 store ok     write call=7 grant=1 token=5 value=101 base=1 v=2
		`, "no-late-write=broken:4,8 late=landed"},
		{"decided before the newer grant", `
			0   A     invoke acquire until=400
			1   A     ok     acquire call=1 grant=1 token=5 until=400
			400 A     invoke write grant=1 token=5 value=100 base=1
			401 store ok     write call=3 grant=1 token=5 value=100 base=1 v=2
			500 B     invoke acquire until=900
			501 B     ok     acquire call=5 grant=2 token=9 until=900
			502 A     ok     write call=3 grant=1 token=5
		`, "no-late-write=held:4 late=none"},
		{"sent and never decided, a newer grant since", bAfterA + `
			600 A invoke write grant=1 token=5 value=100 base=1
		`, "no-late-write=unknown:4,5 late=none"},
		{"of unknown outcome, a newer grant since", bAfterA + `
			600 A invoke write grant=1 token=5 value=100 base=1
			700 A info   write call=5 grant=1 token=5
		`, "no-late-write=unknown:4,5 late=none"},
		{"of unknown outcome, though the store was seen to decide", bAfterA + `
			600 A     invoke write grant=1 token=5 value=100 base=1
			601 store fail   write call=5 grant=1 token=5
			700 A     info   write call=5 grant=1 token=5
		`, "no-late-write=held:4,6 late=fenced"},
		{"never sent", bAfterA + `
			600 A invoke write grant=1 token=5 value=100 base=1
			601 A fail   write call=5 grant=1 token=5
		`, "no-late-write=held late=none"},
		{"of unknown outcome, nobody came after", aHolds + `
			100 A invoke write grant=1 token=5 value=100 base=1
			200 A info   write call=3 grant=1 token=5
		`, "no-late-write=held"},
		{"applied while somebody else may have been granted the lock", aHolds + `
			500 B     invoke acquire until=900
			510 B     info   acquire call=3
			600 A     invoke write grant=1 token=5 value=100 base=1
			601 store ok     write call=5 grant=1 token=5 value=100 base=1 v=2
		`, "no-late-write=unknown:3,6"},
		{"a write outside any grant", `
			100 X     invoke write value=100
			101 store ok     write call=1 value=100 v=2
		`, "no-late-write=held:2 holder-served=held late=none"},

		{"the newest holder is refused", bAfterA + `
			600 B     invoke write grant=2 token=9 value=200 base=1
			601 store fail   write call=5 grant=2 token=9
		`, "holder-served=broken:6 no-late-write=held"},
		{"refused, and perhaps not the newest", bAfterA + `
			950 A     invoke acquire until=1350
			960 A     info   acquire call=5
			970 B     invoke write grant=2 token=9 value=200 base=1
			971 store fail   write call=7 grant=2 token=9
		`, "holder-served=unknown:5,8"},

		{"an update is lost", bAfterA + `
			600 B     invoke write grant=2 token=9 value=200 base=1
			601 store ok     write call=5 grant=2 token=9 value=200 base=1 v=2
			700 A     invoke write grant=1 token=5 value=100 base=1
			701 store ok     write call=7 grant=1 token=5 value=100 base=1 v=3
		`, "no-lost-update=broken:6,8 lost=B:200:2:A"},
		{"read before it wrote", bAfterA + `
			600 B     invoke write grant=2 token=9 value=200 base=1
			601 store ok     write call=5 grant=2 token=9 value=200 base=1 v=2
			700 B     invoke write grant=2 token=9 value=201 base=2
			701 store ok     write call=7 grant=2 token=9 value=201 base=2 v=3
		`, "no-lost-update=held:6,8"},
		{"a refused write loses nothing", bAfterA + `
			600 B     invoke write grant=2 token=9 value=200 base=1
			601 store ok     write call=5 grant=2 token=9 value=200 base=1 v=2
			700 A     invoke write grant=1 token=5 value=100 base=1
			701 store fail   write call=7 grant=1 token=5 value=100 base=1
		`, "no-lost-update=held:6"},
		{"a write of unknown outcome may yet lose one", bAfterA + `
			600 B     invoke write grant=2 token=9 value=200 base=1
			601 store ok     write call=5 grant=2 token=9 value=200 base=1 v=2
			700 A     invoke write grant=1 token=5 value=100 base=1
			800 A     info   write call=7 grant=1 token=5
		`, "no-lost-update=unknown:6,7 no-late-write=unknown"},

		{"charged once", `
			0 A      invoke charge effect=k
			1 vendor ok     charge call=1 effect=k
			2 A      ok     charge call=1 effect=k
		`, "effect-once=held:2"},
		{"charged twice", `
			0 A      invoke charge effect=k
			1 vendor ok     charge call=1 effect=k
			2 B      invoke charge effect=k
			3 vendor ok     charge call=3 effect=k
		`, "effect-once=broken:2,4"},
		{"two keys", `
			0 A      invoke charge effect=k
			1 vendor ok     charge call=1 effect=k
			2 B      invoke charge effect=l
			3 vendor ok     charge call=3 effect=l
		`, "effect-once=held:2,4"},
		{"never applied", `
			0 A      invoke charge effect=k
			1 A      fail   charge call=1 effect=k
		`, "effect-once=unknown:1"},
		{"perhaps applied again", `
			0 A      invoke charge effect=k
			1 vendor ok     charge call=1 effect=k
			2 B      invoke charge effect=k
			9 B      info   charge call=3 effect=k
		`, "effect-once=unknown:2,3"},
		{"the second try was answered from the first", `
			0 A      invoke charge effect=k
			1 vendor ok     charge call=1 effect=k
			2 B      invoke charge effect=k
			3 B      ok     charge call=3 effect=k
		`, "effect-once=held:2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := Judge(handmade(t, tt.history))
			for _, want := range strings.Fields(tt.want) {
				if got := found(v, want); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

// found says what a verdict has to say on the subject of want, in its form.
func found(v Verdict, want string) string {
	name, rest, _ := strings.Cut(want, "=")
	switch name {
	case "late":
		return "late=" + v.LateWrite
	case "lost":
		if len(v.Lost) != 1 {
			return fmt.Sprintf("lost=%d values", len(v.Lost))
		}
		return fmt.Sprintf("lost=%s:%s:%d:%s", v.Lost[0].Writer, v.Lost[0].Value, v.Lost[0].Version, v.Lost[0].By)
	}
	c := v.Check(name)
	got := fmt.Sprintf("%s=%s", name, c.Verdict)
	if strings.Contains(rest, ":") {
		got += ":" + strings.ReplaceAll(seqs(c.Witness), ", ", ",")
	}
	return got
}

func TestAnUnknownCheckHasAName(t *testing.T) {
	if c := Judge(nil).Check("no-such-check"); c.Name != "" {
		t.Errorf("found %v", c)
	}
}
