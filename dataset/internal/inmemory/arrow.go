package inmemory

import (
	"math"
	"time"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Arrow turns an Arrow array into a column chunk; a dictionary array is read through its values.
func Arrow(o *chunk.Options, t chunk.Target, values arrow.Array) (*chunk.ColumnChunk, error) {
	cells, missing, cell, kind := values, values.IsNull, func(i int) int { return i }, "of the Arrow type"
	if d, ok := values.(*array.Dictionary); ok {
		cells, cell, kind = d.Dictionary(), d.GetValueIndex, "an Arrow dictionary of"
		missing = func(i int) bool { return d.IsNull(i) || cells.IsNull(d.GetValueIndex(i)) }
	}
	if text := arrowText(cells); text != nil {
		return o.FromTexts(t, values.Len(), func(i int) (string, bool) {
			if missing(i) {
				return "", false
			}
			return text(cell(i)), true
		})
	}
	number, dates := arrowNumber(cells)
	if number == nil {
		return nil, chunk.Errorf("column %q is %s %s, which is no number, date or text; leave it out with ignore", t.Name, kind, cells.DataType())
	}
	p, err := exactNumbers(o, t, values.Len(), func(i int) (float64, bool) {
		if missing(i) {
			return math.NaN(), true
		}
		return number(cell(i))
	})
	if p != nil {
		p.Dates = dates && p.Numeric() && p.Present > 0 // as of files: without a cell nothing tells
	}
	return p, err
}

// arrowText returns how to read an array of text, bytes or times of day as the cells of a file, or nil. Whether 16 bytes
// are a UUID is known of a field, not of an array.
func arrowText(values arrow.Array) func(i int) string {
	switch v := values.(type) {
	case *array.String:
		return v.Value
	case *array.LargeString:
		return v.Value
	case *array.StringView:
		return v.Value
	case *array.Binary:
		return v.ValueString
	case *array.LargeBinary:
		return v.ValueString
	case *array.BinaryView:
		return v.ValueString
	case *array.FixedSizeBinary:
		if v.DataType().(*arrow.FixedSizeBinaryType).ByteWidth != 16 {
			return func(i int) string { return string(v.Value(i)) }
		}
	case *array.Time32:
		second := int64(time.Second / v.DataType().(*arrow.Time32Type).Unit.Multiplier())
		return func(i int) string { return string(columnar.AppendClock(nil, int64(v.Value(i)), second)) }
	case *array.Time64:
		second := int64(time.Second / v.DataType().(*arrow.Time64Type).Unit.Multiplier())
		return func(i int) string { return string(columnar.AppendClock(nil, int64(v.Value(i)), second)) }
	}
	return nil
}

// arrowNumber returns how to read an array of numbers or times, or nil, and
// whether it is one of times. The function reports false where float64 has no such
// number.
func arrowNumber(values arrow.Array) (number func(i int) (float64, bool), dates bool) {
	switch v := values.(type) {
	case *array.Null:
		return func(int) (float64, bool) { return math.NaN(), true }, false
	case *array.Boolean:
		return func(i int) (float64, bool) {
			if v.Value(i) {
				return 1, true
			}
			return 0, true
		}, false
	case *array.Int8:
		return func(i int) (float64, bool) { return float64(v.Value(i)), true }, false
	case *array.Int16:
		return func(i int) (float64, bool) { return float64(v.Value(i)), true }, false
	case *array.Int32:
		return func(i int) (float64, bool) { return float64(v.Value(i)), true }, false
	case *array.Int64:
		return func(i int) (float64, bool) { return ExactInt(v.Value(i)) }, false
	case *array.Uint8:
		return func(i int) (float64, bool) { return float64(v.Value(i)), true }, false
	case *array.Uint16:
		return func(i int) (float64, bool) { return float64(v.Value(i)), true }, false
	case *array.Uint32:
		return func(i int) (float64, bool) { return float64(v.Value(i)), true }, false
	case *array.Uint64:
		return func(i int) (float64, bool) { return exactUint(v.Value(i)) }, false
	case *array.Float16:
		return func(i int) (float64, bool) { return columnar.HalfFloat(v.Value(i)), true }, false
	case *array.Float32:
		return func(i int) (float64, bool) { return float64(v.Value(i)), true }, false
	case *array.Float64:
		return func(i int) (float64, bool) { return v.Value(i), true }, false
	case *array.Decimal128:
		scale := v.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) (float64, bool) { return columnar.WrittenNumber(v.Value(i).ToString(scale)), true }, false
	case *array.Decimal256:
		scale := v.DataType().(*arrow.Decimal256Type).Scale
		return func(i int) (float64, bool) { return columnar.WrittenNumber(v.Value(i).ToString(scale)), true }, false
	case *array.Date32:
		return func(i int) (float64, bool) { return float64(v.Value(i)) * columnar.SecondsPerDay, true }, true
	case *array.Date64:
		return func(i int) (float64, bool) { return columnar.SecondsOf(time.UnixMilli(int64(v.Value(i)))), true }, true
	case *array.Duration:
		scale := 3 * int32(v.DataType().(*arrow.DurationType).Unit)
		return func(i int) (float64, bool) { return columnar.Scaled(int64(v.Value(i)), scale), true }, false
	case *array.Timestamp:
		unit := v.DataType().(*arrow.TimestampType).Unit
		return func(i int) (float64, bool) { return columnar.SecondsOf(v.Value(i).ToTime(unit)), true }, true
	}
	return nil, false
}

func exactUint(v uint64) (float64, bool) {
	f := float64(v)
	return f, f < 1<<64 && uint64(f) == v
}
