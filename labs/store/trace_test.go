package store

import (
	"context"
	"net/http/httptrace"
)

// withConnected closes reached once the request has been written.
func withConnected(ctx context.Context, reached chan struct{}) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { close(reached) },
	})
}
