// Command benchmarks measures boost: its speed beside other trainers and its accuracy
// on real tables. See benchmarks.mk for the targets that call it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := rootCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "benchmarks",
		Short:         "Measures boost beside other trainers",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		peersCommand(), trainCommand(), modesCommand(), modeTrainCommand(), scorersCommand(), scoreCommand(), loadingCommand(), readCommand(), sizesCommand(), compressionCommand(),
		accuracyCommand(), defaultsCommand(), alternativesCommand(), precisionCommand(), objectivesCommand(), intervalsCommand(), guardCommand(), rowsCommand(), generateCommand(),
	)
	root.AddCommand(ranksCommands()...)
	return root
}
