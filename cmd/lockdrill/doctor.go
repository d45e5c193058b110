package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"lockdrill/labs/server"
)

func doctorCommand(io streams) *cobra.Command {
	var o studyOptions
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say what works on this machine, and which paths are used", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), o.data, io) },
	}
	o.dataFlag(cmd)
	return cmd
}

// runDoctor tries what the labs need and fails if one of them is missing.
func runDoctor(ctx context.Context, data string, io streams) error {
	bad := 0
	line := func(what, state string, err error) {
		if err != nil {
			bad++
			state = "failed: " + oneLine(err.Error())
		}
		fmt.Fprintf(io.out, "%-20s %s\n", what, state)
	}
	line("platform", runtime.GOOS+"/"+runtime.GOARCH+", "+runtime.Version(), nil)
	line("temporary files", os.TempDir(), tryTempDir())
	record, err := recordState(ctx, data)
	line("record", record, err)
	took, err := tryEtcd(ctx)
	line("etcd in process", "starts in "+took.Round(time.Millisecond).String(), err)
	took, err = tryRedis()
	line("Redis in process", "starts in "+took.Round(time.Microsecond).String(), err)
	if bad > 0 {
		return fmt.Errorf("%d of the checks above failed", bad)
	}
	return nil
}

func tryTempDir() error {
	d, err := server.NewTempDir()
	if err != nil {
		return err
	}
	return d.Remove()
}

func tryEtcd(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	e, err := server.StartEtcd(ctx, 1)
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, e.Close()
}

func tryRedis() (time.Duration, error) {
	began := time.Now()
	r, err := server.StartRedis()
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, r.Close()
}
