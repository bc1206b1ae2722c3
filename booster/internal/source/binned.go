package source

import (
	"context"
	"errors"
	"slices"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// ErrOtherCuts is returned where a binned table is to be coded with other cuts than its own.
var ErrOtherCuts = errors.New("a binned table has cuts of its own, other than those of the base model")

// Binned is a table whose codes are known, or some rows of it.
type Binned struct {
	table  *dataset.Table // the columns that are no features
	whole  Source         // all rows and columns
	schema dataset.Schema
	cuts   *binning.Cuts
	codes  *binning.Codes // of the whole table
	rows   []int32        // nil for a whole table
}

// NewBinned is a whole table with its cuts and codes.
func NewBinned(whole Source, cuts *binning.Cuts, codes *binning.Codes) *Binned {
	return &Binned{table: whole.MetaColumns(), whole: whole, schema: whole.Schema(), cuts: cuts, codes: codes}
}

func (s *Binned) MetaColumns() *dataset.Table  { return s.table }
func (s *Binned) Files() *dataset.ChunkedTable { return s.whole.Files() }
func (s *Binned) Schema() dataset.Schema       { return s.schema }
func (s *Binned) Part() []int32                { return s.rows }

func (s *Binned) Fingerprint(pool *parallel.Pool) string { return s.whole.Fingerprint(pool) }

func (s *Binned) As(dataset.Schema) (Source, error) { return s, nil }

// Values returns the rows with the values of their features, nil where the table does not keep these.
func (s *Binned) Values() *dataset.Table {
	valued, ok := s.whole.(Valued)
	if !ok {
		return nil
	}
	if s.rows == nil {
		return valued.Values()
	}
	return valued.Values().Take(s.rows)
}

func (s *Binned) Take(rows []int32) Source {
	taken := *s
	taken.table, taken.rows = s.table.Take(rows), rows
	return &taken
}

// Own returns which of the rows this rank has.
func (s *Binned) Own() (lo, hi int) {
	spread, is := s.whole.(Spread)
	if !is {
		return 0, s.table.NumRows()
	}
	if lo, hi = spread.Own(); s.rows != nil {
		lo, _ = slices.BinarySearch(s.rows, int32(lo))
		hi, _ = slices.BinarySearch(s.rows, int32(hi))
	}
	return lo, hi
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
	lo, hi := s.Own()
	first := 0 // row of the whole table that the codes begin with
	if spread, is := s.whole.(Spread); is {
		first, _ = spread.Own()
	}
	rows := make([]int32, hi-lo)
	for i := range rows {
		if rows[i] = int32(lo + i - first); s.rows != nil {
			rows[i] = s.rows[lo+i] - int32(first)
		}
	}
	return s.codes.Take(rows), nil
}
