package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/usage"
	"boost/internal/worker"
)

// workerCommand is for libraries, which start the program and speak to it.
func (a *app) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Answer the requests of a library over standard input and output",
		Hidden: true,
		Args:   usage.Arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer context.AfterFunc(cmd.Context(), func() { os.Exit(exit.Interrupted) })()
			return worker.Serve(cmd.Context(), a.stdin, a.out, version)
		},
	}
}
