package main

import (
	"context"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"lockdrill/drills"
	"lockdrill/drills/progress"
	"lockdrill/drills/recall"
	"lockdrill/labs/client"
	"lockdrill/tui"
)

func main() {
	client.Main()
	ctx := context.Background()
	m, _ := drills.Load(nil, []string{"pause", "failover"})
	pts, _ := recall.Points()
	rec, _ := progress.Open(ctx, "/tmp/tuidata")
	clock, _ := drills.NewClock("")
	env := &tui.Env{Ctx: ctx, Material: m, Points: pts, Record: rec, Clock: clock}
	a := tui.NewLabForTest(env, os.Args[1:])
	_, err := tea.NewProgram(a).Run()
	a.Close()
	fmt.Println(err)
}
