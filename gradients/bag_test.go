package gradients_test

import (
	"math"
	"slices"
	"testing"

	"boost/gradients"
	"boost/internal/rng"
	"boost/parallel"
)

// rowsOf lists the bag's rows.
func rowsOf(b *gradients.Bag, rows int) []uint32 {
	var in []uint32
	for i := range parallel.Blocks(rows, 1<<16) {
		for _, r := range b.Block(i) {
			in = append(in, uint32(i<<16)+uint32(r))
		}
	}
	return in
}

func TestBagSample(t *testing.T) {
	const rows = 150_000
	pool := parallel.NewPool(3)
	defer pool.Close()
	one := parallel.NewPool(1)
	defer one.Close()
	bag := gradients.NewBag(rows)
	if bag.Len() != 0 {
		t.Errorf("a new bag holds %d rows", bag.Len())
	}
	for _, fraction := range []float64{0, 0.001, 0.3, 0.9, 1} {
		bag.Sample(pool, 5, 2, fraction)
		in := rowsOf(bag, rows)
		if len(in) != bag.Len() || !slices.IsSorted(in) {
			t.Fatalf("fraction %v: %d rows listed, Len() = %d, sorted %v", fraction, len(in), bag.Len(), slices.IsSorted(in))
		}
		// Five standard deviations of a binomial.
		if want := fraction * rows; math.Abs(float64(len(in))-want) > 5*math.Sqrt(want*(1-fraction)) {
			t.Errorf("fraction %v: %d of %d rows", fraction, len(in), rows)
		}
		// A row is in by its own draw.
		key := rng.Key(5, rng.RowSample, 2, 0)
		for row, next := uint32(0), 0; row < rows; row++ {
			is := next < len(in) && in[next] == row
			if is {
				next++
			}
			if want := rng.Unit(rng.Draw(key, uint64(row))) < fraction; is != want {
				t.Fatalf("fraction %v: row %d is in the bag: %v, its draw says %v", fraction, row, is, want)
			}
		}
		again := gradients.NewBag(rows)
		again.Sample(one, 5, 2, fraction)
		if !slices.Equal(in, rowsOf(again, rows)) {
			t.Errorf("fraction %v: one and three threads draw different bags", fraction)
		}
		outside := bag.Outside([]uint32{42})
		if outside[0] != 42 {
			t.Fatal("Outside does not append")
		}
		all := append(slices.Clone(outside[1:]), in...)
		if !slices.IsSorted(outside[1:]) {
			t.Errorf("fraction %v: rows outside do not ascend", fraction)
		}
		slices.Sort(all)
		for row := range uint32(rows) {
			if len(all) != rows || all[row] != row {
				t.Fatalf("fraction %v: the bag's %d rows and the %d outside are not all rows once", fraction, len(in), len(outside)-1)
			}
		}
	}
	bag.Sample(pool, 5, 0, 0.5)
	a := rowsOf(bag, rows)
	bag.Sample(pool, 5, 1, 0.5)
	b := rowsOf(bag, rows)
	bag.Sample(pool, 6, 0, 0.5)
	if slices.Equal(a, b) || slices.Equal(a, rowsOf(bag, rows)) {
		t.Error("rounds or seeds share their bags")
	}
	bag.Sample(pool, 5, 0, 0.5)
	if !slices.Equal(a, rowsOf(bag, rows)) {
		t.Error("the same seed and round give another bag")
	}
}
