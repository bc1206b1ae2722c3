package source

import (
	"context"
	"errors"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// ErrOtherCuts is returned where a binned table is to be coded with other cuts than its own.
var ErrOtherCuts = errors.New("a binned table has cuts of its own, other than those of the base model")

// Binned is a table whose codes are known, or some rows of it.
type Binned struct {
	table *dataset.Table // the columns that are no features
	whole Source         // all rows and columns
	cuts  *binning.Cuts
	codes *binning.Codes // of the whole table
	rows  []int32        // nil for a whole table
}

// NewBinned is a whole table with its cuts and codes.
func NewBinned(whole Source, cuts *binning.Cuts, codes *binning.Codes) *Binned {
	return &Binned{table: whole.MetaColumns(), whole: whole, cuts: cuts, codes: codes}
}

func (s *Binned) MetaColumns() *dataset.Table  { return s.table }
func (s *Binned) Files() *dataset.ChunkedTable { return s.whole.Files() }
func (s *Binned) Schema() dataset.Schema       { return s.whole.Schema() }
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
