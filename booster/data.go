package booster

import (
	"boost/booster/cache"
	"boost/booster/internal/source"
	"boost/dataset"
)

// Data is a set of rows that a model is trained or judged on: InMemory or OutOfCore. The zero value
// is not usable.
type Data struct{ source source.Source }

// InMemory is a table.
func InMemory(t *dataset.Table) Data { return Data{source.InMemory{Table: t}} }

// OutOfCore is a table in files of which one chunk at a time is in memory: training
// takes about the memory of the codes and of a few numbers per row. The files are read
// again for the codes, and before that for the rows that cuts are taken from, unless
// the table has kept them (dataset.KeepRows, which traindata.Load sets) and no rows are held out.
// Gradients "f32" and binning.sample = 0 are refused with it. The table must not be
// closed before training ends.
func OutOfCore(s *dataset.ChunkedTable) Data { return Data{source.NewChunked(s)} }

// Cached are the training table and the validation tables of a cache.
func Cached(c *cache.Contents) (train Data, valid []Data) {
	whole, sets := source.FromCache(c)
	for _, s := range sets {
		valid = append(valid, Data{s})
	}
	return Data{whole}, valid
}

// MetaColumns returns the columns that are no features, with notes and the locations of rows.
func (d Data) MetaColumns() *dataset.Table { return d.source.MetaColumns() }

// Table returns the whole table, nil where it is not in memory.
func (d Data) Table() *dataset.Table {
	s, _ := d.source.(source.InMemory)
	return s.Table
}

// Schema describes all columns, the features too.
func (d Data) Schema() dataset.Schema { return d.source.Schema() }
