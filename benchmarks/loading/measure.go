package loading

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"boost/benchmarks/harness"
)

// Record is everything one measurement found; it is kept as JSON.
type Record struct {
	Machine harness.Machine  `json:"machine"`
	Command string           `json:"command"`
	Rows    int              `json:"rows"`
	Repeats int              `json:"repeats"`
	Sizes   map[string]int64 `json:"file_bytes"`
	Read    []Outcome        `json:"read"`
	Left    []string         `json:"left_out,omitempty"` // "reader on file: why"
}

// Outcome holds the runs of one reading, in the order they ran.
type Outcome struct {
	Reading
	Runs []Run `json:"runs"`
}

// best returns the smallest times and the largest peak.
func (o *Outcome) best() Run {
	b := o.Runs[0]
	for _, r := range o.Runs[1:] {
		if r.Seconds < b.Seconds {
			b.Seconds, b.Wait = r.Seconds, r.Wait
		}
		b.CPU = min(b.CPU, r.CPU)
		if r.PeakBytes > b.PeakBytes {
			b.PeakBytes, b.BaseBytes = r.PeakBytes, r.BaseBytes
		}
	}
	return b
}

// Measure runs every reader of the files Repeats times. The readers of one file take
// turns, so that a slow minute of the machine hits all alike, and wait passively and actively in
// turn. Progress goes to words.
func Measure(ctx context.Context, c Commands, folder string, files []string, repeats int, words io.Writer) (*Record, error) {
	r := &Record{Machine: harness.ThisMachine(), Repeats: repeats, Sizes: map[string]int64{}}
	if slices.ContainsFunc(files, func(f string) bool { return filepath.Ext(f) == ".parquet" }) {
		if err := c.Prepare(ctx, folder); err != nil && !errors.Is(err, harness.ErrAbsent) {
			return nil, err
		}
	}
	for _, file := range files {
		info, err := os.Stat(filepath.Join(folder, file))
		if err != nil {
			r.Left = append(r.Left, "all on "+file+": pyarrow, which writes it, is not installed")
			continue
		}
		r.Sizes[file] = info.Size()
		if err := r.measureFile(ctx, c, folder, file, words); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Record) measureFile(ctx context.Context, c Commands, folder, file string, words io.Writer) error {
	readings := Readings(file)
	outcomes := make([]Outcome, len(readings))
	absent := make([]bool, len(readings))
	for repeat := range r.Repeats {
		for i, reading := range readings {
			if absent[i] {
				continue
			}
			run, err := c.run(ctx, folder, harness.WaitOf(repeat), reading)
			if errors.Is(err, harness.ErrAbsent) {
				absent[i] = true
				r.Left = append(r.Left, fmt.Sprintf("%s on %s: not installed", reading.Reader, file))
				continue
			}
			if err != nil {
				return err
			}
			outcomes[i].Reading = reading
			outcomes[i].Runs = append(outcomes[i].Runs, run)
			fmt.Fprintf(words, "%d/%d %-16s %-12s %d threads  %.2f s, processor %.2f s\n",
				repeat+1, r.Repeats, file, reading.Reader, reading.Threads, run.Seconds, run.CPU)
		}
	}
	for i := range outcomes {
		if !absent[i] {
			r.Read = append(r.Read, outcomes[i])
		}
	}
	return nil
}
