package guard

import (
	"strings"
	"testing"
)

func TestHandlerIsTold(t *testing.T) {
	var value any
	var stack string
	undo := OnPanic(func(v any, s []byte) { value, stack = v, string(s) })
	defer undo()
	Func(func() { panic("the store fell over") })()
	if value != "the store fell over" || !strings.Contains(stack, "TestHandlerIsTold") {
		t.Errorf("told %v, stack %s", value, stack)
	}
}

func TestWithoutHandlerItPanics(t *testing.T) {
	defer func() {
		if v := recover(); v != "still a panic" {
			t.Errorf("recovered %v", v)
		}
	}()
	Func(func() { panic("still a panic") })()
}

func TestNoPanicNoWord(t *testing.T) {
	defer OnPanic(func(any, []byte) { t.Error("told of a panic that did not happen") })()
	ran := false
	Func(func() { ran = true })()
	if !ran {
		t.Error("the function did not run")
	}
}
