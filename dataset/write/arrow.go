package write

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// arrowRows is how many rows make a record of an Arrow file, if they are not too wide.
const arrowRows = 1 << 16

// arrowWriter writes an Arrow IPC file (Feather version 2), which needs no seeking and so
// goes to a pipe, too.
type arrowWriter struct {
	schema *arrow.Schema
	file   *ipc.FileWriter
}

func newArrowWriter(w io.Writer, columns []Column) (groupWriter, error) {
	schema := arrowSchema(columns)
	file, err := ipc.NewFileWriter(&counted64{w: w}, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	return &arrowWriter{schema, file}, nil
}

// group writes a record.
func (a *arrowWriter) group(columns []Column, lo, hi int) error {
	record := arrowRecord(a.schema, columns, lo, hi)
	defer record.Release()
	return a.file.Write(record)
}

func (a *arrowWriter) close() error { return a.file.Close() }

var arrowTypes = map[columnType]arrow.DataType{
	floatType: arrow.PrimitiveTypes.Float64, int32Type: arrow.PrimitiveTypes.Int32,
	int64Type: arrow.PrimitiveTypes.Int64, textType: arrow.BinaryTypes.String,
}

func arrowSchema(columns []Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i := range columns {
		fields[i] = arrow.Field{Name: columns[i].Name, Type: arrowTypes[columns[i].typ()], Nullable: columns[i].Texts != nil}
	}
	return arrow.NewSchema(fields, nil)
}

// arrowRecord makes a record of the rows lo to hi.
func arrowRecord(schema *arrow.Schema, columns []Column, lo, hi int) arrow.Record {
	arrays := make([]arrow.Array, len(columns))
	for i := range columns {
		arrays[i] = arrowArray(&columns[i], lo, hi)
	}
	return array.NewRecord(schema, arrays, int64(hi-lo))
}

func arrowArray(c *Column, lo, hi int) arrow.Array {
	switch c.typ() {
	case int32Type:
		b := array.NewInt32Builder(memory.DefaultAllocator)
		b.Reserve(hi - lo)
		for row := lo; row < hi; row++ {
			b.UnsafeAppend(c.int(row))
		}
		return b.NewArray()
	case int64Type:
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for row := lo; row < hi; row++ {
			if v, ok := c.wholeNumber(row); ok {
				b.Append(v)
			} else {
				b.AppendNull()
			}
		}
		return b.NewArray()
	case textType:
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for row := lo; row < hi; row++ {
			if text := c.text(row); text != "" || c.Texts == nil {
				b.Append(text)
			} else {
				b.AppendNull()
			}
		}
		return b.NewArray()
	}
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.Reserve(hi - lo)
	for row := lo; row < hi; row++ {
		b.UnsafeAppend(c.float(row))
	}
	return b.NewArray()
}

// counted64 tells how many bytes were written, which is all that the writer of Arrow files
// asks of its ability to seek.
type counted64 struct {
	w io.Writer
	n int64
}

func (c *counted64) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Seek returns the place; it cannot go to another.
func (c *counted64) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, io.ErrNoProgress
	}
	return c.n, nil
}
