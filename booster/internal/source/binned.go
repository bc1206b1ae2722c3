package source

import (
	"context"
	"errors"
	"sync"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// ErrOtherCuts is returned where a binned table is to be coded with other cuts than its own.
var ErrOtherCuts = errors.New("a binned table has cuts of its own, other than those of the base model")

// Binned is a table whose codes are known, or some rows of it.
type Binned struct {
	table *dataset.Table // the columns that are no features
	whole *dataset.Table // all rows and columns
	cuts  *binning.Cuts
	codes *binning.Codes // of the whole table
	print func() string
	rows  []int32 // nil for a whole table
}

// NewBinned is a whole table with its cuts and codes.
func NewBinned(t *dataset.Table, cuts *binning.Cuts, codes *binning.Codes, pool *parallel.Pool) *Binned {
	print := sync.OnceValue(func() string { return t.Fingerprint(pool) })
	return &Binned{table: t.WithoutFeatures(), whole: t, cuts: cuts, codes: codes, print: print}
}

func (s *Binned) MetaColumns() *dataset.Table  { return s.table }
func (s *Binned) Files() *dataset.ChunkedTable { return nil }
func (s *Binned) Schema() dataset.Schema       { return s.whole.Schema() }
func (s *Binned) Part() []int32                { return s.rows }

func (s *Binned) Fingerprint(*parallel.Pool) string { return s.print() }

func (s *Binned) As(dataset.Schema) (Source, error) { return s, nil }

func (s *Binned) Values() *dataset.Table {
	if s.rows == nil {
		return s.whole
	}
	return s.whole.Take(s.rows)
}

func (s *Binned) Take(rows []int32) Source {
	taken := *s
	taken.table, taken.rows = s.table.Take(rows), rows
	return &taken
}

func (s *Binned) Fit(context.Context, []float64, binning.Params, uint64, *parallel.Pool) (*binning.Cuts, []string, error) {
	return s.cuts, nil, nil
}

func (s *Binned) Extend(_ context.Context, cuts *binning.Cuts, _ binning.Params) (*binning.Cuts, []string, error) {
	if cuts != s.cuts {
		return nil, nil, ErrOtherCuts
	}
	return cuts, nil, nil
}

func (s *Binned) Code(context.Context, *binning.Cuts, binning.Params, *parallel.Pool) (*binning.Codes, error) {
	rows := s.rows
	if rows == nil {
		rows = make([]int32, s.codes.NRows())
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	return s.codes.Take(rows), nil
}
