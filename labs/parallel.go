package labs

import (
	"errors"
	"sync"

	"lockdrill/labs/guard"
)

// parallel calls f for 0 to n-1, all at once, and waits for all of them.
func parallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(guard.Func(func() { errs[i] = f(i) }))
	}
	all.Wait()
	return errors.Join(errs...)
}
