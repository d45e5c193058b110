package labs

import (
	"os"
	"testing"

	"lockdrill/labs/server"
)

// realOrSkip skips a test, or fails it where real servers must be there, if one is not
// to be had.
func realOrSkip(t *testing.T, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("LOCKDRILL_REAL_SERVERS") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// Each number that is no token is seen to fail, and each that is one holds.
func TestTokens(t *testing.T) {
	tests := []struct {
		service, token string
		late           string
		rise, served   Outcome
	}{
		{"redis-incr", "incr", "fenced", Held, Held},
		{"etcd", "create-revision", "fenced", Held, Held},
		{"etcd", "election-rev", "fenced", Held, Held},
		{"etcd", "lease-id", "landed", Broken, Broken},
		{"etcd", "header-revision", "none", Held, Broken},
		{"etcd", "election-header", "landed", Held, Broken},
		{"zookeeper", "czxid", "fenced", Held, Held},
		{"zookeeper", "sequence", "landed", Broken, Broken},
		{"zookeeper", "version", "landed", Broken, Held},
	}
	for _, tt := range tests {
		t.Run(tt.service+" "+tt.token, func(t *testing.T) {
			t.Parallel()
			if tt.service == "zookeeper" {
				realOrSkip(t, server.FindZooKeeper())
			}
			r := run(t, "pause", Options{Service: tt.service, Values: map[string]string{flagToken: tt.token}})
			rise, served := r.Verdict.Check("tokens-rise").Verdict, r.Verdict.Check("holder-served").Verdict
			if r.Options.Store != Fenced || r.Verdict.LateWrite != tt.late || rise != tt.rise || served != tt.served {
				t.Errorf("store %s, late write %s, tokens-rise %s, holder-served %s", r.Options.Store, r.Verdict.LateWrite, rise, served)
				logEvents(t, r.Events)
			}
			_, wrong := wrongTokens[tt.token]
			if _, told := sayToken(r); told != wrong {
				t.Errorf("explained as a wrong number: %t", told)
			}
			if wrong && !r.Verdict.Decided() {
				t.Error("the run came to nothing")
			}
		})
	}
}

// The counter beside the key is as new as the replica.
func TestTheCounterIsLostInAFailover(t *testing.T) {
	for _, program := range []string{"", "redis-server"} {
		t.Run("program "+program, func(t *testing.T) {
			t.Parallel()
			if program != "" {
				_, err := server.FindRedis(program)
				realOrSkip(t, err)
			}
			r := run(t, "failover", Options{Service: "redis-incr", Store: Fenced, Servers: Servers{RedisServer: program}})
			for _, check := range []string{"one-grant", "no-late-write", "tokens-rise", "holder-served"} {
				if got := r.Verdict.Check(check).Verdict; got != Broken {
					t.Errorf("%s is %s", check, got)
					logEvents(t, r.Events)
				}
			}
		})
	}
}
