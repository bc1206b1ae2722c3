package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// beside is what the flags of `ranks-peers` say.
type beside struct {
	places
	table                table
	ranks, rounds, turns int
	only                 []string
}

func ranksPeersCommand() *cobra.Command {
	s := beside{table: table{kind: synth.Dense, test: 1000}}
	c := &cobra.Command{
		Use:   "ranks-peers",
		Short: "Times training over ranks beside LightGBM and XGBoost in network namespaces (root, iproute2)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := s.run(cmd)
			if err != nil {
				return err
			}
			return s.keep(r)
		},
	}
	s.inputs(c, "ranks.py", "generated tables")
	s.outputs(c, "benchmarks/results/ranks_peers.json", "docs/distributed.md")
	f := c.Flags()
	f.IntVar(&s.table.rows, "rows", 1_000_000, "rows")
	f.IntVar(&s.table.columns, "cols", 28, "columns")
	f.IntVar(&s.ranks, "ranks", 2, "ranks of one thread")
	f.IntVar(&s.rounds, "rounds", 20, "boosting rounds")
	f.IntVar(&s.turns, "turns", 3, "turns, of which the least time counts")
	f.StringSliceVar(&s.only, "only", []string{"boost", "lightgbm", "lightgbm-quantized", "xgboost"}, "these trainers only")
	return c
}

// run times all trainers in turns on each network.
func (s *beside) run(cmd *cobra.Command) (*network.Beside, error) {
	folder, err := s.generated(cmd, s.table)
	if err != nil {
		return nil, err
	}
	study := &network.Beside{Machine: harness.ThisMachine(), Command: "make ranks-peers", Rows: s.table.rows, Columns: s.table.columns, Ranks: s.ranks, Rounds: s.rounds}
	for _, link := range []network.Link{{Gbit: 1, Delay: 200 * time.Microsecond}, {Gbit: 10, Delay: 50 * time.Microsecond}, {Gbit: 10, Delay: 500 * time.Microsecond}, {Gbit: 25, Delay: 50 * time.Microsecond}} {
		on := network.OnLink{Link: link}
		for range s.turns {
			for _, trainer := range s.only {
				t, err := s.time(cmd.Context(), folder, trainer, link)
				if err != nil {
					return nil, fmt.Errorf("%s at %g Gbit/s and %s: %w", trainer, link.Gbit, link.Delay, err)
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%g Gbit/s, %s: %s %.4f s a round (load %s)\n", link.Gbit, link.Delay, trainer, t.Seconds, harness.LoadAverage())
				on.Add(trainer, t)
			}
		}
		study.Links = append(study.Links, on)
	}
	return study, nil
}

// time trains once over ranks, and returns what the first rank says.
func (s *beside) time(ctx context.Context, folder, trainer string, link network.Link) (t network.Timed, err error) {
	w, err := network.New(s.ranks, link)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	command := []string{s.python, s.script, trainer}
	if trainer == "boost" {
		self, err := os.Executable()
		if err != nil {
			return t, err
		}
		command = []string{self, "rank"}
	}
	var peers []string
	for r := range s.ranks {
		peers = append(peers, w.Address(r))
	}
	outs := make([]bytes.Buffer, s.ranks)
	err = w.Run(ctx, func(ctx context.Context, rank int) *exec.Cmd {
		c := w.Command(ctx, rank, append(command[:len(command):len(command)], "--folder", folder, "--rank", strconv.Itoa(rank),
			"--peers", strings.Join(peers, ","), "--rounds", strconv.Itoa(s.rounds))...)
		c.Stdout, c.Stderr = &outs[rank], os.Stderr
		c.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
		return c
	})
	if err != nil {
		return t, err
	}
	for r := range outs {
		lines := bytes.Split(bytes.TrimSpace(outs[r].Bytes()), []byte("\n"))
		var said network.Timed
		if err := json.Unmarshal(lines[len(lines)-1], &said); err != nil {
			return t, fmt.Errorf("rank %d: %w", r, err)
		}
		if r == 0 {
			t = said
		}
		t.Apart = t.Apart || said.Model != t.Model
	}
	return t, nil
}

// rankCommand is boost's rank of `ranks-peers`, in a process of its own.
func rankCommand() *cobra.Command {
	var folder string
	var rank int
	var peers []string
	p := booster.Defaults()
	c := &cobra.Command{
		Use:   "rank",
		Short: "Is boost's rank of `ranks-peers`, and prints one line of JSON",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(1)
			table, err := numpyTable(folder)
			if err != nil {
				return err
			}
			for r := range peers {
				peers[r] += ":7700"
			}
			l, err := mesh.Listen(peers[rank])
			if err != nil {
				return err
			}
			c, err := l.Connect(cmd.Context(), rank, peers, mesh.Options{Token: network.Secret})
			if err != nil {
				return err
			}
			var first, last time.Time
			ended := func(r booster.Round) {
				last = time.Now()
				if first.IsZero() {
					first = last
				}
			}
			p.Objective, p.EarlyStopping, p.Threads = "binary", 0, 1
			m, err := booster.Train(cmd.Context(), p, table, booster.WithRanks(c), booster.OnRound(ended))
			if err != nil {
				return err
			}
			t := network.Timed{Version: "boost (" + runtime.Version() + ")", Seconds: last.Sub(first).Seconds() / float64(p.Rounds-1),
				Leaves: float64(len(m.Leaves())) / float64(m.NumTrees())}
			return errors.Join(json.NewEncoder(cmd.OutOrStdout()).Encode(t), c.Barrier(cmd.Context()), c.Close())
		},
	}
	f := c.Flags()
	f.StringVar(&folder, "folder", "", "folder of "+synth.TrainX)
	f.IntVar(&rank, "rank", 0, "number of this rank")
	f.StringSliceVar(&peers, "peers", nil, "hosts of all ranks")
	f.IntVar(&p.Rounds, "rounds", 20, "boosting rounds")
	return c
}

// numpyTable reads the generated table of a folder.
func numpyTable(folder string) (*dataset.Table, error) {
	columns, err := readNPY(filepath.Join(folder, synth.TrainX))
	if err != nil {
		return nil, err
	}
	labels, err := readNPY(filepath.Join(folder, synth.TrainY))
	if err != nil {
		return nil, err
	}
	return tableOf(columns, labels[0])
}
