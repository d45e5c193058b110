// Package guard keeps a panic in a goroutine of the labs from ending the program
// before the terminal is put right.
package guard

import (
	"runtime/debug"
	"sync/atomic"
)

// Handler is told of a panic: its value, and the stack of the goroutine.
type Handler func(value any, stack []byte)

var handler atomic.Pointer[Handler]

// OnPanic sets who is told of panics, until undo is called. Without a handler a
// panic ends the program as ever.
func OnPanic(h Handler) (undo func()) {
	old := handler.Swap(&h)
	return func() { handler.Store(old) }
}

// Func is f, with its panics told to the handler. Every goroutine that a lab
// starts runs through it.
func Func(f func()) func() {
	return func() {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			h := handler.Load()
			if h == nil {
				panic(v)
			}
			(*h)(v, debug.Stack())
		}()
		f()
	}
}
