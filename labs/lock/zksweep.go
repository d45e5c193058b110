package lock

import (
	"context"
	"errors"
	"strings"

	"github.com/go-zookeeper/zk"
)

func sweepZooKeeper(ctx context.Context, c Config) error {
	sess, err := openSession(ctx, c, lookSession)
	if err != nil {
		return err
	}
	defer sess.close()
	top := "/" + strings.TrimSuffix(c.Prefix, "/")
	if err := sess.removeAll(ctx, top); err != nil {
		return err
	}
	// The folder of all runs goes with the last of them.
	err = sess.remove(ctx, top[:strings.LastIndex(top, "/")])
	if errors.Is(err, zk.ErrNotEmpty) || errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// removeAll removes a node and what is under it.
func (z *zkSession) removeAll(ctx context.Context, node string) error {
	children, err := asked(ctx, "ls "+node, func(c []string) string { return strings.Join(c, " ") }, func() ([]string, error) {
		children, _, err := z.c.Children(node)
		return children, err
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, c := range children {
		if err := z.removeAll(ctx, node+"/"+c); err != nil {
			return err
		}
	}
	if err := z.remove(ctx, node); err != nil && !errors.Is(err, zk.ErrNoNode) {
		return err
	}
	return nil
}

// Swept says whether ZooKeeper has removed the parent of a resource's lock nodes,
// as it does with containers that have been emptied.
func Swept(ctx context.Context, c Config, resource string) (bool, error) {
	sess, err := openSession(ctx, c, lookSession)
	if err != nil {
		return false, err
	}
	defer sess.close()
	_, err = sess.stat(ctx, openZooKeeper(c).parent(resource))
	if errors.Is(err, zk.ErrNoNode) {
		return true, nil
	}
	return false, err
}
