package booster

import (
	"context"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// source is a set of rows that a model is trained or judged on: in memory, in files or in a cache.
// Training takes two things from it: the columns that are no features, and the codes of the features.
type source interface {
	// metaColumns returns the columns that are no features, with the locations of the rows.
	metaColumns() *dataset.Table
	// files returns the table in files that the rows are read from in chunks, nil for none.
	files() *dataset.ChunkedTable
	// schema describes all columns, the features too.
	schema() dataset.Schema
	// fingerprint identifies all the data. It is known only after code.
	fingerprint(pool *parallel.Pool) string
	// as returns the rows as a model of the given schema sees them.
	as(s dataset.Schema) (source, error)
	// take returns the given rows, which ascend, as a source of their own.
	take(rows []int32) source
	// part returns the rows that take made it of, nil for a whole table.
	part() []int32
	// fit finds the cuts of the features; see binning.Fit.
	fit(ctx context.Context, weights []float64, p binning.Params, seed uint64, pool *parallel.Pool) (*binning.Cuts, []string, error)
	// extend finds codes for levels that cuts do not know; see binning.Cuts.Extend.
	extend(ctx context.Context, cuts *binning.Cuts, p binning.Params) (*binning.Cuts, []string, error)
	// code codes the features; see binning.Code.
	code(ctx context.Context, cuts *binning.Cuts, p binning.Params, pool *parallel.Pool) (*binning.Codes, error)
}

// tableSource is a table in memory.
type tableSource struct {
	table *dataset.Table
	rows  []int32 // of the table that it was taken from; nil for a whole table
}

func (s tableSource) metaColumns() *dataset.Table  { return s.table.WithoutFeatures() }
func (s tableSource) files() *dataset.ChunkedTable { return nil }

func (s tableSource) schema() dataset.Schema { return s.table.Schema() }

func (s tableSource) fingerprint(pool *parallel.Pool) string { return s.table.Fingerprint(pool) }

func (s tableSource) as(schema dataset.Schema) (source, error) {
	table, err := s.table.As(schema)
	return tableSource{table, s.rows}, err
}

func (s tableSource) take(rows []int32) source { return tableSource{s.table.Take(rows), rows} }

func (s tableSource) part() []int32 { return s.rows }

// values returns the rows with the values of their features.
func (s tableSource) values() *dataset.Table { return s.table }

func (s tableSource) fit(ctx context.Context, weights []float64, p binning.Params, seed uint64, pool *parallel.Pool) (*binning.Cuts, []string, error) {
	return binning.Fit(ctx, s.table, weights, p, seed, pool)
}

func (s tableSource) extend(_ context.Context, cuts *binning.Cuts, p binning.Params) (*binning.Cuts, []string, error) {
	return cuts.Extend(s.table.Schema(), binning.PopulationOf(s.table), p)
}

func (s tableSource) code(ctx context.Context, cuts *binning.Cuts, p binning.Params, pool *parallel.Pool) (*binning.Codes, error) {
	return binning.Code(ctx, cuts, s.table, p, pool)
}

// featureCount returns how many of the schema's columns are features.
func featureCount(s dataset.Schema) int {
	n := 0
	for _, c := range s.Columns {
		if c.Role == dataset.Feature {
			n++
		}
	}
	return n
}
