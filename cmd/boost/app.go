package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/usage"
	"boost/dataset"
	"boost/dataset/write"
	"boost/internal/cpu"
	"boost/internal/format"
	"boost/internal/output"
	"boost/internal/terminal"
	"boost/parallel"
)

// app is one run of the program: where it reads and writes, and what the flags
// that every command has say.
type app struct {
	stdin    io.Reader
	out      io.Writer          // data
	terminal *terminal.Terminal // everything else
	log      *slog.Logger
	args     []string // of the command line
	started  time.Time
	told     map[string]bool
	closers  []io.Closer      // at the end of the run
	messages *output.Appended // --log-file, or nil

	logFormat string
	logFile   string
	quiet     bool
	verbose   bool
	level     cpu.Level
	command   keyflags.Command // the one that runs
}

// run executes one command line and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{args: args, stdin: stdin, out: stdout, terminal: terminal.New(stderr), started: time.Now(), told: map[string]bool{}}
	a.log = slog.New(terminal.NewHandler(a.terminal, "text", slog.LevelInfo))
	ctx, stop := a.interruptible(context.Background())
	defer stop()
	defer func() {
		for _, c := range a.closers {
			_ = c.Close() // what was written is written
		}
	}()
	root := a.root()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		complete.Register(root)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	code := a.end(ctx, root.ExecuteContext(ctx))
	if err := a.messages.Close(); err != nil {
		a.log.Error(err.Error())
		code = cmp.Or(code, exit.Other)
	}
	return code
}

// end says what a command failed with, and returns the exit code.
func (a *app) end(ctx context.Context, err error) int {
	a.terminal.ClearBar()
	if err == nil {
		return exit.Done
	}
	if a.logFormat == "json" {
		a.log = slog.New(terminal.NewHandler(a.terminal, "json", slog.LevelInfo)) // flags are refused before prepare
	}
	code := exit.Code(err)
	if errors.Is(context.Cause(ctx), exit.ErrInterrupted) && errors.Is(err, dataset.ErrTable) {
		code = exit.Interrupted // what was wrong with a table is that it was cut short
	}
	var silent *exit.Silent
	switch {
	case errors.As(err, &silent):
	case code == exit.Interrupted:
		what := "nothing was written"
		if partly, ok := errors.AsType[*exit.Partly](err); ok {
			what = format.Counted(partly.Rows, "row") + " were written"
		}
		a.log.Error("interrupted: " + what)
	default:
		a.log.Error(exit.Wording(err))
	}
	return code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "boost COMMAND",
		Short: "Gradient-boosted trees: a table in, a model out",
		Long: `boost trains gradient-boosted trees on table files and predicts with them.

A TABLE is a CSV, TSV, Parquet, Arrow, Excel, JSON lines or LibSVM file, plain or compressed with
gzip or zstd, a glob in quotes, or - for standard input.
The same data, parameters and seed give the same model, byte for byte, on any machine.`,
		Example: `  boost train data.csv --label price -o price.boost
  boost eval price.boost test.csv
  boost predict price.boost new.csv -o predictions.csv`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usage.UnknownCommand(cmd, args[0])
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.command.Name = cmd.Name()
			return a.prepare()
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	cobra.EnableCommandSorting = false
	flags := root.PersistentFlags()
	flags.StringVar(&a.logFormat, "log-format", "text", "`FORMAT` of messages: text or json")
	flags.StringVar(&a.logFile, "log-file", "", "also write all messages to `FILE`, with the time of each, as with -v")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no messages but errors, and no summary of a file that was written")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "print every round and choice")
	complete.With(root, "log-format", "text", "json")
	root.Flags().Bool("version", false, "print the version")
	root.Version = version
	root.SetVersionTemplate("boost {{.Version}}\n")
	root.SetFlagErrorFunc(usage.FlagError)
	root.SetUsageTemplate(usage.Template)
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "help [command]", RunE: func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err != nil || cmd == nil {
			cmd, rest = root, args
		}
		if len(rest) > 0 {
			return usage.UnknownCommand(cmd, rest[0])
		}
		return cmd.Help()
	}})
	root.AddCommand(a.trainCommand(), a.cvCommand(), a.tuneCommand(), a.predictCommand(), a.evalCommand(), a.inspectCommand(), a.initCommand(),
		a.reproduceCommand(), a.refitCommand(), a.rollbackCommand(), a.mergeCommand(), a.quantizeCommand(), a.calibrateCommand(), a.convertCommand(), a.compareCommand(), a.registryCommand(), a.benchCommand(), a.versionCommand(), a.completionCommand(), a.workerCommand())
	return root
}

// prepare applies the flags that every command has.
func (a *app) prepare() error {
	level := slog.LevelInfo
	switch {
	case a.quiet && a.verbose:
		return exit.Usagef("-q and -v contradict each other: leave one of them out")
	case a.quiet:
		level = slog.LevelError
	case a.verbose:
		level = slog.LevelDebug
	}
	if a.logFormat != "text" && a.logFormat != "json" {
		format := a.logFormat
		a.logFormat = "text"
		return exit.Usagef("--log-format must be text or json, not %q", format)
	}
	handler := terminal.NewHandler(a.terminal, a.logFormat, level)
	if a.logFile != "" {
		if err := a.openLog(); err != nil {
			return err
		}
		handler = slog.NewMultiHandler(handler, terminal.NewFileHandler(a.messages, a.logFormat, slog.LevelDebug))
	}
	a.log = slog.New(keyflags.Handler(handler, &a.command))
	use, note, err := cpu.Use()
	if err != nil {
		return exit.Usagef("%v", err)
	}
	a.level = use
	if note != "" {
		a.log.Warn(note)
	}
	return nil
}

// openLog opens the file of messages, to write after what is in it.
func (a *app) openLog() (err error) {
	named := 0 // once, by --log-file itself
	for _, arg := range a.args {
		if filename.One(arg[strings.LastIndexByte(arg, '=')+1:], a.logFile) {
			named++
		}
	}
	if named > 1 {
		return exit.Usagef("--log-file %s is read or written by the same run: give another name", format.Pasted(a.logFile))
	}
	a.messages, err = output.Append(a.logFile)
	return err
}

// pool returns workers for a number of threads, 0 for as many as are of use.
func (a *app) pool(threads int) *parallel.Pool {
	return parallel.NewPool(cmp.Or(threads, cpu.Threads()))
}

// writeOutput writes to a file, or to standard output for "" and "-".
func (a *app) writeOutput(path string, write func(w *bufio.Writer) error) error {
	return output.Write(a.out, path, write)
}

// writePacked is writeOutput for text or bytes that are compressed where the name of the file says so.
func (a *app) writePacked(path string, do func(w io.Writer) error) error {
	return a.writeOutput(path, func(w *bufio.Writer) error { return write.Packed(w, path, do) })
}

// showBar starts a bar of so many steps, where people read the messages.
func (a *app) showBar(steps int) {
	if !a.quiet && a.logFormat != "json" {
		a.terminal.ShowBar(steps)
	}
}

// showFolds starts a bar of the rounds of all folds, and returns what moves it.
func (a *app) showFolds(rounds, folds int) (onRound func(done, of int)) {
	a.showBar(rounds * folds)
	return func(done, of int) {
		a.terminal.Step(done, fmt.Sprintf("round %s/%s of %d folds", format.Count(done), format.Count(of), folds))
	}
}

// answer prints what a command found on standard output: as JSON, or as text in words.
func (a *app) answer(asJSON bool, value any, text func(w io.Writer) error) error {
	return a.writeOutput("", func(w *bufio.Writer) error {
		if asJSON {
			return format.JSON(w, value)
		}
		return text(w)
	})
}
