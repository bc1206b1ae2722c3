package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/dataset"
)

// trainCommand is boost's side of `peers`; python/peer.py is the others'.
func trainCommand() *cobra.Command {
	var folder, out, gradients, builder, profile string
	var threads, rounds int
	c := &cobra.Command{
		Use:   "train",
		Short: "Trains boost on a generated table and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(threads) // the collector of garbage counts as one of the threads
			run := peers.Run{Version: "boost (" + runtime.Version() + ")", BaseBytes: peers.PeakOfThis()}
			var report booster.Report
			p := booster.Defaults()
			p.Objective, p.Rounds, p.LearningRate = "binary", rounds, 0.1
			p.Threads, p.Gradients, p.Builder = threads, gradients, builder
			p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Binning.MaxBin = 31, 20, 255

			clock := startClock()
			train, err := readTable(folder, synth.TrainX, synth.TrainY)
			if err != nil {
				return err
			}
			test, err := readTable(folder, synth.TestX, "")
			if err != nil {
				return err
			}
			run.Load, run.LoadCPU = clock.lap()
			stop, err := startProfile(profile)
			if err != nil {
				return err
			}
			model, err := booster.Train(cmd.Context(), p, train, booster.WithReport(&report))
			if e := stop(); err == nil {
				err = e
			}
			if err != nil {
				return err
			}
			both, cpu := clock.lap()
			run.Bin, run.Train = report.BinSeconds, report.TrainSeconds
			// Processor time is known for both stages together: shared by their length.
			run.BinCPU, run.TrainCPU = cpu*report.BinSeconds/both, cpu*report.TrainSeconds/both
			run.Notes = fmt.Sprintf("%s builder, %s gradients", report.Builder, report.Gradients)
			values, err := model.Predict(cmd.Context(), test)
			if err != nil {
				return err
			}
			run.Predict, run.PredictCPU = clock.lap()
			if out != "" {
				if err := writePredictions(out, values); err != nil {
					return err
				}
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	f := c.Flags()
	f.StringVar(&folder, "data", "", "folder that `benchmarks generate` wrote to")
	f.StringVar(&out, "out", "", "NumPy file for the predictions of the test rows")
	f.StringVar(&gradients, "gradients", "i16", "i16, i32 or f32")
	f.StringVar(&builder, "builder", "auto", "auto, sequential, feature or row")
	f.StringVar(&profile, "profile", "", "file for a processor profile of the training (go tool pprof)")
	f.IntVar(&threads, "threads", 2, "threads")
	f.IntVar(&rounds, "rounds", 100, "boosting rounds")
	_ = c.MarkFlagRequired("data")
	return c
}

func loadCommand() *cobra.Command {
	var folder string
	var threads int
	c := &cobra.Command{
		Use:   "load",
		Short: "Reads a generated CSV file and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(threads)
			run := peers.Run{Version: "boost (" + runtime.Version() + ")", BaseBytes: peers.PeakOfThis()}
			clock := startClock()
			_, err := dataset.Open(cmd.Context(), filepath.Join(folder, synth.TrainCSV),
				dataset.Label(synth.Label), dataset.Threads(threads))
			if err != nil {
				return err
			}
			run.Load, run.LoadCPU = clock.lap()
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	c.Flags().StringVar(&folder, "data", "", "folder that `benchmarks generate` wrote to")
	c.Flags().IntVar(&threads, "threads", 2, "threads")
	_ = c.MarkFlagRequired("data")
	return c
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

// readTable makes a table of NumPy files; labels may be "".
func readTable(folder, features, labels string) (*dataset.Table, error) {
	columns, err := readNPY(filepath.Join(folder, features))
	if err != nil {
		return nil, err
	}
	var data []dataset.ColumnData
	for f, values := range columns {
		data = append(data, dataset.ColumnData{Name: fmt.Sprintf("f%d", f), Values: values})
	}
	if labels == "" {
		return dataset.FromColumns(data)
	}
	y, err := readNPY(filepath.Join(folder, labels))
	if err != nil {
		return nil, err
	}
	data = append(data, dataset.ColumnData{Name: synth.Label, Values: y[0]})
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

func writePredictions(path string, values []float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	w := bufio.NewWriter(f)
	err = synth.WriteNPY(w, narrow)
	if e := w.Flush(); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
