package server

import (
	"fmt"
	"runtime"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc/grpclog"
)

// silenceGRPC keeps gRPC's own log off the terminal, whatever GRPC_GO_* says.
var silenceGRPC = sync.OnceFunc(func() {
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(discard{}, discard{}, discard{}))
})

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// giveUp takes the place of what etcd's log does after a fatal entry: it would
// end the whole program, or panic where nobody recovers. Here it ends the
// goroutine, which may leave others of etcd waiting for ever, and passes on what
// the entry said.
type giveUp chan string

func newGiveUp() giveUp { return make(giveUp, 1) }

// logger writes nothing.
func (g giveUp) logger() *zap.Logger {
	return zap.NewNop().WithOptions(zap.WithFatalHook(g), zap.WithPanicHook(g))
}

// OnWrite is called with an entry after which etcd does not mean to go on.
func (g giveUp) OnWrite(e *zapcore.CheckedEntry, fields []zapcore.Field) {
	why := e.Message
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok && f.Key == "error" {
			why = fmt.Sprintf("%s: %v", e.Message, err)
		}
	}
	select {
	case g <- why:
	default: // the first reason is the one that tells
	}
	runtime.Goexit()
}
