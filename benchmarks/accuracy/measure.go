package accuracy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"boost/benchmarks/machine"
)

// MeasurePrecision trains with i16 and with f32 gradients on the re-splits of the sets
// of S2.28 under data. Progress goes to words.
func MeasurePrecision(ctx context.Context, data string, threads int, words io.Writer) (*Precision, error) {
	sets, err := Sets(data, PrecisionSets...)
	if err != nil {
		return nil, err
	}
	p := &Precision{Machine: machine.This(), Sets: map[string]PrecisionSplit{}}
	for _, s := range sets {
		result := PrecisionSplit{Metric: s.Metric()}
		for _, side := range []struct {
			gradients string
			losses    *[]float64
		}{{"i16", &result.I16}, {"f32", &result.F32}} {
			*side.losses, err = Trainer{Threads: threads, Gradients: side.gradients}.Splits(ctx, s, PrecisionSplits)
			if err != nil {
				return nil, fmt.Errorf("%s with %s gradients: %w", s.Name, side.gradients, err)
			}
		}
		p.Sets[s.Name] = result
		fmt.Fprintf(words, "%-20s i16 %v\n%-20s f32 %v\n", s.Name, result.I16, "", result.F32)
	}
	return p, nil
}

// The records under benchmarks/results.
const (
	RecordFile    = "accuracy.json"
	PrecisionFile = "precision.json"
)

// Save writes a record as JSON to folder/name.
func Save(folder, name string, record any) error {
	b, err := json.MarshalIndent(record, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), append(b, '\n'), 0o666)
}

// Load reads what Save wrote.
func Load(folder, name string, record any) error {
	return readJSON(filepath.Join(folder, name), record)
}
