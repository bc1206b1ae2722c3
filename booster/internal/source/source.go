package source

import (
	"context"

	"boost/binning"
	"boost/booster/cache"
	"boost/dataset"
	"boost/parallel"
)

// Source is a set of rows that a model is trained or judged on: in memory, in files or in a cache.
// Training takes two things from it: the columns that are no features, and the codes of the features.
type Source interface {
	// MetaColumns returns the columns that are no features, with the locations of the rows.
	MetaColumns() *dataset.Table
	// Files returns the table in files that the rows are read from in chunks, nil for none.
	Files() *dataset.ChunkedTable
	// Schema describes all columns, the features too.
	Schema() dataset.Schema
	// Fingerprint identifies all the data. It is known only after Code.
	Fingerprint(pool *parallel.Pool) string
	// As returns the rows as a model of the given schema sees them.
	As(s dataset.Schema) (Source, error)
	// Take returns the given rows, which ascend, as a source of their own.
	Take(rows []int32) Source
	// Part returns the rows that Take made it of, nil for a whole table.
	Part() []int32
	// Fit finds the cuts of the features; see binning.Fit.
	Fit(ctx context.Context, weights []float64, p binning.Params, seed uint64, pool *parallel.Pool) (*binning.Cuts, []string, error)
	// Extend finds codes for levels that cuts do not know; see binning.Cuts.Extend.
	Extend(ctx context.Context, cuts *binning.Cuts, p binning.Params) (*binning.Cuts, []string, error)
	// Code codes the features; see binning.Code.
	Code(ctx context.Context, cuts *binning.Cuts, p binning.Params, pool *parallel.Pool) (*binning.Codes, error)
}

// Valued is a source that keeps the values of its features.
type Valued interface {
	Source
	// Values returns the rows with the values of their features, nil where they are not kept after all.
	Values() *dataset.Table
}

// Crossable is a source that columns of others can be added to.
type Crossable interface {
	Source
	// Features returns a table with the features of some of the rows, and which of its rows these are, nil for all.
	Features(ctx context.Context, rows []int32) (t *dataset.Table, in []int32, err error)
	// Cross adds columns behind the others, whose levels are those of its rows.
	Cross(ctx context.Context, columns []dataset.CrossedColumn) (Source, error)
}

// Fresh returns a source as training takes it: without the parts and the crossed columns of an earlier one.
func Fresh(s Source) Source {
	if c, is := s.(*Chunked); is {
		return NewChunked(c.of.table)
	}
	return s
}

// Spread is a source of which a rank may have some rows only.
type Spread interface {
	// Own returns which rows these are. Code returns the codes of them alone.
	Own() (lo, hi int)
}

// OwnOf returns the rows that this rank has of a source whose files ranks share; ok is false for a source of which each rank has all.
func OwnOf(s Source) (lo, hi int, ok bool) {
	files := s.Files()
	spread, is := s.(Spread)
	if !is || files == nil || files.Ranks() == nil {
		return 0, 0, false
	}
	lo, hi = spread.Own()
	return lo, hi, true
}

// InMemory is a table in memory.
type InMemory struct {
	Table *dataset.Table
	rows  []int32 // of the table that it was taken from; nil for a whole table
}

func (s InMemory) MetaColumns() *dataset.Table  { return s.Table.WithoutFeatures() }
func (s InMemory) Files() *dataset.ChunkedTable { return nil }

func (s InMemory) Schema() dataset.Schema { return s.Table.Schema() }

func (s InMemory) Fingerprint(pool *parallel.Pool) string { return s.Table.Fingerprint(pool) }

func (s InMemory) As(schema dataset.Schema) (Source, error) {
	table, err := s.Table.As(schema)
	return InMemory{table, s.rows}, err
}

func (s InMemory) Take(rows []int32) Source { return InMemory{s.Table.Take(rows), rows} }

func (s InMemory) Part() []int32 { return s.rows }

func (s InMemory) Features(_ context.Context, rows []int32) (t *dataset.Table, in []int32, err error) {
	return s.Table, rows, nil
}

func (s InMemory) Cross(_ context.Context, columns []dataset.CrossedColumn) (Source, error) {
	table, err := s.Table.Cross(columns)
	return InMemory{table, s.rows}, err
}

func (s InMemory) Values() *dataset.Table { return s.Table }

// ByQuery returns the table with the rows of each query together, and which rows of s these are, nil if they are all
// in their places.
func (s InMemory) ByQuery() (gathered InMemory, rows []int32) {
	table, rows := s.Table.ByQuery()
	return InMemory{table, s.rows}, rows
}

func (s InMemory) Fit(ctx context.Context, weights []float64, p binning.Params, seed uint64, pool *parallel.Pool) (*binning.Cuts, []string, error) {
	return binning.Fit(ctx, s.Table, weights, p, seed, pool)
}

func (s InMemory) Extend(_ context.Context, cuts *binning.Cuts, p binning.Params) (*binning.Cuts, []string, error) {
	return cuts.Extend(s.Table.Schema(), binning.PopulationOf(s.Table), p)
}

func (s InMemory) Code(ctx context.Context, cuts *binning.Cuts, p binning.Params, pool *parallel.Pool) (*binning.Codes, error) {
	return binning.Code(ctx, cuts, s.Table, p, pool)
}

// Coded is a source with its codes as a cache keeps them.
func Coded(s Source, codes *binning.Codes) cache.Set {
	set := cache.Set{Rows: s.Part(), Codes: codes}
	if set.Rows == nil {
		set.Others = s.MetaColumns()
	}
	return set
}
