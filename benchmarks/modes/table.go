package modes

import (
	"errors"
	"fmt"
	"slices"

	"boost/dataset"
)

// Steps are what labels are made by: the same here and in python/modes.py.
type Steps struct {
	Scale  float64    `json:"scale"` // what numbers are divided by: from the first fifth to the last
	Least  float64    `json:"least"`
	Median float64    `json:"median"`
	Fifths [4]float64 `json:"fifths"` // a grade is how many of them lie below the value
	Rows   int        `json:"query_rows"`
}

// StepsOf returns the steps of a column of numbers, which has to have five different fifths.
func StepsOf(values []float64) (*Steps, error) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return nil, errors.New("no rows")
	}
	s := &Steps{Least: sorted[0], Median: sorted[n/2], Rows: QueryRows}
	for i := range s.Fifths {
		s.Fifths[i] = sorted[(i+1)*n/5]
	}
	s.Scale = s.Fifths[3] - s.Fifths[0]
	for i := range s.Fifths[1:] {
		if !(s.Fifths[i] < s.Fifths[i+1]) {
			return nil, fmt.Errorf("the label is %v in two fifths of the rows: take a table with a label of numbers that differ", s.Fifths[i])
		}
	}
	return s, nil
}

// Make returns the labels of a kind.
func (s *Steps) Make(label string, values []float64) ([]float64, error) {
	made := make([]float64, len(values))
	for i, v := range values {
		switch label {
		case Number:
			made[i] = v / s.Scale
		case Amount:
			made[i] = (v-s.Least)/s.Scale + 1
		case Two:
			if v > s.Median {
				made[i] = 1
			}
		case Grade, Ranked:
			for _, below := range s.Fifths {
				if below < v {
					made[i]++
				}
			}
		default:
			return nil, fmt.Errorf("no label %q", label)
		}
	}
	return made, nil
}

// Table returns the numeric features of a table with a label of a kind, which is made of its own.
func Table(t *dataset.Table, s *Steps, label string) (*dataset.Table, error) {
	values, err := t.NumericLabels()
	if err != nil {
		return nil, err
	}
	made, err := s.Make(label, values)
	if err != nil {
		return nil, err
	}
	columns, options := []dataset.ColumnData{{Name: "made label", Values: made}}, []dataset.Option{dataset.Label("made label")}
	for _, c := range t.Features() {
		switch c.Kind() {
		case dataset.Float32:
			columns = append(columns, dataset.ColumnData{Name: c.Name(), Values: c.Float32s()})
		case dataset.Float64:
			columns = append(columns, dataset.ColumnData{Name: c.Name(), Values: c.Float64s()})
		}
	}
	if label == Ranked {
		queries := make([]float64, len(values))
		for i := range queries {
			queries[i] = float64(i / s.Rows)
		}
		columns, options = append(columns, dataset.ColumnData{Name: "made query", Values: queries}), append(options, dataset.Group("made query"))
	}
	return dataset.FromColumns(columns, options...)
}
