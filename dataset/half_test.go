package dataset_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"boost/dataset"
)

// Numbers of 16 bits have the values of IEEE 754, also below 2⁻¹⁴, where they have no leading bit.
func TestHalfFloats(t *testing.T) {
	values := map[uint16]float64{
		0x0001: math.Ldexp(1, -24), 0x8001: -math.Ldexp(1, -24), 0x00a8: math.Ldexp(168, -24), 0x03ff: math.Ldexp(1023, -24),
		0x0400: math.Ldexp(1, -14), 0x3555: 0.333251953125, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x7c00: math.Inf(1), 0x0000: 0,
	}
	builder := array.NewFloat16Builder(memory.DefaultAllocator)
	var want []float64
	for bits, value := range values {
		builder.Append(float16.FromBits(bits))
		want = append(want, value)
	}
	cells := builder.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Float16}}, nil)
	var file bytes.Buffer
	w := ipc.NewWriter(&file, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(array.NewRecord(schema, []arrow.Array{cells}, int64(len(want)))), w.Close()); err != nil {
		t.Fatal(err)
	}
	inMemory, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: cells}})
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]*dataset.Table{"in memory": inMemory, "file": mustRead(t, file.String())} {
		for row, value := range table.Column("x").Float32s() {
			if float64(value) != want[row] {
				t.Errorf("%s: %g, want %g", name, value, want[row])
			}
		}
	}
}
