package tui

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"go.uber.org/goleak"
)

// broken is a screen whose command panics as soon as it begins.
type broken struct {
	*stats
	closed bool
}

func (b *broken) init() tea.Cmd { return func() tea.Msg { panic("the command fell over") } }
func (b *broken) close()        { b.closed = true }

func program(a *App, out *bytes.Buffer) *tea.Program {
	return tea.NewProgram(a, tea.WithInput(nil), tea.WithOutput(out), tea.WithoutSignals(), tea.WithWindowSize(80, 24),
		tea.WithColorProfile(colorprofile.TrueColor))
}

// A panic in the goroutine of a command ends the program with the alternate
// screen left, and lets go of what the screens hold.
func TestPanicInACommand(t *testing.T) {
	b := &broken{}
	a := newApp(testEnv(t, t.TempDir()), func(env *Env) screen {
		b.stats = &stats{env: env}
		return b
	})
	var out bytes.Buffer
	_, err := program(a, &out).Run()
	a.Close()
	if !errors.Is(err, tea.ErrProgramPanic) || !b.closed {
		t.Errorf("error %v, closed %v", err, b.closed)
	}
	if s := out.String(); strings.LastIndex(s, "[?1049l") < strings.LastIndex(s, "[?1049h") {
		t.Errorf("the alternate screen is still on: %q", s)
	}
}

// Nothing is left running when the program has ended, wherever the keys, which
// wait for no screen, have led. Ctrl-C ends it everywhere.
func TestProgramLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	env := testEnv(t, t.TempDir())
	a := New(env)
	var out bytes.Buffer
	p := program(a, &out)
	go func() {
		for _, k := range []string{"d", "esc", "p", "t", "x", "esc", "y", "esc", "s", "esc", "ctrl+c"} {
			p.Send(keyMsg(k))
		}
	}()
	if _, err := p.Run(); err != nil {
		t.Error(err)
	}
	a.Close()
	if err := env.Record.Close(); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
}
