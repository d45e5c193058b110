package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

func startEtcd(t *testing.T, n int) *Etcd {
	t.Helper()
	e, err := StartEtcd(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, e.Close()) })
	return e
}

// put writes and reads a key through the members given.
func put(ctx context.Context, endpoints []string) error {
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Put(ctx, "k", "v"); err != nil {
		return err
	}
	r, err := c.Get(ctx, "k")
	if err == nil && len(r.Kvs) != 1 {
		err = errors.New("the key is not there")
	}
	return err
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestEtcdOfOneAndOfThree(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("ETCD_NAME", "other")
			t.Setenv("ETCD_LISTEN_CLIENT_URLS", "nonsense")
			t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
			e, err := StartEtcd(context.Background(), n)
			must(t, err)
			if len(e.Names()) != n || len(e.Endpoints()) != n || e.Reachable() != n {
				t.Errorf("names %v, endpoints %v, %d alive", e.Names(), e.Endpoints(), e.Reachable())
			}
			eventually(t, "a leader", func() bool { return slices.Contains(e.Names(), e.Leader()) })
			must(t, put(within(t), e.Endpoints()))
			must(t, e.Close())
			must(t, e.Close())
			if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestKillingTheLeader(t *testing.T) {
	e := startEtcd(t, 3)
	eventually(t, "a leader", func() bool { return e.Leader() != "" })
	dead := e.Leader()
	must(t, e.Kill(dead))
	if err := e.Kill(dead); err == nil {
		t.Error("it died twice")
	}
	if err := e.Kill("etcd-9"); err == nil {
		t.Error("a member that is not there died")
	}
	eventually(t, "another leader", func() bool { return e.Leader() != "" && e.Leader() != dead })
	if e.Reachable() != 2 {
		t.Errorf("%d are alive", e.Reachable())
	}
	must(t, put(within(t), e.Endpoints())) // the dead one's address is in the list
}

// Process-wide registries of etcd must not mind (etcd-io/etcd 20871).
func TestSeveralClustersAtOnceAndAgain(t *testing.T) {
	var all sync.WaitGroup
	for _, n := range []int{1, 3, 1} {
		all.Go(func() {
			for range 2 {
				e, err := StartEtcd(context.Background(), n)
				if err == nil {
					err = errors.Join(put(context.Background(), e.Endpoints()), e.Close())
				}
				if err != nil {
					t.Errorf("%d members: %v", n, err)
				}
			}
		})
	}
	all.Wait()
}

func TestLeavingDuringTheStart(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Setenv("TMPDIR", t.TempDir())
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		e, err := StartEtcd(ctx, n)
		if err == nil { // it was ready before anybody looked at the context
			must(t, e.Close())
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%d members: %v", n, err)
		}
		if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
			t.Errorf("%d members left behind: %v", n, left)
		}
	}
}

func TestNoTempDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(t.TempDir(), "none")} {
		t.Setenv("TMPDIR", dir)
		_, err := StartEtcd(context.Background(), 1)
		if err == nil || !strings.Contains(err.Error(), "TMPDIR") || strings.Contains(err.Error(), "\n") {
			t.Errorf("in %s: %v", dir, err)
		}
	}
}

// A disk that is full must end the lab, not the program (etcd's own log would
// exit).
func TestAFullDisk(t *testing.T) {
	tmp := t.TempDir()
	out, err := helper("full disk", tmp).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil || !strings.HasPrefix(text, "ended with: etcd") || strings.Contains(text, "\n") {
		t.Errorf("%v: %s", err, text)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func helper(name, tmp string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+name, "TMPDIR="+tmp)
	return cmd
}

func BenchmarkThreeMembersReady(b *testing.B) {
	for b.Loop() {
		e, err := StartEtcd(context.Background(), 3)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = e.Close()
		b.StartTimer()
	}
}

func BenchmarkOneMemberReady(b *testing.B) {
	for b.Loop() {
		e, err := StartEtcd(context.Background(), 1)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = e.Close()
		b.StartTimer()
	}
}
