package dataset

import (
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/inmemory"

	"github.com/apache/arrow/go/v17/arrow"
)

// FromArrow makes a table of the columns of an Arrow record, copying them. Values
// count, not Arrow's types: integers, floats, booleans and decimals become numbers,
// dates and time stamps seconds since 1970 UTC, text and bytes are read like the
// cells of a file, times of day as the text hh:mm:ss, dictionaries as the values
// they stand for. Nulls are missing. Another type is an error that names the column.
// Options apply as for FromColumns.
func FromArrow(record arrow.Record, opts ...Option) (*Table, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	o.Encoding = nil
	names := make([]string, record.NumCols())
	for i := range names {
		names[i] = record.ColumnName(i)
	}
	targets, err := o.Resolve(names)
	if err != nil {
		return nil, err
	}
	rows := int(record.NumRows())
	converted := chunk.NewColumns(len(targets))
	for i, t := range targets {
		p, err := inmemory.Arrow(o, t, record.Column(t.Source))
		if err != nil {
			return nil, err
		}
		converted[i] = *p
	}
	return newMemoryTable(o, rows, converted, targets)
}
