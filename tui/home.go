package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// home answers three questions: how strong is each point, what to do next, what
// has been proved.
type home struct{ env *Env }

func newHome(env *Env) screen { return &home{env: env} }

func (h *home) init() tea.Cmd           { return nil }
func (h *home) update(tea.Msg) tea.Cmd  { return nil }
func (h *home) title() (string, string) { return "lockdrill", "" }
func (h *home) body(int, int) string    { return "" }
func (h *home) keys() []key.Binding     { return nil }
func (h *home) typing() bool            { return false }
func (h *home) back() (bool, tea.Cmd)   { return false, nil }
func (h *home) close()                  {}
