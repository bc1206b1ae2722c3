package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/network"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/dataset"
	"boost/internal/comm/mesh"
)

func ranksCommands() []*cobra.Command {
	return []*cobra.Command{ranksCommand(), replayCommand(), ranksPeersCommand(), rankCommand()}
}

// simulation is what the flags of `ranks` say.
type simulation struct {
	places
	rows, columns, turns int
	short                bool
}

func ranksCommand() *cobra.Command {
	var s simulation
	c := &cobra.Command{
		Use:   "ranks",
		Short: "Times trees over ranks in network namespaces, and fits a model that goes to more ranks (root, iproute2)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			study, err := s.run(cmd)
			if err != nil {
				return err
			}
			return s.keep(study)
		},
	}
	s.outputs(c, "benchmarks/results/ranks.json", "docs/distributed.md")
	f := c.Flags()
	f.IntVar(&s.rows, "rows", 200_000, "rows of the table, those of all ranks")
	f.IntVar(&s.columns, "cols", 100, "columns")
	f.IntVar(&s.turns, "turns", 2, "times that a tree is replayed, of which the least counts")
	f.BoolVar(&s.short, "short", false, "some networks of few ranks only, to try the program")
	return c
}

// table makes the table in memory.
func (s *simulation) table() (*dataset.Table, error) {
	g, err := synth.NewGenerator(1, s.columns)
	if err != nil {
		return nil, err
	}
	columns, labels := make([][]float32, s.columns), make([]float32, s.rows)
	for c := range columns {
		columns[c] = make([]float32, s.rows)
	}
	const block = 10_000
	x := make([]float32, block*s.columns)
	for lo := 0; lo < s.rows; lo += block {
		n := min(block, s.rows-lo)
		g.Fill(lo, lo+n, x[:n*s.columns], labels[lo:lo+n])
		for row := range n {
			for c := range columns {
				columns[c][lo+row] = x[row*s.columns+c]
			}
		}
	}
	return tableOf(columns, labels)
}

// run records, replays, fits and checks.
func (s *simulation) run(cmd *cobra.Command) (*network.Study, error) {
	ctx, says := cmd.Context(), cmd.ErrOrStderr()
	study := &network.Study{Machine: harness.ThisMachine(), Command: "make ranks-simulated", Rows: s.rows, Columns: s.columns, Cells: network.Networks()}
	if s.short {
		var few []network.Cell
		for _, c := range study.Cells {
			if c.Ranks <= 4 && c.Link.Gbit >= 10 {
				few = append(few, c)
			}
		}
		study.Cells = few
	}
	folder, err := os.MkdirTemp("", "ranks-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	table, err := s.table()
	if err != nil {
		return nil, err
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping = "binary", 2, 0 // a trace has the trees behind the first
	study.Leaves = p.Tree.Leaves
	if study.Overhead, err = network.MeasureOverhead(ctx); err != nil {
		return nil, err
	}
	traces := map[int]*network.Trace{}
	var all []*network.Trace
	for _, n := range []int{1, 2, 3, 4, 8, 12, 16} {
		if traces[n], err = network.Record(ctx, table, p, n); err != nil {
			return nil, fmt.Errorf("%d ranks: %w", n, err)
		}
		if n > 1 {
			if err := traces[n].MeasureSent(ctx); err != nil {
				return nil, err
			}
		}
		if err := traces[n].Save(traceFile(folder, n)); err != nil {
			return nil, err
		}
		summary := traces[n].Summary()
		fmt.Fprintf(says, "recorded %+v\n", summary)
		study.Traces, all = append(study.Traces, summary), append(all, traces[n])
		study.Uneven = max(study.Uneven, summary.Straggle)
	}
	study.Growth = network.GrowthOf(all)
	var fitted []network.Measured
	for i := range study.Cells {
		c := &study.Cells[i]
		if err := s.replay(ctx, c, traceFile(folder, c.Ranks), study.Overhead); err != nil {
			return nil, fmt.Errorf("%d ranks at %g Gbit/s and %s: %w", c.Ranks, c.Link.Gbit, c.Link.Delay, err)
		}
		c.Cost = traces[c.Ranks].Cost(c.Link, study.Overhead, c.Slow)
		fmt.Fprintf(says, "took %.4f s, waited %.4f, sent %.0f; %+v\n", c.Seconds, c.Waited, c.Sent, *c)
		if c.Fitted {
			fitted = append(fitted, network.Measured{Cost: c.Cost, Seconds: c.Seconds})
		}
	}
	study.Model = network.Fit(fitted)
	for i := range study.Cells {
		c := &study.Cells[i]
		c.Modelled = study.Model.Seconds(c.Cost)
		c.Error = c.Modelled/c.Seconds - 1
	}
	study.Larger = larger(study, traces[16])
	return study, nil
}

func traceFile(folder string, ranks int) string { return filepath.Join(folder, strconv.Itoa(ranks)) }

// larger asks the model about 10⁹ rows.
func larger(study *network.Study, trace *network.Trace) (rows []network.Row) {
	ranks := []int{1, 4, 16, 64, 256, 1024}
	for _, threads := range []int{1, 32} {
		for _, link := range []network.Link{{Gbit: 1, Delay: 200 * time.Microsecond}, {Gbit: 10, Delay: 100 * time.Microsecond}, {Gbit: 25, Delay: 50 * time.Microsecond}} {
			l := network.Larger{
				Rows: 1e9, Threads: threads, Growth: study.Growth, Overhead: study.Overhead, Trace: trace, Uneven: study.Uneven, Model: study.Model, WideSums: true,
			}
			row := network.Row{Rows: l.Rows, Columns: study.Columns, Threads: threads, Link: link, Ranks: ranks}
			for _, n := range ranks {
				seconds, _ := l.Seconds(n, link)
				row.Seconds = append(row.Seconds, seconds)
			}
			least := math.Inf(1)
			for n := 1; n <= 1<<16; n *= 2 {
				if seconds, _ := l.Seconds(n, link); seconds < least {
					least, row.Best = seconds, n
				}
			}
			row.PaysUnto = l.PaysUntil(link, 1<<16)
			rows = append(rows, row)
		}
	}
	return rows
}

// replayed is what a rank of a replay prints.
type replayed struct {
	Seconds, Waited float64 // of a tree, not stretched
	Sent            float64 // bytes by tree
}

// replay makes a network and has its ranks replay a trace.
func (s *simulation) replay(ctx context.Context, c *network.Cell, trace string, o network.Overhead) (err error) {
	c.Stretch = network.Stretch(c.Ranks, c.Link)
	w, err := network.New(c.Ranks, c.Link.Stretched(c.Stretch))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var peers []string
	for r := range c.Ranks {
		peers = append(peers, w.Address(r)+":7700")
	}
	var first strings.Builder
	err = w.Run(ctx, func(ctx context.Context, rank int) *exec.Cmd {
		slow := 1.0
		if rank == c.Ranks-1 {
			slow = c.Slow
		}
		command := w.Command(ctx, rank, self, "replay", "--turns", strconv.Itoa(s.turns), "--trace", trace, "--rank", strconv.Itoa(rank), "--peers", strings.Join(peers, ","),
			fmt.Sprintf("--stretch=%g", c.Stretch), fmt.Sprintf("--slow=%g", slow), fmt.Sprintf("--per-byte=%g", o.PerByte), fmt.Sprintf("--per-message=%g", o.PerMessage))
		command.Stderr = os.Stderr
		if rank == 0 {
			command.Stdout = &first
		}
		return command
	})
	if err != nil {
		return err
	}
	var r replayed
	if err := json.Unmarshal([]byte(first.String()), &r); err != nil {
		return err
	}
	c.Seconds, c.Waited, c.Sent = r.Seconds, r.Waited, r.Sent
	return nil
}

// replayCommand is a rank of a replay, in a process of its own.
func replayCommand() *cobra.Command {
	var file string
	var rank, turns int
	var peers []string
	var stretch, slow float64
	var o network.Overhead
	c := &cobra.Command{
		Use:   "replay",
		Short: "Is a rank of `ranks`, and prints one line of JSON",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			trace, err := network.LoadTrace(file)
			if err != nil {
				return err
			}
			l, err := mesh.Listen(peers[rank])
			if err != nil {
				return err
			}
			c, err := l.Connect(ctx, rank, peers, mesh.Options{Token: network.Secret, Silence: time.Minute})
			if err != nil {
				return err
			}
			pause := network.Sleeper(len(peers), o, stretch, slow)
			scale := stretch * float64(trace.Trees)
			r := replayed{Seconds: math.Inf(1)}
			for range turns {
				took, waited, sent, err := network.Replay(ctx, c, trace.Steps[rank], pause)
				if err != nil {
					return err
				}
				if seconds := took.Seconds() / scale; seconds < r.Seconds {
					r = replayed{Seconds: seconds, Waited: waited.Seconds() / scale, Sent: float64(sent) / float64(trace.Trees)}
				}
			}
			return errors.Join(json.NewEncoder(cmd.OutOrStdout()).Encode(r), c.Close())
		},
	}
	f := c.Flags()
	f.StringVar(&file, "trace", "", "file of the trace")
	f.IntVar(&rank, "rank", 0, "number of this rank")
	f.IntVar(&turns, "turns", 1, "times that the trace is replayed")
	f.StringSliceVar(&peers, "peers", nil, "addresses of all ranks")
	f.Float64Var(&stretch, "stretch", 1, "how many times as long computing takes")
	f.Float64Var(&slow, "slow", 1, "how many times as long as in the trace this rank computes")
	f.Float64Var(&o.PerByte, "per-byte", 0, "nanoseconds of processor time a byte that is sent")
	f.Float64Var(&o.PerMessage, "per-message", 0, "nanoseconds of processor time a message")
	return c
}
