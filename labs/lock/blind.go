package lock

import "context"

// Deleter is a service whose lock is one key that anybody can delete. It is the
// mistake that the labs show, and no part of Service.
type Deleter interface {
	// Delete removes the lock without asking whose it is, and says how many
	// keys that were: 0 or 1.
	Delete(ctx context.Context, resource string) (int64, error)
}

// Delete is the plain DEL that a holder sends who forgot that its lease may have
// ended.
func (s *redisService) Delete(ctx context.Context, resource string) (int64, error) {
	n, err := s.rdb.Del(ctx, s.prefix+resource).Result()
	if err != nil {
		return 0, redisFailure(err)
	}
	return n, nil
}
