package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what the build says of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func versionCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(io.out, "lockdrill %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print a completion script for bash, zsh, fish or powershell",
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("completion takes a shell: bash, zsh, fish or powershell")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("completion takes one shell, but got also %q", args[1])
			}
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(io.out, true)
			case "zsh":
				return root.GenZshCompletion(io.out)
			case "fish":
				return root.GenFishCompletion(io.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(io.out)
			}
			return usagef("no completion for shell %q%s", args[0], didYouMean(args[0], shells))
		},
	}
}
