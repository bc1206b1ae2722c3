package worker

import (
	"bytes"
	"context"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"boost/dataset"
)

// memoryTable is a table that was handed over. Its columns have no roles yet.
type memoryTable struct {
	columns []dataset.ColumnData
	rows    int
}

// withRow returns the columns of a table without rows with one row. Features have no value there, and what a model needs
// beside them, such as init scores, is 0.
func (t *memoryTable) withRow(features []string) []dataset.ColumnData {
	values := make(map[string]float64, len(features))
	for _, name := range features {
		values[name] = math.NaN()
	}
	columns := slices.Clone(t.columns)
	for i := range columns {
		columns[i].Values, columns[i].Rows = []float64{values[columns[i].Name]}, 1
	}
	return columns
}

// part is one or several columns of a table in a request.
type part struct {
	Kind  string   `json:"kind"`  // numbers, dates, spans, categories, arrow or csc
	Names []string `json:"names"` // of the columns; arrow has its own
	Block *block   `json:"block"` // numbers; dates: whole units since 1970; spans: whole units; categories: codes, -1 where missing
	Unit  string   `json:"unit"`  // of dates and spans: s, ms, us or ns
	// Levels are what the codes of categories stand for.
	Levels []string `json:"levels"`
	At     int      `json:"at"` // of an Arrow stream
	Length int      `json:"length"`
	Rows   int      `json:"rows"` // of a sparse matrix
	// Values, Indices and Starts are those of scipy: of each column the rows and values of stored cells,
	// Starts of columns + 1 entries. By rows they are those of each row.
	Values  *block `json:"values"`
	Indices *block `json:"indices"`
	Starts  *block `json:"starts"`
	ByRows  bool   `json:"by_rows"`
}

// makeTable keeps a table for other requests.
func (r *request) makeTable(context.Context) (any, []byte, error) {
	var head struct {
		Parts []part `json:"parts"`
	}
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	t, err := r.tableOf(head.Parts)
	if err != nil {
		return nil, nil, err
	}
	return struct {
		Table uint32 `json:"table"`
	}{r.server.keepTable(t)}, nil, nil
}

// tableOf puts parts together.
func (r *request) tableOf(parts []part) (*memoryTable, error) {
	t := &memoryTable{rows: -1}
	for i := range parts {
		columns, rows, err := r.columns(&parts[i])
		if err != nil {
			return nil, err
		}
		if len(columns) == 0 { // a matrix of no columns tells nothing, however many rows it has
			continue
		}
		if t.rows < 0 {
			t.rows = rows
		}
		if rows != t.rows {
			return nil, tablef("column %q has %d rows, those before it have %d", columns[0].Name, rows, t.rows)
		}
		t.columns = append(t.columns, columns...)
	}
	t.rows = max(t.rows, 0)
	return t, nil
}

// columns returns the columns of a part.
func (r *request) columns(p *part) (columns []dataset.ColumnData, rows int, err error) {
	switch p.Kind {
	case "arrow":
		return r.arrowColumns(p)
	case "csc":
		return r.sparseColumns(p)
	}
	if p.Block == nil {
		return nil, 0, protocolf("columns %q have no block", p.Names)
	}
	if err := p.Block.check(r.body, r.server.memory); err != nil {
		return nil, 0, err
	}
	if len(p.Names) != p.Block.Shape[1] {
		return nil, 0, protocolf("%d names for %d columns", len(p.Names), p.Block.Shape[1])
	}
	values, err := r.numbers(p.Block, p.Names)
	if err != nil {
		return nil, 0, err
	}
	for j, name := range p.Names {
		c := dataset.ColumnData{Name: name, Values: values[j], Rows: p.Block.Shape[0]}
		switch v := values[j].(type) {
		case []int64:
			if p.Kind == "dates" || p.Kind == "spans" {
				c.Values, err = timeArray(v, p.Unit, p.Kind == "spans")
			}
		case []int32:
			if p.Kind == "categories" {
				c.Values, err = categoryArray(v, p.Levels)
			}
		}
		if err != nil {
			return nil, 0, err
		}
		columns = append(columns, c)
	}
	return columns, p.Block.Shape[0], nil
}

// numbers returns each column of a block as a slice that dataset.FromColumns takes.
func (r *request) numbers(b *block, names []string) ([]any, error) {
	switch b.DType {
	case "f4":
		return castColumns[uint32, float32](r, b)
	case "f8":
		return castColumns[uint64, float64](r, b)
	case "i4":
		return castColumns[uint32, int32](r, b)
	case "i8":
		return castColumns[uint64, int64](r, b)
	case "b1":
		return convertColumns(r, b, func(v uint8) bool { return v != 0 })
	case "i1":
		return convertColumns(r, b, func(v uint8) int32 { return int32(int8(v)) })
	case "u1":
		return convertColumns(r, b, func(v uint8) int32 { return int32(v) })
	case "i2":
		return convertColumns(r, b, func(v uint16) int32 { return int32(int16(v)) })
	case "u2":
		return convertColumns(r, b, func(v uint16) int32 { return int32(v) })
	case "u4":
		return convertColumns(r, b, func(v uint32) int64 { return int64(v) })
	case "f2":
		return convertColumns(r, b, halfFloat)
	}
	columns, err := columnsOf[uint64](r, b)
	values := make([]any, len(columns))
	for j, column := range columns {
		numbers := make([]float64, len(column))
		for i, v := range column {
			if numbers[i] = float64(v); numbers[i] >= 1<<64 || uint64(numbers[i]) != v {
				return nil, tablef("row %d: column %q holds an integer that float64 cannot hold exactly; give it as text to use it as a category", i+1, names[j])
			}
		}
		values[j] = numbers
	}
	return values, err
}

// castColumns reads a block whose elements are of type V, as large as T.
func castColumns[T uint8 | uint16 | uint32 | uint64, V any](r *request, b *block) ([]any, error) {
	columns, err := columnsOf[T](r, b)
	values := make([]any, len(columns))
	for j, column := range columns {
		values[j] = []V{}
		if len(column) > 0 {
			values[j] = unsafe.Slice((*V)(unsafe.Pointer(&column[0])), len(column))
		}
	}
	return values, err
}

// convertColumns reads a block and converts its elements.
func convertColumns[T uint8 | uint16 | uint32 | uint64, V any](r *request, b *block, convert func(T) V) ([]any, error) {
	columns, err := columnsOf[T](r, b)
	values := make([]any, len(columns))
	for j, column := range columns {
		converted := make([]V, len(column))
		for i, v := range column {
			converted[i] = convert(v)
		}
		values[j] = converted
	}
	return values, err
}

// halfFloat returns the value of the bits of an IEEE number of 16 bits.
func halfFloat(bits uint16) float32 {
	sign, exponent, fraction := float32(1), int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * float32(math.Ldexp(fraction, -24))
	case 31:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return sign * float32(math.Inf(1))
	}
	return sign * float32(math.Ldexp(1024+fraction, exponent-25))
}

// timeArray makes an Arrow array of times or of spans; the least integer is missing, as numpy's NaT.
func timeArray(values []int64, unit string, spans bool) (arrow.Array, error) {
	units := map[string]arrow.TimeUnit{"s": arrow.Second, "ms": arrow.Millisecond, "us": arrow.Microsecond, "ns": arrow.Nanosecond}
	of, known := units[unit]
	if !known {
		return nil, protocolf("unknown unit of time %q", unit)
	}
	valid := make([]byte, bitutil.BytesForBits(int64(len(values))))
	missing := 0
	for i, v := range values {
		if v == math.MinInt64 {
			missing++
			continue
		}
		bitutil.SetBit(valid, i)
	}
	buffers := []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(bytesOf(values))}
	var kind arrow.DataType = &arrow.TimestampType{Unit: of}
	if spans {
		kind = &arrow.DurationType{Unit: of}
	}
	return array.MakeFromData(array.NewData(kind, len(values), buffers, nil, missing, 0)), nil
}

// categoryArray makes an Arrow dictionary of codes.
func categoryArray(codes []int32, levels []string) (arrow.Array, error) {
	builder := array.NewStringBuilder(memory.DefaultAllocator)
	builder.AppendValues(levels, nil)
	dictionary := builder.NewArray()
	valid := make([]byte, bitutil.BytesForBits(int64(len(codes))))
	missing := 0
	for i, code := range codes {
		switch {
		case int(code) >= len(levels):
			return nil, protocolf("code %d of %d levels", code, len(levels))
		case code < 0:
			missing++
			codes[i] = 0
		default:
			bitutil.SetBit(valid, i)
		}
	}
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	buffers := []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(bytesOf(codes))}
	return array.MakeFromData(array.NewDataWithDictionary(kind, len(codes), buffers, missing, 0, dictionary.Data().(*array.Data))), nil
}

// arrowColumns reads an Arrow stream.
func (r *request) arrowColumns(p *part) (columns []dataset.ColumnData, rows int, err error) {
	if p.At < 0 || p.Length < 0 || p.At > len(r.body) || p.Length > len(r.body)-p.At {
		return nil, 0, protocolf("an Arrow stream reaches out of the body")
	}
	defer func() { // the reader panics where a stream contradicts itself
		if broken := recover(); broken != nil {
			err = tablef("the Arrow stream is damaged: %v", broken)
		}
	}()
	stream, err := ipc.NewReader(bytes.NewReader(r.body[p.At : p.At+p.Length]))
	if err != nil {
		return nil, 0, tablef("the Arrow stream cannot be read: %v", err)
	}
	defer stream.Release()
	fields := stream.Schema().Fields()
	chunks := make([][]arrow.Array, len(fields))
	for stream.Next() {
		record := stream.Record()
		rows += int(record.NumRows())
		for j := range chunks {
			column := record.Column(j)
			column.Retain()
			chunks[j] = append(chunks[j], column)
		}
	}
	if err := stream.Err(); err != nil {
		return nil, 0, tablef("the Arrow stream cannot be read: %v", err)
	}
	for j, field := range fields {
		var values arrow.Array
		switch len(chunks[j]) {
		case 0:
			values = array.NewBuilder(memory.DefaultAllocator, field.Type).NewArray()
		case 1:
			values = chunks[j][0]
		default:
			if values, err = array.Concatenate(chunks[j], memory.DefaultAllocator); err != nil {
				return nil, 0, tablef("column %q: %v", field.Name, err)
			}
		}
		columns = append(columns, dataset.ColumnData{Name: field.Name, Values: values})
	}
	return columns, rows, nil
}

// sparseColumns reads a sparse matrix.
func (r *request) sparseColumns(p *part) ([]dataset.ColumnData, int, error) {
	var arrays [3]any
	for i, b := range []*block{p.Values, p.Indices, p.Starts} {
		if b == nil || b.Shape[1] != 1 {
			return nil, 0, protocolf("a sparse matrix of the wrong shape")
		}
		if err := b.check(r.body, r.server.memory); err != nil {
			return nil, 0, err
		}
		values, err := r.numbers(b, []string{"values"})
		if err != nil {
			return nil, 0, err
		}
		arrays[i] = values[0]
	}
	indices, ok := arrays[1].([]int32)
	starts, ok2 := arrays[2].([]int64)
	if !ok || !ok2 {
		return nil, 0, protocolf("a sparse matrix needs indices of 4 and starts of 8 bytes")
	}
	var columns []dataset.ColumnData
	var err error
	switch values := arrays[0].(type) {
	case []float32:
		columns, err = sparseOf(p, values, indices, starts, func(s *dataset.Sparse, v []float32) { s.F32 = v })
	case []float64:
		columns, err = sparseOf(p, values, indices, starts, func(s *dataset.Sparse, v []float64) { s.F64 = v })
	default:
		err = protocolf("a sparse matrix needs values f4 or f8")
	}
	return columns, p.Rows, err
}

// sparseOf cuts a sparse matrix into columns.
func sparseOf[T float32 | float64](p *part, values []T, indices []int32, starts []int64, set func(*dataset.Sparse, []T)) ([]dataset.ColumnData, error) {
	width, lines, most := len(p.Names), len(p.Names), p.Rows
	if p.ByRows {
		lines, most = p.Rows, width
	}
	if len(starts) != lines+1 || len(values) != len(indices) || starts[0] != 0 || int(starts[lines]) != len(values) || !slices.IsSorted(starts) {
		return nil, protocolf("a sparse matrix whose arrays do not fit together")
	}
	for _, index := range indices {
		if index < 0 || int(index) >= most {
			return nil, protocolf("a sparse matrix with index %d of %d", index, most)
		}
	}
	if p.ByRows {
		values, indices, starts = byColumns(values, indices, starts, width)
	}
	columns := make([]dataset.ColumnData, width)
	for j, name := range p.Names {
		lo, hi := starts[j], starts[j+1]
		s := &dataset.Sparse{Rows: indices[lo:hi:hi]}
		set(s, values[lo:hi:hi])
		columns[j] = dataset.ColumnData{Name: name, Values: s, Rows: p.Rows}
	}
	return columns, nil
}

// byColumns turns the cells of rows into those of columns.
func byColumns[T any](values []T, indices []int32, starts []int64, width int) ([]T, []int32, []int64) {
	begin := make([]int64, width+1)
	for _, column := range indices {
		begin[column+1]++
	}
	for j := range width {
		begin[j+1] += begin[j]
	}
	next := slices.Clone(begin)
	turned, rows := make([]T, len(values)), make([]int32, len(values))
	for row := range len(starts) - 1 {
		for k := starts[row]; k < starts[row+1]; k++ {
			to := &next[indices[k]]
			turned[*to], rows[*to] = values[k], int32(row)
			*to++
		}
	}
	return turned, rows, begin
}

// source is where the rows of a request come from: a table that is kept, or files.
type source struct {
	Table uint32   `json:"table"`
	Files []string `json:"files"`
}

// read reads a table from wherever it is.
func (r *request) read(ctx context.Context, from *source, opts ...dataset.Option) (*dataset.Table, error) {
	var t *dataset.Table
	var err error
	if len(from.Files) > 0 {
		t, err = dataset.OpenAll(ctx, from.Files, opts...)
	} else {
		var kept *memoryTable
		if kept, err = r.server.table(from.Table); err != nil {
			return nil, err
		}
		t, err = dataset.FromColumns(kept.columns, opts...)
	}
	if err != nil {
		return nil, err
	}
	r.noteTable(t)
	return t, nil
}
