package labs

import (
	"slices"
	"testing"
)

func TestProves(t *testing.T) {
	for _, c := range []struct {
		lab, service, store, late string
		want                      []int
	}{
		{"pause", "redis", Unfenced, "landed", []int{2, 3}},
		{"pause", "redis", Fenced, "landed", []int{2, 3}},
		{"pause", "redlock", Fenced, "landed", []int{2, 3}},
		{"pause", "redis-incr", Unfenced, "landed", []int{2, 3}},
		{"pause", "redis-incr", Fenced, "fenced", []int{1}},
		{"pause", "etcd", Unfenced, "landed", []int{2}},
		{"pause", "etcd", Fenced, "fenced", []int{1, 4}},
		{"pause", "zookeeper", Fenced, "fenced", []int{1, 4}},
		{"pause", "etcd", Fenced, "landed", nil}, // a token that does not rise
		{"pause", "redis", Unfenced, "none", nil},
		{"failover", "redis", Unfenced, "landed", []int{3}},
		{"failover", "redis-incr", Fenced, "landed", []int{3}},
		{"failover", "etcd", Fenced, "none", []int{4}},
		{"charge", "redis", Unfenced, "none", []int{5}},
	} {
		l, err := Named(c.lab)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Proves(c.service, c.store, c.late); !slices.Equal(got, c.want) {
			t.Errorf("%s on %s, %s, late write %s: %v, want %v", c.lab, c.service, c.store, c.late, got, c.want)
		}
	}
}
