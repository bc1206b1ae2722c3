package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"boost/booster"
	"boost/cmd/boost/internal/usage"
	"boost/internal/cpu"
)

// version is the program's own; CHANGELOG.md says what each brought.
const version = "0.1.0"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version, and what it detects of this machine",
		Args:              usage.Arguments(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.out, "boost     %s\nnumerics  %d\ngo        %s %s/%s\ncpu       %s, %s\nthreads   %d\n",
				version, booster.NumericsVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH,
				cpu.Model(), a.level, cpu.Threads())
			return err
		},
	}
}
