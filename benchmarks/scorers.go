package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
	"boost/benchmarks/scorers"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/booster/model"
)

// scorersCommand times the predictions of all shapes.
func scorersCommand() *cobra.Command {
	var python, script, cache, results, document string
	var only []string
	var turns, rows, trainRows, patience int
	var fresh bool
	c := &cobra.Command{
		Use:   "scorers",
		Short: "Times boost's predictions beside those of other libraries, on one thread",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if turns < 1 || rows < 1 || trainRows < 1 {
				return errors.New("--turns, --rows and --train must be at least 1")
			}
			shapes, err := shapesNamed(only)
			if err != nil {
				return err
			}
			if len(only) > 0 || rows != scorers.TestRows || trainRows != scorers.TrainRows {
				document = "" // for a look
			}
			self, build, err := program()
			if err != nil {
				return err
			}
			if results == "" || document == "" {
				folder, err := os.MkdirTemp("", "scorers")
				if err != nil {
					return err
				}
				defer func() { _ = os.RemoveAll(folder) }() // nothing in it is wanted
				results = filepath.Join(folder, "scorers.json")
			}
			places := map[scorers.Shape]scorers.Place{}
			for _, s := range shapes {
				folder, err := generated(cmd, self, cache, peers.Row{
					Kind: synth.Dense, Rows: trainRows, Test: rows, Columns: s.Features, Threads: runtime.NumCPU(), Seed: 1,
				})
				if err != nil {
					return err
				}
				places[s] = scorers.Place{Data: folder, Models: filepath.Join(folder, fmt.Sprintf("%dx%d", s.Trees, s.Leaves)), Rows: min(rows, s.Batch())}
			}
			history, err := scorers.Open(results)
			if err != nil {
				return err
			}
			s, resumed := history.Begin(&scorers.Session{
				Machine: machine.This(), Build: build, Command: fmt.Sprintf("make peers-predict TURNS=%d", turns), Turns: turns,
			}, fresh)
			if resumed {
				fmt.Fprintf(cmd.ErrOrStderr(), "going on after %d runs\n", len(s.Runs))
			}
			err = s.Measure(cmd.Context(), &scorers.Plan{
				Contenders: scorers.Contenders(self, python, script), Shapes: shapes, Places: places,
				Patience: time.Duration(patience) * time.Second, Words: cmd.ErrOrStderr(), Save: history.Save,
			})
			if err != nil {
				return err
			}
			s.Table(cmd.OutOrStdout())
			if document == "" {
				return nil
			}
			return s.UpdateDocument(document)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&only, "only", nil, "shapes to measure, trees x leaves x features, and keep nothing: 100x31x28 and others")
	f.IntVar(&turns, "turns", 3, "runs of each scorer, in turn; the least time counts")
	f.IntVar(&rows, "rows", scorers.TestRows, "rows of a batch at most; another number keeps nothing")
	f.IntVar(&trainRows, "train", scorers.TrainRows, "rows that models are trained on; another number keeps nothing")
	f.IntVar(&patience, "patience", 300, "seconds that preparing a model, or scoring with it, may take")
	f.BoolVar(&fresh, "fresh", false, "begin anew where a measurement was interrupted")
	f.StringVar(&python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&script, "script", "benchmarks/python/scorer.py", "the peers' side")
	f.StringVar(&cache, "cache", "", "folder that tables and models are kept in (default: the user's cache)")
	f.StringVar(&results, "results", "benchmarks/results/scorers.json", "JSON file of the sessions; empty to keep none")
	f.StringVar(&document, "document", "benchmarks/results/README.md", "document to put the tables into; empty for none")
	return c
}

// shapesNamed returns the shapes of these names, all for no names.
func shapesNamed(names []string) ([]scorers.Shape, error) {
	all := scorers.Shapes()
	if len(names) == 0 {
		return all, nil
	}
	var list []scorers.Shape
	for _, name := range names {
		i := slices.IndexFunc(all, func(s scorers.Shape) bool { return s.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no shape is called %q; there are %s", name, strings.Trim(fmt.Sprint(all), "[]"))
		}
		list = append(list, all[i])
	}
	return list, nil
}

// scoring is what the flags of `score` say.
type scoring struct {
	name, stage, data, models string
	trees, leaves, rows       int
	seconds                   float64
	single                    bool
	profile                   string
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
			stop, err := startProfile(s.profile)
			if err != nil {
				return err
			}
			if err := errors.Join(s.batches(cmd, m, columns, &run), stop()); err != nil {
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
	f.StringVar(&s.profile, "profile", "", "file for a processor profile of the batches (go tool pprof)")
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
	t := training{folder: s.data, params: booster.Defaults()}
	t.params.Objective, t.params.Rounds, t.params.Tree.Leaves, t.params.Threads = "binary", s.trees, s.leaves, runtime.NumCPU()
	train, err := t.rows(cmd.Context(), synth.TrainX, synth.TrainY, "", nil)
	if err != nil {
		return err
	}
	m, err := booster.Train(cmd.Context(), t.params, train)
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
		table, err := new(training).table(columns, nil)
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
		m.PredictRow(row, out)
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
