package ptq_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/ptq"
	"boost/tensorq"
)

var blockForms = []ptq.Form{ptq.FormQ4_0, ptq.FormHot, ptq.FormWarm, ptq.FormWarm5, ptq.FormCold, ptq.FormCold2}

// leaves returns values of trees of many sizes with an outlier here and there, and their ends.
func leaves(seed uint64, trees int) (values []float64, ends []int) {
	r := rand.New(rand.NewPCG(seed, 7))
	for range trees {
		for range 1 + r.IntN(150) {
			x := r.NormFloat64() * 0.1
			if r.IntN(40) == 0 {
				x *= 30
			}
			values = append(values, x)
		}
		ends = append(ends, len(values))
	}
	return values, ends
}

func TestForms(t *testing.T) {
	if n := len(ptq.Forms()); n != 27 {
		t.Fatalf("%d forms: expected 21 types, Q4_0 and five tiers", n)
	}
	bits := map[string]int{"F64": 64, "I8": 8, "Binary": 1, "Q4_0": 4, "hot": 8, "warm": 7, "warm5": 5, "cold": 3, "cold2": 3}
	for _, f := range ptq.Forms() {
		for _, name := range []string{f.String(), strings.ToLower(f.String()), strings.ToUpper(f.String())} {
			if got, err := ptq.ParseForm(name); err != nil || got != f {
				t.Errorf("%s is %v, %v: expected %v", name, got, err, f)
			}
		}
		if want, ok := bits[f.String()]; ok && f.Bits() != want {
			t.Errorf("%s has %d bits, expected %d", f, f.Bits(), want)
		}
	}
	for _, word := range []string{"", "q4", "absent", "warm7", "form 33"} {
		var unknown ptq.ErrDType
		if _, err := ptq.ParseForm(word); !errors.As(err, &unknown) {
			t.Errorf("%q is %v: expected ErrDType", word, err)
		}
	}
	for _, f := range []ptq.Form{21, 31, 38, 255} {
		if f.Valid() {
			t.Errorf("%v is no form", f)
		}
	}
}

// Blocks hold what tensorq makes of each range, and no block reaches into the next range.
func TestBlocksOfTrees(t *testing.T) {
	t.Run("S4.26/blocks_per_tree", func(t *testing.T) {
		values, ends := leaves(1, 40)
		for _, form := range blockForms {
			bounds, err := ptq.NewGroups(ends, nil)
			if err != nil {
				t.Fatal(err)
			}
			all, err := ptq.QuantizeBlocks(form, values, bounds)
			if err != nil {
				t.Fatal(form, err)
			}
			got := make([]float64, len(values))
			all.DecodeRange(got, 0)
			native := all.AppendNative(nil)
			from, at := 0, 0
			if form == ptq.FormCold2 {
				at = len(native)
			}
			for tree, end := range ends {
				own := narrowed(values[from:end])
				want, data := reference(t, form, own)
				for i := range want {
					if float64(want[i]) != got[from+i] {
						t.Fatalf("%s tree %d leaf %d: %v instead of %v", form, tree, i, got[from+i], want[i])
					}
				}
				if form != ptq.FormCold2 {
					if !bytes.Equal(native[at:at+len(data)], data) {
						t.Fatalf("%s tree %d: its bytes are not its own", form, tree)
					}
					at += len(data)
				}
				from = end
			}
			if at != len(native) {
				t.Errorf("%s: %d bytes of %d belong to trees", form, at, len(native))
			}
		}
	})
}

func narrowed(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, x := range values {
		out[i] = float32(x)
	}
	return out
}

// reference quantizes one tree's leaves with tensorq alone.
func reference(t *testing.T, form ptq.Form, values []float32) (decoded []float32, data []byte) {
	t.Helper()
	decoded = make([]float32, len(values))
	if form == ptq.FormQ4_0 {
		data = make([]byte, tensorq.Q4_0Size(len(values)))
		if _, err := tensorq.QuantizeQ4_0(data, values); err != nil {
			t.Fatal(err)
		}
		if err := tensorq.DequantizeQ4_0(data, decoded); err != nil {
			t.Fatal(err)
		}
		return decoded, data
	}
	config := tensorq.DefaultQuantConfig()
	config.TwoLevelCold = form == ptq.FormCold2
	q, err := tensorq.Quantizer(form.Bits())
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := tensorq.Quantize(values, q, config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tensorq.Dequantize(blocks, decoded); err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		if data, err = tensorq.AppendBlock(data, &blocks[i]); err != nil {
			t.Fatal(err)
		}
	}
	return decoded, data
}

func TestBlocksRoundTrip(t *testing.T) {
	for _, form := range blockForms {
		for seed := range uint64(10) {
			values, ends := leaves(seed, int(seed*seed))
			bounds, err := ptq.NewGroups(ends, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := ptq.QuantizeBlocks(form, values, bounds)
			if err != nil {
				t.Fatal(form, err)
			}
			native := b.AppendNative(nil)
			if int64(len(native)) != b.NativeBytes() {
				t.Fatalf("%s: %d bytes, NativeBytes says %d", form, len(native), b.NativeBytes())
			}
			again, err := ptq.RestoreBlocks(form, len(values), bounds, native)
			if err != nil {
				t.Fatal(form, seed, err)
			}
			want, got := make([]float64, len(values)), make([]float64, len(values))
			b.DecodeRange(want, 0)
			again.DecodeRange(got, 0)
			if !slices.Equal(want, got) {
				t.Fatalf("%s: restored values differ", form)
			}
			r := rand.New(rand.NewPCG(seed, 1))
			for range 50 {
				if len(values) == 0 {
					break
				}
				first := r.IntN(len(values))
				part := make([]float64, r.IntN(len(values)-first+1))
				again.DecodeRange(part, first)
				if !slices.Equal(part, want[first:first+len(part)]) {
					t.Fatalf("%s: values %d to %d differ", form, first, first+len(part))
				}
			}
			for _, cut := range []int{0, 1, len(native) / 2, len(native) - 1} {
				if cut < 0 || cut >= len(native) {
					continue
				}
				var refused ptq.ErrNative
				if _, err := ptq.RestoreBlocks(form, len(values), bounds, native[:cut]); !errors.As(err, &refused) {
					t.Fatalf("%s cut at %d: %v", form, cut, err)
				}
			}
			if _, err := ptq.RestoreBlocks(form, len(values), bounds, append(native, 0)); err == nil {
				t.Fatalf("%s: a byte more was not found", form)
			}
		}
	}
}

func TestBlocksRefuse(t *testing.T) {
	var overflow ptq.ErrOverflow
	if _, err := ptq.QuantizeBlocks(ptq.FormHot, []float64{1, 1e39}, nil); !errors.As(err, &overflow) || overflow.Index != 1 || overflow.Form != ptq.FormHot {
		t.Errorf("1e39: %v", err)
	}
	var finite ptq.ErrNotFinite
	if _, err := ptq.QuantizeBlocks(ptq.FormQ4_0, []float64{math.NaN()}, nil); !errors.As(err, &finite) {
		t.Errorf("NaN: %v", err)
	}
	if _, err := ptq.QuantizeBlocks(ptq.FormOf(ptq.I8), nil, nil); err == nil {
		t.Error("blocks of a data type were made")
	}
	if _, err := ptq.QuantizeBlocks(99, nil, nil); err == nil {
		t.Error("blocks of no form were made")
	}
	var calibration ptq.ErrCalibration
	if _, err := ptq.Encode(ptq.FormWarm, ptq.Calibration{Method: ptq.MSE}, []float64{1}, nil); !errors.As(err, &calibration) {
		t.Errorf("MSE of blocks: %v", err)
	}
	bounds, err := ptq.NewGroups([]int{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var groups ptq.ErrGroups
	if _, err := ptq.QuantizeBlocks(ptq.FormWarm, []float64{1}, bounds); !errors.As(err, &groups) {
		t.Errorf("bounds of another length: %v", err)
	}
}

func FuzzRestoreBlocksS4_26(f *testing.F) {
	values, ends := leaves(3, 4)
	bounds, err := ptq.NewGroups(ends, nil)
	if err != nil {
		f.Fatal(err)
	}
	for i, form := range blockForms {
		b, err := ptq.QuantizeBlocks(form, values, bounds)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, b.AppendNative(nil))
	}
	f.Fuzz(func(t *testing.T, which int, native []byte) {
		form := blockForms[uint(which)%uint(len(blockForms))]
		b, err := ptq.RestoreBlocks(form, len(values), bounds, native)
		if err != nil {
			return
		}
		out := make([]float64, len(values))
		b.DecodeRange(out, 0)
		for i, x := range out {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%s: value %d is %v", form, i, x)
			}
		}
		if !bytes.Equal(b.AppendNative(nil), native) {
			t.Fatalf("%s: other bytes than were read", form)
		}
	})
}
