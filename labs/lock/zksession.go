package lock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"lockdrill/labs/guard"
)

// nodeMark stands between a lock node's id and its sequence number.
const nodeMark = "-lock-"

// zkRetry is how long a request that may be repeated rests between two tries.
const zkRetry = 10 * time.Millisecond

// zkSession is one ZooKeeper session.
type zkSession struct {
	c   *zk.Conn
	net *zkNet
}

type zkSilent struct{}

func (zkSilent) Printf(string, ...any) {}

// openSession waits until it has a session of about that length: the server may
// give another.
func openSession(ctx context.Context, cfg Config, ttl time.Duration) (*zkSession, error) {
	n, err := newZKNet(cfg)
	if err != nil {
		return nil, err
	}
	c, _, err := zk.Connect(cfg.Endpoints, ttl, zk.WithLogger(zkSilent{}), zk.WithLogInfo(false),
		zk.WithDialer(n.dial), zk.WithHostProvider(n), zk.WithEventCallback(n.event))
	if err != nil {
		return nil, fmt.Errorf("zookeeper at %s: %w", strings.Join(cfg.Endpoints, ","), err)
	}
	sess := &zkSession{c, n}
	select {
	case <-n.ready:
	case <-ctx.Done():
		sess.close()
		if cause := n.failure(); cause != nil {
			return nil, fmt.Errorf("no session: %w: %w", ctx.Err(), cause)
		}
		return nil, fmt.Errorf("no session: %w", ctx.Err())
	}
	if cfg.User != "" {
		if err := c.AddAuth("digest", []byte(cfg.User+":"+cfg.Password)); err != nil {
			sess.close()
			return nil, fmt.Errorf("zookeeper user %s: %w", cfg.User, err)
		}
	}
	record(ctx, fmt.Sprintf("connect session=%s", ttl), fmt.Sprintf("session 0x%x of %s", c.SessionID(), n.length()))
	return sess, nil
}

func (z *zkSession) holdPings() { z.net.holdPings() }

func (z *zkSession) length() time.Duration { return z.net.length() }

func (z *zkSession) close() {
	z.net.end()
	z.c.Close()
	z.net.hangUp()
}

// asked is one request and its reply. The library knows no contexts: a reply
// that comes after the end of ctx finds nobody.
func asked[T any](ctx context.Context, request string, show func(T) string, f func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	done := make(chan answer, 1)
	go guard.Func(func() {
		v, err := f()
		done <- answer{v, err}
	})()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = unknown(ctx.Err())
	}
	if a.err != nil {
		record(ctx, request, a.err.Error())
	} else {
		record(ctx, request, show(a.v))
	}
	return a.v, a.err
}

// retried asks until there is an answer: for requests that change nothing.
func retried[T any](ctx context.Context, f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if !errors.Is(err, zk.ErrConnectionClosed) || pause(ctx, zkRetry) != nil {
			return v, err
		}
	}
}

// create makes the session's node under the parent, and the parent if need be.
// The node carries an id of its own: if the reply is lost, a look at the line
// tells whether it was made.
func (z *zkSession) create(ctx context.Context, parent string) (string, error) {
	id := "_c_" + randomID()
	path := parent + "/" + id + nodeMark
	for {
		node, err := asked(ctx, "create -e -s "+path, self, func() (string, error) {
			return z.c.Create(path, nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll))
		})
		switch {
		case errors.Is(err, zk.ErrNoNode):
			if err := z.makeParents(ctx, parent); err != nil {
				return "", err
			}
			continue
		case !errors.Is(err, zk.ErrConnectionClosed):
			return node, err
		}
		line, err := z.line(ctx, parent)
		if err != nil && !errors.Is(err, zk.ErrNoNode) {
			return "", err
		}
		if i := slices.IndexFunc(line, func(n string) bool { return strings.HasPrefix(n, path) }); i >= 0 {
			return line[i], nil
		}
	}
}

func randomID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return fmt.Sprintf("%x", b)
}

func self(s string) string { return s }

// makeParents makes the nodes above as containers, which ZooKeeper removes when
// they have been emptied.
func (z *zkSession) makeParents(ctx context.Context, path string) error {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		_, err := asked(ctx, "create -c "+path[:i], self, func() (string, error) {
			return z.c.CreateContainer(path[:i], nil, zk.FlagContainer, zk.WorldACL(zk.PermAll))
		})
		if err != nil && !errors.Is(err, zk.ErrNodeExists) && !errors.Is(err, zk.ErrConnectionClosed) {
			return err
		}
	}
	return nil
}

// turn waits until the node is first in line. It watches its predecessor alone,
// so that a release wakes one waiter.
func (z *zkSession) turn(ctx context.Context, node string, once bool) error {
	parent := node[:strings.LastIndex(node, "/")]
	for {
		line, err := z.line(ctx, parent)
		if err != nil {
			return err
		}
		i := slices.Index(line, node)
		switch {
		case i < 0: // a predecessor that went says nothing of our own node
			return errSessionEnded
		case i == 0:
			return nil
		case once:
			return ErrHeld
		}
		if err := z.await(ctx, line[i-1]); err != nil {
			return err
		}
	}
}

// await returns when a node has gone, or has changed.
func (z *zkSession) await(ctx context.Context, node string) error {
	watch, err := asked(ctx, "get -w "+node, func(<-chan zk.Event) string { return "watched" }, func() (<-chan zk.Event, error) {
		_, _, watch, err := z.c.GetW(node)
		return watch, err
	})
	if errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrConnectionClosed) {
		return nil // look at the line again
	}
	if err != nil {
		return err
	}
	select {
	case e := <-watch:
		if errors.Is(e.Err, zk.ErrSessionExpired) {
			return errSessionEnded
		}
		return e.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// line is the lock nodes under a parent, first come first, up to date with the
// leader.
func (z *zkSession) line(ctx context.Context, parent string) ([]string, error) {
	show := func(c []string) string { return fmt.Sprintf("%d nodes", len(c)) }
	return retried(ctx, func() ([]string, error) {
		return asked(ctx, "sync; ls "+parent, show, func() ([]string, error) {
			if _, err := z.c.Sync(parent); err != nil {
				return nil, err
			}
			children, _, err := z.c.Children(parent)
			return inOrder(parent, children), err
		})
	})
}

func (z *zkSession) stat(ctx context.Context, node string) (*zk.Stat, error) {
	show := func(s *zk.Stat) string { return fmt.Sprintf("czxid=%d version=%d", s.Czxid, s.Version) }
	return retried(ctx, func() (*zk.Stat, error) {
		return asked(ctx, "stat "+node, show, func() (*zk.Stat, error) {
			_, s, err := z.c.Get(node)
			return s, err
		})
	})
}

func (z *zkSession) set(ctx context.Context, node, value string) error {
	show := func(s *zk.Stat) string { return fmt.Sprintf("version=%d", s.Version) }
	_, err := asked(ctx, "set "+node, show, func() (*zk.Stat, error) { return z.c.Set(node, []byte(value), -1) })
	return err
}

func (z *zkSession) remove(ctx context.Context, node string) error {
	_, err := asked(ctx, "delete "+node, func(struct{}) string { return "deleted" },
		func() (struct{}, error) { return struct{}{}, z.c.Delete(node, -1) })
	return err
}
