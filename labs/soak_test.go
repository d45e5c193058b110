package labs

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// soakEnv sets how often each variant is played in TestVerdictsDoNotFlip, as in
//
//	LOCKDRILL_SOAK=100 go test -run TestVerdictsDoNotFlip -timeout 60m ./labs/
//
// eight labs at once, with every core kept busy besides.
const soakEnv = "LOCKDRILL_SOAK"

// soaked are the variants whose verdicts are held against each other.
var soaked = []struct {
	lab     string
	options Options
	etcd    bool
}{
	{"pause", Options{Service: "redis"}, false},
	{"pause", Options{Service: "redis", Store: Fenced}, false},
	{"pause", Options{Service: "redis", On: []string{flagCheckClock}}, false},
	{"failover", Options{Service: "redis"}, false},
	{"failover", Options{Service: "redis", On: []string{flagWait}}, false},
	{"pause", Options{Service: "etcd"}, true},
	{"pause", Options{Service: "etcd", Store: Fenced}, true},
	{"pause", Options{Service: "etcd", Store: Fenced, On: []string{flagNoClaim}}, true},
	{"failover", Options{Service: "etcd", Store: Fenced}, true},
}

// TestVerdictsDoNotFlip plays the labs eight at once on busy cores: a slow
// machine may change how long a lab takes, not what it says.
func TestVerdictsDoNotFlip(t *testing.T) {
	times, withEtcd := 4, false
	if n, err := strconv.Atoi(os.Getenv(soakEnv)); err == nil {
		times, withEtcd = n, true
	}
	defer busy()()
	var all sync.WaitGroup
	seats := make(chan struct{}, 8)
	said := make([]ballot, len(soaked))
	for i := range times {
		for v, variant := range soaked {
			if variant.etcd && !withEtcd && i > 0 {
				continue
			}
			seats <- struct{}{}
			all.Go(func() {
				defer func() { <-seats }()
				said[v].add(summary(variant.lab, variant.options))
			})
		}
	}
	all.Wait()
	for v, variant := range soaked {
		if len(said[v].counts) != 1 {
			t.Errorf("%s %+v said:", variant.lab, variant.options)
		}
		for what, n := range said[v].counts {
			t.Logf("%4d times %s", n, what)
		}
	}
}

// ballot counts what was said.
type ballot struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *ballot) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[what]++
}

// busy occupies every core until the function returned is called.
func busy() (end func()) {
	var done atomic.Bool
	var loops sync.WaitGroup
	for range runtime.NumCPU() {
		loops.Go(func() {
			for !done.Load() {
			}
		})
	}
	return func() {
		done.Store(true)
		loops.Wait()
	}
}

// summary plays a lab and says its verdict in one line.
func summary(name string, o Options) string {
	l, err := Named(name)
	if err != nil {
		return err.Error()
	}
	s, err := Start(context.Background(), l, o)
	if err != nil {
		return fmt.Sprint("start: ", err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Play(context.Background()); err != nil {
		return fmt.Sprint("play: ", err)
	}
	v := s.Result().Verdict
	words := []string{name, o.Service, o.Store, strings.Join(o.On, " "), "late=" + v.LateWrite, fmt.Sprintf("lost=%d", len(v.Lost))}
	for _, c := range v.Checks {
		words = append(words, fmt.Sprintf("%s=%s", c.Name, c.Verdict))
	}
	return strings.Join(words, " ")
}
