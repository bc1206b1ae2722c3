package ptq_test

import (
	"errors"
	"strings"
	"testing"

	"boost/ptq"
)

// table is S4.4 and S4.5: number, name, bits, and the name in the document that the
// types come from.
var table = []struct {
	name, seed string
	bits       int
}{
	{"F64", "Float64", 64}, {"F32", "Float32", 32}, {"F16", "Float16", 16}, {"BF16", "BFloat16", 16},
	{"FP8E4M3", "FP8E4M3", 8}, {"FP8E5M2", "FP8E5M2", 8},
	{"I64", "Int64", 64}, {"I32", "Int32", 32}, {"I16", "Int16", 16}, {"I8", "Int8", 8},
	{"U64", "Uint64", 64}, {"U32", "Uint32", 32}, {"U16", "Uint16", 16}, {"U8", "Uint8", 8},
	{"I4", "Int4", 4}, {"U4", "Uint4", 4}, {"FP4", "FP4", 4}, {"I2", "Int2", 2}, {"U2", "Uint2", 2},
	{"Ternary", "Ternary", 2}, {"Binary", "Binary", 1},
}

func TestDTypes(t *testing.T) {
	t.Run("S4.4/table", func(t *testing.T) {
		all := ptq.DTypes()
		if len(all) != 21 {
			t.Fatalf("%d types, want 21", len(all))
		}
		for i, want := range table {
			d := ptq.DType(i)
			if all[i] != d || d.String() != want.name || !d.Valid() {
				t.Errorf("type %d is %v, want %s", i, all[i], want.name)
			}
			for _, name := range []string{want.name, want.seed, strings.ToLower(want.name), strings.ToUpper(want.seed)} {
				if got, err := ptq.ParseDType(name); got != d || err != nil {
					t.Errorf("%q reads as %v (%v), want %s", name, got, err, want.name)
				}
			}
		}
	})
	t.Run("S4.4/unknown", func(t *testing.T) {
		var unknown ptq.ErrDType
		for _, name := range []string{"", "i9", "int", "Q4_0", "F64 ", "DType(3)"} {
			if _, err := ptq.ParseDType(name); !errors.As(err, &unknown) {
				t.Errorf("%q: %v", name, err)
			}
		}
		if _, err := ptq.ParseDType("ternery"); err == nil || !strings.Contains(err.Error(), `did you mean "Ternary"`) {
			t.Errorf("ternery: %v", err)
		}
		d := ptq.DType(21)
		if d.Valid() || d.String() != "DType(21)" {
			t.Errorf("type 21 is %s", d)
		}
		if _, err := ptq.Quantize(d, ptq.Calibration{}, nil); !errors.As(err, &unknown) {
			t.Errorf("type 21: %v", err)
		}
	})
	t.Run("S4.5/bits", func(t *testing.T) {
		for i, want := range table {
			if got := ptq.DType(i).Bits(); got != want.bits {
				t.Errorf("%s has %d bits, want %d", want.name, got, want.bits)
			}
		}
	})
	t.Run("S4.5/bytes", func(t *testing.T) {
		for _, c := range []struct {
			d       ptq.DType
			n, want int64
		}{
			{ptq.F64, 1e9, 8e9}, {ptq.F32, 1e9, 4e9}, {ptq.BF16, 1e9, 2e9}, {ptq.I8, 1e9, 1e9}, {ptq.I4, 1e9, 5e8},
			{ptq.FP4, 1e9, 5e8}, {ptq.I2, 1e9, 25e7}, {ptq.Binary, 1e9, 125e6}, {ptq.F32, 7e9, 28e9},
			{ptq.Binary, 0, 0}, {ptq.Binary, 1, 1}, {ptq.Binary, 8, 1}, {ptq.Binary, 9, 2},
			{ptq.Ternary, 4, 1}, {ptq.Ternary, 5, 2}, {ptq.U4, 3, 2}, {ptq.F16, 3, 6},
			{ptq.F64, 1 << 59, 1 << 62}, {ptq.Binary, 1<<59 + 1, 1<<56 + 1},
		} {
			if got := ptq.StorageBytes(c.d, c.n); got != c.want {
				t.Errorf("%d values of %s take %d bytes, want %d", c.n, c.d, got, c.want)
			}
		}
	})
}
