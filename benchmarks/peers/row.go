package peers

import (
	"fmt"
	"strings"

	"boost/benchmarks/synth"
)

// What a row measures.
const (
	Train = "train" // training of data in memory, without loading and binning
	Bin   = "bin"   // making codes of data in memory
	Fits  = "fits"  // many small models one after the other in one process, binning included
	Text  = "text"  // from the text of a file to a trained model
)

// Tasks lists what a row can measure.
func Tasks() []string { return []string{Train, Bin, Fits, Text} }

// Row is one row of the table of targets: a table, what is done with it, and by how much
// boost is to be faster.
type Row struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Kind    string `json:"kind"` // one of synth.Kinds
	Task    string `json:"task"` // one of Tasks
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Test    int    `json:"test_rows"`
	Rounds  int    `json:"rounds"`
	Leaves  int    `json:"leaves"`
	Threads int    `json:"threads"`
	Fits    int    `json:"fits,omitempty"`
	Seed    uint64 `json:"seed"`
	// Trial is the number of rounds of the first part, in which every peer runs once, where
	// all rounds of all peers would take too long; 0 = all rounds.
	Trial int `json:"trial_rounds,omitempty"`

	Target  float64 `json:"target"`            // LightGBM's best seconds by boost's, at least
	Enough  float64 `json:"enough,omitempty"`  // what is called done though the target is missed; 0 = the target
	Fastest float64 `json:"fastest"`           // the fastest peer's seconds by boost's, at least
	Memory  bool    `json:"memory,omitempty"`  // boost's peak is to be no more than LightGBM's
	Scaling float64 `json:"scaling,omitempty"` // seconds of boost's one thread by those of all, at least; 0 = not measured
}

// Rows lists the rows in the order of the table.
func Rows() []Row {
	rows := []Row{
		{Name: "dense", Title: "dense 1M × 28, 31 leaves", Target: 3, Enough: 2.4, Scaling: 1.8},
		{Name: "dense-1-thread", Title: "dense 1M × 28 on 1 thread", Threads: 1, Trial: 30, Target: 3, Enough: 2.4},
		{Name: "dense-continuous", Title: "dense 1M × 28, all columns continuous", Kind: synth.Continuous, Target: 3, Enough: 2.4},
		{Name: "leaves-255", Title: "dense 2M × 28, 255 leaves, 500 rounds", Rows: 2_000_000, Rounds: 500, Leaves: 255, Trial: 20, Target: 2.5},
		{Name: "columns-100", Title: "dense 1M × 100", Columns: 100, Trial: 40, Target: 3},
		{Name: "rows-10m", Title: "dense 10M × 28", Rows: 10_000_000, Trial: 10, Target: 2.5, Memory: true},
		{Name: "rows-100k", Title: "dense 100k × 100", Rows: 100_000, Columns: 100, Target: 2},
		{Name: "rows-10k", Title: "dense 10k × 20", Rows: 10_000, Columns: 20, Target: 2},
		{Name: "wide", Title: "dense 50k × 2,000", Rows: 50_000, Columns: 2_000, Test: 20_000, Trial: 40, Target: 2},
		{Name: "airline", Title: "airline-like 1M × 8, up to 10,000 levels", Kind: synth.Airline, Columns: 8, Target: 2},
		{Name: "onehot", Title: "sparse one-hot 500k × 5,000", Kind: synth.OneHot, Rows: 500_000, Columns: 5_000, Test: 100_000, Trial: 40, Target: 2},
		{Name: "covertype", Title: "covertype-like 400k × 54, 7 classes", Kind: synth.Covertype, Rows: 400_000, Columns: 54, Test: 100_000, Trial: 30, Target: 2},
		{Name: "fits", Title: "100 fits of 1,000 × 20 in one process", Task: Fits, Rows: 100_000, Columns: 20, Test: 100_000, Fits: 100, Target: 2},
		{Name: "rows-10m-16-threads", Title: "dense 10M × 28 on 16 threads", Rows: 10_000_000, Threads: 16, Trial: 10, Target: 2, Scaling: 9},
		{Name: "bin", Title: "binning 1M × 28", Task: Bin, Target: 2},
		{Name: "bin-100", Title: "binning 1M × 100", Task: Bin, Columns: 100, Target: 2},
		{Name: "csv", Title: "raw CSV to model, 1M × 28", Task: Text, Target: 3},
		{Name: "libsvm", Title: "raw LibSVM to model, one-hot 1M × 1,000", Kind: synth.OneHot, Task: Text, Columns: 1_000, Test: 100_000, Target: 1, Fastest: 1},
	}
	for i := range rows {
		rows[i] = rows[i].filled()
	}
	return rows
}

// filled returns the row with what most rows have in common.
func (r Row) filled() Row {
	set := func(at *int, to int) {
		if *at == 0 {
			*at = to
		}
	}
	set(&r.Rows, 1_000_000)
	set(&r.Columns, 28)
	set(&r.Test, 200_000)
	set(&r.Rounds, 100)
	set(&r.Leaves, 31)
	set(&r.Threads, 2)
	if r.Kind == "" {
		r.Kind = synth.Dense
	}
	if r.Task == "" {
		r.Task = Train
	}
	if r.Fastest == 0 {
		r.Fastest = 2
	}
	if r.Seed == 0 {
		r.Seed = 1
	}
	return r
}

// Quick is the first row on fewer rows, for a look; it has no place in the table.
func Quick() Row {
	return Row{Name: "quick", Title: "dense 400k × 28", Rows: 400_000, Test: 100_000, Target: 3, Enough: 2.4}.filled()
}

// RowNamed returns the row of that name, Quick among them.
func RowNamed(name string) (Row, error) {
	var names []string
	for _, r := range append(Rows(), Quick()) {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Row{}, fmt.Errorf("no row is called %q; there are %s", name, strings.Join(names, ", "))
}

// Classes returns the number of classes of the row's label.
func (r *Row) Classes() int { return synth.Classes(r.Kind) }

// byLoss says that the row's quality is a loss, not the AUC: of several classes, and of
// many models whose scores have no common order.
func (r *Row) byLoss() bool { return r.Classes() > 2 || r.Task == Fits }

// Scored says that predictions are made.
func (r *Row) Scored() bool { return r.Task != Bin }

// Seconds returns those that the row is about.
func (r *Row) Seconds(run *Run) float64 {
	switch r.Task {
	case Bin:
		return run.Bin
	case Text:
		return run.Load + run.Bin + run.Train
	}
	return run.Train
}

// cpu is Seconds of the processors.
func (r *Row) cpu(run *Run) float64 {
	switch r.Task {
	case Bin:
		return run.BinCPU
	case Text:
		return run.LoadCPU + run.BinCPU + run.TrainCPU
	}
	return run.TrainCPU
}
