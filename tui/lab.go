package tui

import "lockdrill/labs"

func newLab(env *Env, l labs.Lab, o labs.Options) screen { return nil }

func newLabList(env *Env) screen { return nil }
