package lock

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// InLine is how many hold or wait for the resource.
func (s *etcdService) InLine(ctx context.Context, resource string) (int, error) {
	resp, err := s.cl.Get(ctx, s.prefix+resource+"/", clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return int(resp.Count), nil
}
