package client

import (
	"context"
	"strings"
	"sync"

	"lockdrill/labs/lock"
)

// stand makes an acquire stop after every node has answered its SET, before it
// goes on to what the answers mean, until the lab lets it go on.
func (c *child) stand(ctx context.Context) context.Context {
	var mu sync.Mutex
	answers := 0
	return lock.Watched(ctx, func(request string) {
		if !strings.Contains(strings.ToUpper(request), "SET ") {
			return
		}
		mu.Lock()
		answers++
		last := answers == len(c.cfg.Lock.Endpoints)
		mu.Unlock()
		if last {
			c.report(Report{Op: Ready, Outcome: OK, Detail: "every node has answered; it has not looked at its clock yet"})
		}
	})
}
