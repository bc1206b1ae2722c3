package accuracy

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"boost/benchmarks/machine"
	"boost/benchmarks/record"
)

// MeasurePrecision trains with f32 gradients and with every storage of PrecisionBars on the
// re-splits of PrecisionSets under data. Progress goes to words.
func MeasurePrecision(ctx context.Context, data string, threads int, words io.Writer) (*Precision, error) {
	sets, err := Sets(data, PrecisionSets...)
	if err != nil {
		return nil, err
	}
	modes := []string{"f32"}
	for _, bar := range PrecisionBars {
		modes = append(modes, bar.Gradients)
	}
	p := &Precision{Machine: machine.This(), Sets: map[string]PrecisionSplit{}}
	for _, s := range sets {
		result := PrecisionSplit{Metric: s.Metric()}
		for _, mode := range modes {
			losses := result.of(mode)
			if *losses, err = (Trainer{Threads: threads, Gradients: mode}).Splits(ctx, s, PrecisionSplits); err != nil {
				return nil, fmt.Errorf("%s with %s gradients: %w", s.Name, mode, err)
			}
			fmt.Fprintf(words, "%-20s %-3s %v\n", s.Name, mode, *losses)
		}
		p.Sets[s.Name] = result
	}
	return p, nil
}

// The records under benchmarks/results.
const (
	RecordFile    = "accuracy.json"
	PrecisionFile = "precision.json"
)

// Save writes a record as JSON to folder/name.
func Save(folder, name string, value any) error {
	return record.Write(filepath.Join(folder, name), value)
}

// Load reads what Save wrote.
func Load(folder, name string, record any) error {
	return readJSON(filepath.Join(folder, name), record)
}
