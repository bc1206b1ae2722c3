package write

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// parquetRows is how many rows make a row group of a Parquet file, if they are not too wide.
const parquetRows = 1 << 20

// parquetWriter writes a Parquet file. Text and whole numbers are compressed, floats are not:
// they hardly get smaller.
type parquetWriter struct {
	out  *patient
	file *pqfile.Writer
}

func newParquetWriter(w io.Writer, columns []Column) (groupWriter, error) {
	root, err := parquetSchema(columns)
	if err != nil {
		return nil, err
	}
	options := []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy)}
	for i := range columns {
		if c := &columns[i]; c.typ() == floatType {
			path := parquet.ColumnPath{c.Name}
			options = append(options, parquet.WithDictionaryPath(path, false), parquet.WithCompressionPath(path, compress.Codecs.Uncompressed))
		}
	}
	out := &patient{w: w}
	return &parquetWriter{out, pqfile.NewParquetWriter(out, root, pqfile.WithWriterProps(parquet.NewWriterProperties(options...)))}, nil
}

// group writes a row group.
func (p *parquetWriter) group(columns []Column, lo, hi int) error {
	return p.out.or(writeRowGroup(p.file.AppendRowGroup(), columns, lo, hi))
}

func (p *parquetWriter) close() error {
	if err := p.file.FlushWithFooter(); err != nil { // Close alone keeps such an error to itself
		return p.out.or(err)
	}
	return p.out.or(p.file.Close())
}

func parquetSchema(columns []Column) (*schema.GroupNode, error) {
	fields := make(schema.FieldList, len(columns))
	for i := range columns {
		c := &columns[i]
		repetition := parquet.Repetitions.Required
		if c.Texts != nil {
			repetition = parquet.Repetitions.Optional
		}
		var err error
		switch c.typ() {
		case int32Type:
			fields[i], err = schema.NewPrimitiveNode(c.Name, repetition, parquet.Types.Int32, -1, -1)
		case int64Type:
			fields[i], err = schema.NewPrimitiveNode(c.Name, repetition, parquet.Types.Int64, -1, -1)
		case textType:
			fields[i], err = schema.NewPrimitiveNodeLogical(c.Name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
		default:
			fields[i], err = schema.NewPrimitiveNode(c.Name, repetition, parquet.Types.Double, -1, -1)
		}
		if err != nil {
			return nil, err
		}
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
}

func writeRowGroup(group pqfile.SerialRowGroupWriter, columns []Column, lo, hi int) error {
	for i := range columns {
		w, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := everyBlock(context.Background(), hi-lo, arrowRows, func(from, to int) error {
			return writeCells(w, &columns[i], lo+from, lo+to)
		}); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return group.Close()
}

// writeCells writes a stretch of a column: the values that are there, and for texts which are.
func writeCells(w pqfile.ColumnChunkWriter, c *Column, lo, hi int) (err error) {
	var present []int16
	if c.Texts != nil {
		present = make([]int16, hi-lo)
	}
	switch w := w.(type) {
	case *pqfile.Float64ColumnChunkWriter:
		values := make([]float64, hi-lo)
		for i := range values {
			values[i] = c.float(lo + i)
		}
		_, err = w.WriteBatch(values, nil, nil)
	case *pqfile.Int32ColumnChunkWriter:
		values := make([]int32, hi-lo)
		for i := range values {
			values[i] = c.int(lo + i)
		}
		_, err = w.WriteBatch(values, nil, nil)
	case *pqfile.Int64ColumnChunkWriter:
		values := make([]int64, 0, hi-lo)
		for row := lo; row < hi; row++ {
			if v, ok := c.wholeNumber(row); ok {
				values = append(values, v)
				mark(present, row-lo)
			}
		}
		_, err = w.WriteBatch(values, present, nil)
	case *pqfile.ByteArrayColumnChunkWriter:
		values := make([]parquet.ByteArray, 0, hi-lo)
		for row := lo; row < hi; row++ {
			if text := c.text(row); text != "" || c.Texts == nil {
				values = append(values, parquet.ByteArray(text))
				mark(present, row-lo)
			}
		}
		_, err = w.WriteBatch(values, present, nil)
	default:
		err = fmt.Errorf("no Parquet column of type %T is written", w)
	}
	return err
}

// mark notes that an optional cell is there; required ones have no marks.
func mark(present []int16, i int) {
	if present != nil {
		present[i] = 1
	}
}

// patient is a writer that never fails towards a library that would panic: it remembers
// the first error, and drops what comes after it.
type patient struct {
	w   io.Writer
	err error
}

func (p *patient) Write(b []byte) (int, error) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
	return len(b), nil
}

// or returns the writer's own error, or else the given one.
func (p *patient) or(err error) error {
	if p.err != nil {
		return p.err
	}
	return err
}
