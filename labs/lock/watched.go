package lock

import "context"

type watchedKey struct{}

// Watched returns a context under which see is told of every request as it is
// answered, from whichever goroutine sent it.
func Watched(ctx context.Context, see func(request string)) context.Context {
	return context.WithValue(ctx, watchedKey{}, see)
}

func tellWatcher(ctx context.Context, request string) {
	if see, ok := ctx.Value(watchedKey{}).(func(string)); ok {
		see(request)
	}
}
