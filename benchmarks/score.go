package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/scorers"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
)

// scoring is what the flags of `score` say.
type scoring struct {
	name, stage, data, models string
	trees, leaves, rows       int
	seconds                   float64
	single                    bool
}

// scoreCommand is boost's side of `scorers`; python/scorer.py is the others'.
func scoreCommand() *cobra.Command {
	var s scoring
	c := &cobra.Command{
		Use:   "score",
		Short: "Scores a generated table with boost and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.stage == scorers.Prepare {
				return s.prepare(cmd)
			}
			runtime.GOMAXPROCS(1) // the collector of garbage counts as one of the threads
			m, err := model.Load(s.model())
			if err != nil {
				return err
			}
			columns, err := readNPY(filepath.Join(s.data, synth.TestX))
			if err != nil {
				return err
			}
			for f := range columns {
				columns[f] = columns[f][:min(s.rows, len(columns[f]))]
			}
			run := scorers.Run{Version: "boost (" + runtime.Version() + ")", Rows: len(columns[0])}
			if err := s.batches(cmd, m, columns, &run); err != nil {
				return err
			}
			if s.single && s.name == scorers.Boost {
				singles(m, columns, &run)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	f := c.Flags()
	f.StringVar(&s.name, "name", scorers.Boost, scorers.Boost+", whose rows stand in columns, or "+scorers.BoostMatrix+", whose values stand row by row")
	f.StringVar(&s.stage, "stage", scorers.Score, "prepare, which trains the model, or score")
	f.StringVar(&s.data, "data", "", "folder that `benchmarks generate` wrote to")
	f.StringVar(&s.models, "models", "", "folder for the model")
	f.IntVar(&s.trees, "trees", 100, "trees of the model")
	f.IntVar(&s.leaves, "leaves", 31, "leaves of a tree")
	f.IntVar(&s.rows, "rows", scorers.TestRows, "rows to score")
	f.Float64Var(&s.seconds, "seconds", 1, "seconds of passes over the rows, at least")
	f.BoolVar(&s.single, "single", false, "time single rows too")
	_ = c.MarkFlagRequired("data")
	_ = c.MarkFlagRequired("models")
	return c
}

// model is the path of the model, which is the same for all programs of a numerics version.
func (s *scoring) model() string {
	return filepath.Join(s.models, fmt.Sprintf("boost-numerics-%d.boost", booster.NumericsVersion))
}

// prepare trains the model where it is not there yet.
func (s *scoring) prepare(cmd *cobra.Command) error {
	if _, err := os.Stat(s.model()); err == nil {
		return nil
	}
	columns, err := readNPY(filepath.Join(s.data, synth.TrainX))
	if err != nil {
		return err
	}
	labels, err := readNPY(filepath.Join(s.data, synth.TrainY))
	if err != nil {
		return err
	}
	train, err := tableOf(columns, labels[0])
	if err != nil {
		return err
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.Threads = "binary", s.trees, s.leaves, runtime.NumCPU()
	m, err := booster.Train(cmd.Context(), p, train)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.models, 0o777); err != nil {
		return err
	}
	return m.Save(s.model())
}

// batches times passes over all rows: from values in memory to probabilities.
func (s *scoring) batches(cmd *cobra.Command, m *booster.Model, columns [][]float32, run *scorers.Run) error {
	pass := func() error {
		table, err := tableOf(columns, nil)
		if err != nil {
			return err
		}
		_, err = m.Predict(cmd.Context(), table, model.Threads(1))
		return err
	}
	if s.name == scorers.BoostMatrix {
		matrix := rowMajor(columns)
		pass = func() error {
			_, err := model.PredictMatrix(cmd.Context(), m, matrix, model.Threads(1))
			return err
		}
	}
	if err := pass(); err != nil {
		return err
	}
	all := startClock()
	first := *all
	for run.Passes < 3 || time.Since(first.wall).Seconds() < s.seconds {
		if err := pass(); err != nil {
			return err
		}
		wall, _ := all.lap()
		if run.Passes++; run.Passes == 1 || wall < run.Seconds {
			run.Seconds = wall
		}
	}
	wall, cpu := first.lap()
	run.Cores = cpu / wall
	return nil
}

// rowMajor puts the rows one after the other.
func rowMajor(columns [][]float32) []float32 {
	width := len(columns)
	matrix := make([]float32, len(columns[0])*width)
	for f, values := range columns {
		for i, v := range values {
			matrix[i*width+f] = v
		}
	}
	return matrix
}

// coldBytes is more than the caches of the machines hold.
const coldBytes = 96 << 20

// singles times calls with single rows: with warm caches, and where a walk over a large
// buffer has emptied them before each call.
func singles(m *booster.Model, columns [][]float32, run *scorers.Run) {
	rows := make([][]float64, min(2000, len(columns[0])))
	for i := range rows {
		for f := range columns {
			rows[i] = append(rows[i], float64(columns[f][i]))
		}
	}
	out := make([]float64, m.Outputs())
	call := func(i int) float64 {
		row, start := rows[i%len(rows)], time.Now()
		m.PredictValues(row, out)
		return float64(time.Since(start).Nanoseconds())
	}
	for i := range rows {
		call(i)
	}
	var warm, cold, clock []float64
	for i := range 20_000 {
		warm = append(warm, call(i))
	}
	buffer := make([]uint64, coldBytes/8)
	for i := range 200 {
		for at := range buffer {
			buffer[at]++
		}
		cold = append(cold, call(i))
	}
	for range 2000 {
		start := time.Now()
		clock = append(clock, float64(time.Since(start).Nanoseconds()))
	}
	run.Warm, run.Cold, run.Clock = quantiles(warm), quantiles(cold), slices.Min(clock)
}

func quantiles(took []float64) scorers.Quantiles {
	slices.SortFunc(took, cmp.Compare)
	return scorers.Quantiles{P50: took[len(took)/2], P99: took[len(took)*99/100]}
}

// tableOf makes a table of columns in memory; labels may be nil.
func tableOf(columns [][]float32, labels []float32) (*dataset.Table, error) {
	var data []dataset.ColumnData
	for f, values := range columns {
		data = append(data, dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: values})
	}
	if labels == nil {
		return dataset.FromColumns(data)
	}
	data = append(data, dataset.ColumnData{Name: synth.Label, Values: labels})
	return dataset.FromColumns(data, dataset.Label(synth.Label))
}

func readNPY(path string) ([][]float32, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	columns, err := synth.ReadNPY(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return columns, nil
}
