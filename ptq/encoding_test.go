package ptq_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"boost/ptq"
)

// golden is a type's part of testdata/encodings.json, which encodings.py beside it makes
// with NumPy and ml_dtypes and explains.
type golden struct{ Decode, Encode, Codes, Packed string }

func goldens(t *testing.T) map[string]golden {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "encodings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]golden
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// row is the requirement that a floating-point type stands in.
var row = map[ptq.DType]string{ptq.F16: "S4.10", ptq.BF16: "S4.10", ptq.FP8E4M3: "S4.11", ptq.FP8E5M2: "S4.11", ptq.FP4: "S4.12"}

// decoded returns what a code of a floating-point type stands for, NaN if it is refused.
func decoded(t *testing.T, d ptq.DType, code int) float64 {
	t.Helper()
	native := []byte{byte(code), byte(code >> 8)}[:ptq.StorageBytes(d, 1)]
	if d == ptq.FP4 {
		native[0] <<= 4
	}
	v, err := ptq.Restore(ptq.Stored{DType: d, Len: 1, Calibration: none, Native: native})
	var refused ptq.ErrCode
	if errors.As(err, &refused) {
		if refused.Index != 0 || refused.Code != uint64(code) || refused.DType != d {
			t.Fatalf("%s %#x: %v", d, code, err)
		}
		return math.NaN()
	}
	if err != nil {
		t.Fatal(err)
	}
	return v.At(0)
}

// encoded returns codes as bytes, little-endian.
func encoded(v *ptq.Version) []byte {
	switch codes := v.Codes().(type) {
	case []uint8:
		return codes
	case []uint16:
		var b []byte
		for _, c := range codes {
			b = binary.LittleEndian.AppendUint16(b, c)
		}
		return b
	}
	return nil
}

// TestFloatEncodings compares every code, and the codes of numbers around every value and
// every middle of two, with NumPy's and ml_dtypes'.
func TestFloatEncodings(t *testing.T) {
	want := goldens(t)
	for _, d := range []ptq.DType{ptq.F16, ptq.BF16, ptq.FP8E4M3, ptq.FP8E5M2, ptq.FP4} {
		t.Run(row[d]+"/exhaustive/"+d.String(), func(t *testing.T) {
			var table []byte
			var magnitudes []float64
			codes := 1 << d.Bits()
			for code := range codes {
				x := decoded(t, d, code)
				bits := math.Float64bits(x)
				if math.IsNaN(x) {
					bits = 0x7ff8000000000000
				} else if code < codes/2 {
					magnitudes = append(magnitudes, x)
				}
				table = binary.LittleEndian.AppendUint64(table, bits)
			}
			if got := sha(table); got != want[d.String()].Decode {
				t.Fatalf("the values of all codes have the hash %s, want %s", got, want[d.String()].Decode)
			}

			var cases []float64
			for i, low := range magnitudes[:len(magnitudes)-1] {
				high := magnitudes[i+1]
				middle := (low + high) / 2
				cases = append(cases, low, math.Nextafter(low, high), math.Nextafter(middle, low), middle,
					math.Nextafter(middle, high), math.Nextafter(high, low))
			}
			cases = append(cases, magnitudes[len(magnitudes)-1])
			for _, x := range cases {
				cases = append(cases, -x)
			}
			if got := sha(encoded(quantize(t, d, none, cases))); got != want[d.String()].Encode {
				t.Errorf("the codes around all values have the hash %s, want %s", got, want[d.String()].Encode)
			}
		})
	}
}

func TestFloatGoldens(t *testing.T) {
	for _, c := range []struct {
		d    ptq.DType
		x    float64
		want uint16
	}{
		{ptq.BF16, 1, 0x3f80}, {ptq.BF16, .437, 0x3ee0}, {ptq.BF16, -3.14159, 0xc049},
		{ptq.BF16, 1.00390625, 0x3f80}, {ptq.BF16, 1.01171875, 0x3f82},
		{ptq.F16, 1, 0x3c00}, {ptq.F16, .437, 0x36fe}, {ptq.F16, -3.14159, 0xc248}, {ptq.F16, 65504, 0x7bff},
		// Below the middle of 65504 and 65536, and half of the smallest number, which is even.
		{ptq.F16, 65519.99, 0x7bff}, {ptq.F16, 0x1p-25, 0}, {ptq.F16, math.Nextafter(0x1p-25, 1), 1},

		{ptq.FP8E4M3, 1, 0x38}, {ptq.FP8E4M3, -1, 0xb8}, {ptq.FP8E4M3, .1, 0x1d}, {ptq.FP8E4M3, .4375, 0x2e},
		{ptq.FP8E4M3, 448, 0x7e}, {ptq.FP8E4M3, 500, 0x7e}, {ptq.FP8E4M3, -0x1p-9, 0x81}, {ptq.FP8E4M3, 0x1p-10, 0},
		{ptq.FP8E4M3, 17, 0x58}, {ptq.FP8E4M3, 19, 0x5a}, {ptq.FP8E4M3, -1e300, 0xfe},
		{ptq.FP8E5M2, 1, 0x3c}, {ptq.FP8E5M2, .1, 0x2e}, {ptq.FP8E5M2, .4375, 0x37}, {ptq.FP8E5M2, 57344, 0x7b},
		{ptq.FP8E5M2, 60000, 0x7b}, {ptq.FP8E5M2, 0x1p-16, 1}, {ptq.FP8E5M2, 0x1p-17, 0}, {ptq.FP8E5M2, 9, 0x48},
		{ptq.FP8E5M2, 11, 0x4a}, {ptq.FP8E5M2, -1e300, 0xfb},
		{ptq.FP4, .25, 0}, {ptq.FP4, .75, 2}, {ptq.FP4, 1.25, 2}, {ptq.FP4, 1.75, 4}, {ptq.FP4, 2.5, 4},
		{ptq.FP4, 3.5, 6}, {ptq.FP4, 5, 6}, {ptq.FP4, 7, 7}, {ptq.FP4, -6, 0xf},
	} {
		t.Run(row[c.d]+"/golden/"+c.d.String(), func(t *testing.T) {
			b := encoded(quantize(t, c.d, none, []float64{c.x}))
			got := uint16(b[0])
			if len(b) == 2 {
				got = binary.LittleEndian.Uint16(b)
			}
			if got != c.want {
				t.Errorf("%v has the code %#x, want %#x", c.x, got, c.want)
			}
		})
	}
	t.Run("S4.10/overflow", func(t *testing.T) {
		for _, c := range []struct {
			d ptq.DType
			x float64
		}{
			{ptq.F16, 65520}, {ptq.F16, -65520}, {ptq.F16, 1e300}, {ptq.F32, 3.5e38}, {ptq.F32, -math.MaxFloat64},
			// The middle of the largest bfloat16, 2¹²⁸ − 2¹²⁰, and 2¹²⁸.
			{ptq.BF16, 0x1p128 - 0x1p119},
		} {
			_, err := ptq.Quantize(c.d, ptq.Calibration{}, []float64{1, 2, c.x, c.x})
			var over ptq.ErrOverflow
			if !errors.As(err, &over) || over != (ptq.ErrOverflow{Form: ptq.FormOf(c.d), Index: 2, Value: c.x}) {
				t.Errorf("%s of %v: %v", c.d, c.x, err)
			}
		}
		v := quantize(t, ptq.BF16, none, []float64{math.Nextafter(0x1p128-0x1p119, 0)})
		if got := v.At(0); got != 0x1p128-0x1p120 {
			t.Errorf("below the middle the largest bfloat16 is %v", got)
		}
	})
	t.Run("S4.10/two_bytes", func(t *testing.T) {
		for _, d := range []ptq.DType{ptq.F16, ptq.BF16} {
			if got := quantize(t, d, none, make([]float64, 5)).NativeBytes(); got != 10 {
				t.Errorf("5 values of %s take %d bytes", d, got)
			}
		}
	})
}

// TestIntegerCodes compares the codes of numbers around every code with NumPy's.
func TestIntegerCodes(t *testing.T) {
	want := goldens(t)
	for _, c := range []struct {
		d         ptq.DType
		low, high int
		row       string
	}{
		{ptq.I16, -1 << 15, 1<<15 - 1, "S4.7"}, {ptq.I8, -128, 127, "S4.7"}, {ptq.I4, -8, 7, "S4.7"}, {ptq.I2, -2, 1, "S4.7"},
		{ptq.U16, 0, 1<<16 - 1, "S4.8"}, {ptq.U8, 0, 255, "S4.8"}, {ptq.U4, 0, 15, "S4.8"}, {ptq.U2, 0, 3, "S4.8"},
		{ptq.Ternary, -1, 1, "S4.13"},
	} {
		t.Run(c.row+"/exhaustive/"+c.d.String(), func(t *testing.T) {
			var cases []float64
			for k := c.low - 2; k <= c.high+2; k++ {
				middle := float64(k) + 0.5
				cases = append(cases, math.Nextafter(middle, math.Inf(-1)), middle, math.Nextafter(middle, math.Inf(1)), float64(k))
			}
			var b []byte
			for _, x := range valuesOf(quantize(t, c.d, given(1), cases)) {
				b = binary.LittleEndian.AppendUint64(b, uint64(int64(x)))
			}
			if got := sha(b); got != want[c.d.String()].Codes {
				t.Errorf("the codes around all codes have the hash %s, want %s", got, want[c.d.String()].Codes)
			}
		})
	}
}
