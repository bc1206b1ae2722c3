package reach

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"boost/benchmarks/machine"
	"boost/benchmarks/record"
)

// Run is what a trainer prints about one training. Seconds are those of the wall clock.
type Run struct {
	Version string  `json:"version"`
	Load    float64 `json:"load_seconds"`
	Bin     float64 `json:"bin_seconds"`
	Train   float64 `json:"train_seconds"`
	Rounds  int     `json:"rounds"`
	Loss    float64 `json:"loss,omitempty"` // on the test rows; 0 where none are looked at
	Rows    int     `json:"rows,omitempty"`
	Columns int     `json:"columns,omitempty"`
	Peak    int64   `json:"peak_bytes"` // the largest resident set of the process
}

// Table is one table and what was found on it.
type Table struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Rounds int    `json:"rounds"` // LightGBM's

	Rows    int     `json:"rows"` // for training
	Columns int     `json:"columns"`
	Target  float64 `json:"target"` // the loss that LightGBM ends with
	Best    string  `json:"best"`   // LightGBM's fastest mode
	Ways    []Way   `json:"ways"`   // boost's
	Runs    []Timed `json:"runs"`
	Done    bool    `json:"done"`
}

// Way is a way of boost's to the target.
type Way struct {
	Name   string  `json:"name"`
	Rounds int     `json:"rounds"` // until the loss is no more than the target; 0 = it never was
	Most   int     `json:"most"`   // rounds that were looked at
	Loss   float64 `json:"loss"`   // there
}

// Timed is one run that counts.
type Timed struct {
	Contender string `json:"contender"`
	Turn      int    `json:"turn"`           // from 1; 0 is the first part, in which every mode of LightGBM runs once
	Load      string `json:"load,omitempty"` // the machine's load average before the run
	Run       Run    `json:"figures"`
}

// Record is everything one measurement found. It is saved after each run.
type Record struct {
	Machine machine.Info `json:"machine"`
	Build   string       `json:"build"` // tells boost's program apart: only the same one goes on with a table
	Command string       `json:"command"`
	Threads int          `json:"threads"`
	Tables  []*Table     `json:"tables"`
}

// Open reads the record at path, and drops what another program or machine found: it is
// then measured anew. A file that is not there holds nothing.
func Open(path string, fresh Record) (*Record, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &fresh, nil
	}
	if err != nil {
		return nil, err
	}
	var old Record
	if err := json.Unmarshal(b, &old); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if old.Build == fresh.Build && old.Threads == fresh.Threads && fresh.Machine.Same(old.Machine) {
		fresh.Tables = old.Tables
	}
	return &fresh, nil
}

// Table returns what is known of a table, nothing at first.
func (r *Record) Table(name, metric string, rounds int) *Table {
	i := slices.IndexFunc(r.Tables, func(t *Table) bool { return t.Name == name })
	if i >= 0 && r.Tables[i].Rounds == rounds {
		return r.Tables[i]
	}
	t := &Table{Name: name, Metric: metric, Rounds: rounds}
	if i >= 0 {
		r.Tables[i] = t
	} else {
		r.Tables = append(r.Tables, t)
	}
	return t
}

// Save writes the record; a program that is ended meanwhile leaves the file of before.
func (r *Record) Save(path string) error { return record.Write(path, r) }
