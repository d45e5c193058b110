package lock

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Answers are what the members that a client reaches said of a lock.
type Answers struct {
	Owner        string // by a serializable read, which asks no majority; "" = nobody
	Linearizable error  // of a read that asks one
	Grant        error  // of a lease
}

// Peek asks in three ways, each for a time.
func (s *etcdService) Peek(ctx context.Context, resource string, within time.Duration) (Answers, error) {
	var a Answers
	first := append(clientv3.WithFirstCreate(), clientv3.WithSerializable())
	resp, err := s.cl.Get(ctx, s.prefix+resource+"/", first...)
	if err != nil {
		return a, err
	}
	if len(resp.Kvs) > 0 {
		a.Owner = string(resp.Kvs[0].Key)
	}
	a.Linearizable = limited(ctx, within, func(ctx context.Context) error {
		_, err := s.Holder(ctx, resource)
		if errors.Is(err, ErrFree) {
			return nil
		}
		return err
	})
	a.Grant = limited(ctx, within, func(ctx context.Context) error {
		l, err := s.cl.Grant(ctx, 1)
		if err != nil {
			return err
		}
		_, err = s.cl.Revoke(ctx, l.ID)
		return err
	})
	return a, nil
}

func limited(ctx context.Context, within time.Duration, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return ask(ctx)
}
