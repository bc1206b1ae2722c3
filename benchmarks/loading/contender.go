package loading

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"boost/benchmarks/harness"
)

// The names of readers that bars speak of.
const (
	Boost   = "boost"
	Inflate = "inflate" // only decompresses, with the library that boost uses
	PyArrow = "pyarrow"
	Pandas  = "pandas"
	Sklearn = "scikit-learn"
	LGBM    = "lightgbm"
)

// Reading is one reader on one file with a number of threads.
type Reading struct {
	File    string `json:"file"`
	Reader  string `json:"reader"`
	Threads int    `json:"threads"`
}

// Bar holds boost to a multiple of another reader's speed on the same file and with
// the same threads.
type Bar struct {
	File, Reader string
	Threads      int
	AtLeast      float64 // the other's seconds by boost's
}

// Files lists the files in the order of the table, those made by pyarrow too.
func Files() []string {
	return []string{FloatsCSV, ShortCSV, StringsCSV, LevelsCSV, FloatsGzip, FloatsZstd, FloatsParquet, StringsParquet, SVM}
}

// The Parquet forms of FloatsCSV and StringsCSV, as pyarrow writes them by itself.
const (
	FloatsParquet  = "floats.parquet"
	StringsParquet = "strings.parquet"
)

// Readings lists what is run for a file. Compressed files are read with two threads:
// one of them decompresses.
func Readings(file string) []Reading {
	both := []int{1, 2}
	var readers []string
	switch file {
	case FloatsCSV:
		readers = []string{Boost, PyArrow, Pandas, LGBM}
	case ShortCSV, StringsCSV, LevelsCSV:
		readers = []string{Boost, PyArrow, Pandas}
	case FloatsGzip:
		both, readers = []int{2}, []string{Boost, Inflate, PyArrow, Pandas}
	case FloatsZstd: // pandas needs a further library for it
		both, readers = []int{2}, []string{Boost, Inflate, PyArrow}
	case SVM:
		readers = []string{Boost, Sklearn, LGBM}
	default:
		readers = []string{Boost, PyArrow}
	}
	var list []Reading
	for _, threads := range both {
		for _, reader := range readers {
			if threads == 1 || reader != Pandas && reader != Sklearn || len(both) == 1 {
				list = append(list, Reading{File: file, Reader: reader, Threads: threads})
			}
		}
	}
	return list
}

// Bars lists what boost is held to.
func Bars() []Bar {
	return []Bar{
		{FloatsCSV, PyArrow, 1, 1}, {FloatsCSV, Pandas, 1, 2}, {FloatsCSV, PyArrow, 2, 1},
		{ShortCSV, PyArrow, 1, 1}, {ShortCSV, Pandas, 1, 2}, {ShortCSV, PyArrow, 2, 1},
		{StringsCSV, PyArrow, 1, 1}, {StringsCSV, PyArrow, 2, 1},
		{LevelsCSV, PyArrow, 1, 1.2}, {LevelsCSV, PyArrow, 2, 1.2},
		{FloatsGzip, Inflate, 2, 1 / 1.15}, {FloatsZstd, PyArrow, 2, 1},
		{FloatsParquet, PyArrow, 1, .7}, {FloatsParquet, PyArrow, 2, .7},
		{StringsParquet, PyArrow, 1, .7}, {StringsParquet, PyArrow, 2, .7},
		{SVM, Sklearn, 1, 3}, {SVM, LGBM, 1, 1.5},
	}
}

// Run is what one process found.
type Run struct {
	Version   string  `json:"version"`
	Seconds   float64 `json:"seconds"`
	CPU       float64 `json:"cpu_seconds"`
	BaseBytes int64   `json:"base_bytes"`             // peak before the file is read
	PeakBytes int64   `json:"peak_bytes"`             // of the whole process
	Columns   int64   `json:"column_bytes,omitempty"` // boost: the table's columns
	Widest    int64   `json:"widest_bytes,omitempty"` // boost: the largest of them
	Wait      string  `json:"wait,omitempty"`         // how idle threads of OpenMP waited
}

// Commands start readers: Self is this program, Python and Script the peers' side.
type Commands struct{ Self, Python, Script string }

// Prepare makes the files that pyarrow writes.
func (c Commands) Prepare(ctx context.Context, folder string) error {
	_, err := harness.Process{Command: []string{c.Python, c.Script, "prepare", "--file", folder}}.Run(ctx, nil)
	return err
}

func (c Commands) run(ctx context.Context, folder, wait string, r Reading) (Run, error) {
	command := []string{c.Python, c.Script, r.Reader}
	if r.Reader == Boost || r.Reader == Inflate {
		command = []string{c.Self, "read", "--reader", r.Reader}
	}
	command = append(command, "--file", filepath.Join(folder, r.File), "--threads", strconv.Itoa(r.Threads))
	run := Run{Wait: wait}
	used, err := harness.Process{Command: command, Threads: r.Threads, Wait: wait}.Run(ctx, &run)
	if run.PeakBytes = used.Peak; err != nil {
		err = fmt.Errorf("%s on %s: %w", r.Reader, r.File, err)
	}
	return run, err
}
