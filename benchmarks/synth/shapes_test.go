package synth_test

import (
	"math"
	"testing"

	"boost/benchmarks/synth"
)

// zeroShare returns the share of cells that are zero.
func zeroShare(x [][]float32) float64 {
	zeros, cells := 0, 0
	for _, column := range x {
		for _, v := range column {
			if v == 0 {
				zeros++
			}
			cells++
		}
	}
	return float64(zeros) / float64(cells)
}

// distinct returns the number of values of a column.
func distinct(column []float32) int {
	seen := map[float32]bool{}
	for _, v := range column {
		seen[v] = true
	}
	return len(seen)
}

// correlation is that of a column with the labels.
func correlation(a, b []float32) float64 {
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i])-ma, float64(b[i])-mb
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// strongest is the largest correlation of any column with the labels: what noise alone would
// reach is about 4 standard errors, 4/√rows.
func strongest(x [][]float32, y []float32) float64 {
	best := 0.0
	for _, column := range x {
		if c := math.Abs(correlation(column, y)); c > best {
			best = c
		}
	}
	return best
}

func TestShapeOfContinuous(t *testing.T) {
	const rows = 20_000
	x, y := testRows(t, synth.Continuous, 28, rows)
	for f, column := range x {
		if n := distinct(column); n < rows/2 {
			t.Errorf("column %d has %d values in %d rows", f, n, rows)
		}
	}
	if best := strongest(x, y); best < 0.05 {
		t.Errorf("no column says anything of the label: %.3f at most", best)
	}
}

func TestShapeOfCounts(t *testing.T) {
	x, y := testRows(t, synth.Counts, 93, 20_000)
	if share := zeroShare(x); math.Abs(share-0.79) > 0.01 {
		t.Errorf("%.3f of the cells are zero, want 0.79", share)
	}
	for f, column := range x {
		for _, v := range column {
			if v < 0 || v > 201 || v != float32(int(v)) {
				t.Fatalf("column %d holds %v, which is no small count", f, v)
			}
		}
	}
	if n := distinct(y); n != synth.Classes(synth.Counts) || n != 9 {
		t.Errorf("%d classes, want 9", n)
	}
	if best := strongest(x, y); best < 0.05 {
		t.Errorf("no column says anything of the label: %.3f at most", best)
	}
}

func TestShapeOfZeroHeavy(t *testing.T) {
	x, y := testRows(t, synth.ZeroHeavy, 28, 20_000)
	if share := zeroShare(x); math.Abs(share-0.6) > 0.01 {
		t.Errorf("%.3f of the cells are zero, want 0.60", share)
	}
	if share := mean(y); share < 0.2 || share > 0.8 {
		t.Errorf("%.3f of the rows are positive", share)
	}
	if best := strongest(x, y); best < 0.05 {
		t.Errorf("no column says anything of the label: %.3f at most", best)
	}
}

func TestShapeOfFlags(t *testing.T) {
	x, y := testRows(t, synth.Flags, 376, 3_400)
	two := 0
	for f, column := range x {
		n := distinct(column)
		if n > 10 {
			t.Errorf("column %d has %d values", f, n)
		}
		if n <= 2 {
			two++
		}
	}
	if two < 350 || two == 376 {
		t.Errorf("%d of 376 columns have two values, want most", two)
	}
	if n := distinct(y); n < 500 {
		t.Errorf("%d labels, want numbers", n)
	}
	if best := strongest(x, y); best < 0.1 {
		t.Errorf("no column says anything of the label: %.3f at most", best)
	}
}
