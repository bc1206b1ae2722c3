package synth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"boost/benchmarks/synth"
)

func fill(t *testing.T, seed uint64, columns, lo, hi int) (x, y []float32) {
	t.Helper()
	g, err := synth.NewGenerator(seed, columns)
	if err != nil {
		t.Fatal(err)
	}
	x, y = make([]float32, (hi-lo)*columns), make([]float32, hi-lo)
	g.Fill(lo, hi, x, y)
	return x, y
}

func TestFillIsTheSameHoweverItIsCut(t *testing.T) {
	wholeX, wholeY := fill(t, 7, 28, 0, 1000)
	var x, y []float32
	for _, part := range [][2]int{{0, 1}, {1, 600}, {600, 1000}} {
		px, py := fill(t, 7, 28, part[0], part[1])
		x, y = append(x, px...), append(y, py...)
	}
	for i := range wholeX {
		if x[i] != wholeX[i] {
			t.Fatalf("cell %d: in parts %v, at once %v", i, x[i], wholeX[i])
		}
	}
	for i := range wholeY {
		if y[i] != wholeY[i] {
			t.Fatalf("label %d: in parts %v, at once %v", i, y[i], wholeY[i])
		}
	}
}

func TestColumnsDoNotDependOnHowManyThereAre(t *testing.T) {
	narrow, _ := fill(t, 1, 28, 0, 50)
	wide, _ := fill(t, 1, 100, 0, 50)
	for row := range 50 {
		for f := range 28 {
			if a, b := narrow[row*28+f], wide[row*100+f]; a != b {
				t.Fatalf("row %d column %d: %v of 28 columns, %v of 100", row, f, a, b)
			}
		}
	}
}

// The figures of past runs are only comparable while the table stays the same.
func TestTableIsPinned(t *testing.T) {
	x, y := fill(t, 1, 28, 0, 10_000)
	h := sha256.New()
	for _, values := range [][]float32{x, y} {
		if err := binary.Write(h, binary.LittleEndian, values); err != nil {
			t.Fatal(err)
		}
	}
	const want = "236d662e3044edcc6a8bed934d7c0251a72b5bd66bda35f66fdc76775d8db8a6"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("sha256 of 10,000 rows is %s, want %s: results of before no longer compare", got, want)
	}
}

func TestSeedChangesTheTable(t *testing.T) {
	a, _ := fill(t, 1, 3, 0, 100)
	b, _ := fill(t, 2, 3, 0, 100)
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	if same > 3 {
		t.Errorf("%d of %d cells are equal under two seeds", same, len(a))
	}
}

func TestShapeOfTheTable(t *testing.T) {
	const rows, columns = 20_000, 28
	x, y := fill(t, 1, columns, 0, rows)
	positive := 0.0
	for _, v := range y {
		positive += float64(v)
	}
	if share := positive / rows; share < 0.45 || share > 0.6 {
		t.Errorf("%.3f of the labels are 1, want about a half", share)
	}
	for f := range columns {
		distinct := map[float32]bool{}
		sum, cube := 0.0, 0.0
		for row := range rows {
			v := x[row*columns+f]
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("row %d column %d is %v", row, f, v)
			}
			distinct[v] = true
			sum += float64(v)
		}
		for row := range rows {
			d := float64(x[row*columns+f]) - sum/rows
			cube += d * d * d
		}
		switch f % 7 {
		case 0:
			if cube < 0 {
				t.Errorf("column %d should lean to the right", f)
			}
		case 6:
			if len(distinct) > 4 {
				t.Errorf("column %d has %d values, want few", f, len(distinct))
			}
			continue
		}
		if len(distinct) < rows/2 {
			t.Errorf("column %d has %d distinct values in %d rows", f, len(distinct), rows)
		}
	}
}

func TestNoColumns(t *testing.T) {
	if _, err := synth.NewGenerator(1, 0); err == nil {
		t.Error("0 columns were accepted")
	}
}

func BenchmarkFill(b *testing.B) {
	g, _ := synth.NewGenerator(1, 28)
	x, y := make([]float32, 28*8192), make([]float32, 8192)
	b.SetBytes(4 * 28 * 8192)
	for b.Loop() {
		g.Fill(0, 8192, x, y)
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }            \n\x00\x00\x80\x3f"))
	f.Add([]byte("\x93NUMPY\x01\x00\x02\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		columns, err := synth.ReadNPY(bytes.NewReader(b))
		for _, c := range columns {
			if err == nil && 4*len(c) > len(b) {
				t.Errorf("%d values out of %d bytes", len(c), len(b))
			}
		}
	})
}
