package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/dataset"
)

// training is what the flags of `train` say.
type training struct {
	folder, out, task, profile string
	classes, fits              int
	categorical                []int
	params                     booster.Params
}

// trainCommand is boost's side of `peers`; python/peer.py is the others'.
func trainCommand() *cobra.Command {
	t := training{params: booster.Defaults()}
	p := &t.params
	p.Tree.MinDataInLeaf, p.Binning.MaxBin = 20, 255
	c := &cobra.Command{
		Use:   "train",
		Short: "Runs boost on a generated table and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			work, ok := map[string]func(context.Context, *peers.Run) ([]float64, error){
				peers.Train: t.train, peers.Bin: t.bin, peers.Fits: t.fit, peers.Text: t.text,
			}[t.task]
			if !ok {
				return fmt.Errorf("no task %q; there are %s", t.task, strings.Join(peers.Tasks(), ", "))
			}
			runtime.GOMAXPROCS(p.Threads) // the collector of garbage counts as one of the threads
			p.Objective = "binary"
			if t.classes > 2 {
				p.Objective = "multiclass"
			}
			run := peers.Run{Version: "boost (" + runtime.Version() + ")", BaseBytes: peers.PeakOfThis()}
			values, err := work(cmd.Context(), &run)
			if err != nil {
				return err
			}
			if t.out != "" && values != nil {
				if err := writePredictions(t.out, values, t.classes); err != nil {
					return err
				}
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	f := c.Flags()
	f.StringVar(&t.folder, "data", "", "folder that `benchmarks generate` wrote to")
	f.StringVar(&t.out, "out", "", "NumPy file for the predictions of the test rows")
	f.StringVar(&t.task, "task", peers.Train, "what to do: "+strings.Join(peers.Tasks(), ", "))
	f.StringVar(&t.profile, "profile", "", "file for a processor profile of the training (go tool pprof)")
	f.StringVar(&p.Gradients, "gradients", p.Gradients, "i16, i8, i4, i32, f32 or auto")
	f.StringVar(&p.Builder, "builder", p.Builder, "auto, sequential, feature or row")
	f.StringVar(&p.Binning.Layout, "layout", p.Binning.Layout, "layout of the matrix")
	f.StringVar(&p.Binning.Bundle, "bundle", p.Binning.Bundle, "auto, on or off")
	f.IntVar(&p.Threads, "threads", 2, "threads")
	f.IntVar(&p.Rounds, "rounds", 100, "boosting rounds")
	f.IntVar(&p.Tree.Leaves, "leaves", 31, "leaves of a tree")
	f.IntVar(&t.classes, "classes", 2, "classes of the label")
	f.IntVar(&t.fits, "fits", 1, "models that the task fits trains, each on its part of the rows")
	f.IntSliceVar(&t.categorical, "categorical", nil, "categorical columns, by number")
	_ = c.MarkFlagRequired("data")
	return c
}

// train reads the table, trains and predicts the test rows.
func (t *training) train(ctx context.Context, run *peers.Run) ([]float64, error) {
	clock := startClock()
	train, err := t.rows(ctx, synth.TrainX, synth.TrainY, synth.TrainSVM, nil)
	if err != nil {
		return nil, err
	}
	test, err := t.rows(ctx, synth.TestX, "", synth.TestSVM, train)
	if err != nil {
		return nil, err
	}
	run.Load, run.LoadCPU = clock.lap()
	model, err := t.model(ctx, run, clock, train)
	if err != nil {
		return nil, err
	}
	return t.predict(ctx, run, clock, model, test)
}

// text is train from the text of a table; the test rows are read while no clock runs.
func (t *training) text(ctx context.Context, run *peers.Run) ([]float64, error) {
	text, options := synth.TrainCSV, []dataset.Option{dataset.Label(synth.Label), dataset.Threads(t.params.Threads)}
	if t.sparse() {
		text, options = synth.TrainSVM, options[1:]
	}
	clock := startClock()
	train, err := dataset.Open(ctx, filepath.Join(t.folder, text), options...)
	if err != nil {
		return nil, err
	}
	run.Load, run.LoadCPU = clock.lap()
	model, err := t.model(ctx, run, clock, train)
	if err != nil {
		return nil, err
	}
	test, err := t.rows(ctx, synth.TestX, "", synth.TestSVM, train)
	if err != nil {
		return nil, err
	}
	clock.lap()
	return t.predict(ctx, run, clock, model, test)
}

// bin reads the table and makes its codes: training of a single round of stumps is not
// counted.
func (t *training) bin(ctx context.Context, run *peers.Run) ([]float64, error) {
	clock := startClock()
	train, err := t.rows(ctx, synth.TrainX, synth.TrainY, synth.TrainSVM, nil)
	if err != nil {
		return nil, err
	}
	run.Load, run.LoadCPU = clock.lap()
	t.params.Rounds, t.params.Tree.Leaves = 1, 2
	_, err = t.model(ctx, run, clock, train)
	run.Train, run.TrainCPU = 0, 0
	return nil, err
}

// fit trains model after model on equal parts of the rows; each predicts its part of the
// test rows.
func (t *training) fit(ctx context.Context, run *peers.Run) ([]float64, error) {
	clock := startClock()
	var parts [3][][]float32
	for i, name := range []string{synth.TrainX, synth.TrainY, synth.TestX} {
		var err error
		if parts[i], err = readNPY(filepath.Join(t.folder, name)); err != nil {
			return nil, err
		}
		if n := len(parts[i][0]); n%t.fits != 0 {
			return nil, fmt.Errorf("%s: %d rows are not %d equal parts", name, n, t.fits)
		}
	}
	run.Load, run.LoadCPU = clock.lap()
	stop, err := startProfile(t.profile)
	if err != nil {
		return nil, err
	}
	var all []float64
	for i := range t.fits {
		clock.lap()
		train, err := t.table(part(parts[0], i, t.fits), part(parts[1], i, t.fits)[0])
		if err != nil {
			return nil, err
		}
		model, err := booster.Train(ctx, t.params, train)
		if err != nil {
			return nil, err
		}
		wall, cpu := clock.lap()
		run.Train, run.TrainCPU = run.Train+wall, run.TrainCPU+cpu
		test, err := t.table(part(parts[2], i, t.fits), nil)
		if err != nil {
			return nil, err
		}
		values, err := model.Predict(ctx, test)
		if err != nil {
			return nil, err
		}
		wall, cpu = clock.lap()
		run.Predict, run.PredictCPU = run.Predict+wall, run.PredictCPU+cpu
		all = append(all, values...)
	}
	return all, stop()
}

// part returns the i-th of n equal parts of the rows.
func part(columns [][]float32, i, n int) [][]float32 {
	rows := len(columns[0]) / n
	cut := make([][]float32, len(columns))
	for f, values := range columns {
		cut[f] = values[i*rows : (i+1)*rows]
	}
	return cut
}

// model trains on a table and notes the seconds of binning and of training.
func (t *training) model(ctx context.Context, run *peers.Run, clock *clock, train *dataset.Table) (*booster.Model, error) {
	stop, err := startProfile(t.profile)
	if err != nil {
		return nil, err
	}
	var report booster.Report
	model, err := booster.Train(ctx, t.params, train, booster.WithReport(&report))
	if e := stop(); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	both, cpu := clock.lap()
	run.Bin, run.Train = report.BinSeconds, report.TrainSeconds
	// Processor time is known for both stages together: shared by their length.
	run.BinCPU, run.TrainCPU = cpu*report.BinSeconds/both, cpu*report.TrainSeconds/both
	run.Notes = fmt.Sprintf("%s builder, %s gradients", report.Builder, report.Gradients)
	return model, nil
}

func (t *training) predict(ctx context.Context, run *peers.Run, clock *clock, model *booster.Model, test *dataset.Table) ([]float64, error) {
	values, err := model.Predict(ctx, test)
	run.Predict, run.PredictCPU = clock.lap()
	return values, err
}

// sparse says that the folder holds a sparse table.
func (t *training) sparse() bool {
	_, err := os.Stat(filepath.Join(t.folder, synth.TrainSVM))
	return err == nil
}

// rows reads a part of the table; labels may be "", like is the table whose schema a
// sparse one takes over.
func (t *training) rows(ctx context.Context, features, labels, svm string, like *dataset.Table) (*dataset.Table, error) {
	if t.sparse() {
		options := []dataset.Option{dataset.Threads(t.params.Threads)}
		if like != nil {
			options = append(options, dataset.As(like.Schema()))
		}
		return dataset.Open(ctx, filepath.Join(t.folder, svm), options...)
	}
	columns, err := readNPY(filepath.Join(t.folder, features))
	if err != nil {
		return nil, err
	}
	if labels == "" {
		return t.table(columns, nil)
	}
	y, err := readNPY(filepath.Join(t.folder, labels))
	if err != nil {
		return nil, err
	}
	return t.table(columns, y[0])
}

// table makes a table of columns in memory; labels may be nil.
func (t *training) table(columns [][]float32, labels []float32) (*dataset.Table, error) {
	var data []dataset.ColumnData
	for f, values := range columns {
		data = append(data, dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: values})
	}
	var options []dataset.Option
	if len(t.categorical) > 0 {
		names := make([]string, len(t.categorical))
		for i, f := range t.categorical {
			names[i] = fmt.Sprintf("f%d", f)
		}
		options = append(options, dataset.Categorical(names...))
	}
	if labels != nil {
		data = append(data, dataset.ColumnData{Name: synth.Label, Values: labels})
		options = append(options, dataset.Label(synth.Label))
	}
	return dataset.FromColumns(data, options...)
}

// startProfile writes a processor profile to path, if there is one, until stop.
func startProfile(path string) (stop func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// clock tells the seconds since its start or last lap, of the wall and of the processors.
type clock struct {
	wall time.Time
	cpu  float64
}

func startClock() *clock { return &clock{wall: time.Now(), cpu: peers.ProcessorSeconds()} }

func (c *clock) lap() (wall, cpu float64) {
	now, used := time.Now(), peers.ProcessorSeconds()
	wall, cpu = now.Sub(c.wall).Seconds(), used-c.cpu
	c.wall, c.cpu = now, used
	return wall, cpu
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

// writePredictions writes rows × classes probabilities; of two classes, one column.
func writePredictions(path string, values []float64, classes int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	width := classes
	if classes == 2 {
		width = 1
	}
	w := bufio.NewWriter(f)
	err = synth.WriteNPY(w, narrow, width)
	if e := w.Flush(); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
