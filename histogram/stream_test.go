package histogram_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

// Rows that are added up as they come give the plain reference's sums, in every layout that
// has sums by rows, by one worker, whose packed sums have to be flushed, and by several.
func TestStream(t *testing.T) {
	one := parallel.NewPool(1)
	defer one.Close()
	form := form{Mode: gradients.I16}
	rows := 2*hist.BlockRows + 1000
	if testing.Short() {
		rows = hist.BlockRows + 1000
	}
	d := sparseTable(t, 3, rows, 0.2)
	matrices := map[string]*binning.Matrix{"col": d.matrix}
	for name, p := range layouts {
		if p.MissingAs != "mask" {
			matrices[name] = d.in(t, p, one)
		}
	}
	st := d.storage(t, form, one)
	r := rand.New(rand.NewPCG(2, 0))
	for _, share := range []float64{1, 0.6, 0.02} {
		in := d.sample(r, share)
		want, runs := d.reference(st, in), runsOf(st, in)
		total := histogram.TotalOf(st, runs)
		for _, threads := range []int{1, 3} {
			pool := parallel.NewPool(threads)
			for name, m := range matrices {
				copies := []*binning.RowMajor{nil}
				if name == "col" {
					copies = d.rowMajorCopies(form, pool)
				}
				for i, rowMajor := range copies {
					b := histogram.New(m, rowMajor, pool, histogram.RowParallel)
					h := &histogram.Histogram{}
					for turn := range 2 {
						if turn > 0 {
							poison(h, b.Slots())
						}
						b.Stream(h, st)
						pool.Do(len(runs)+threads-1, parallel.Func(func(worker, run int) {
							if run < len(runs) {
								b.Add(worker, runs[run].First, runs[run].Entries)
							} else {
								b.Help(worker)
							}
						}))
						pool.Do(b.EndStream(len(in), total), parallel.Func(func(worker, part int) { b.Tile(worker, part) }))
						b.EndTiles()
						d.check(t, fmt.Sprintf("%s, copy %d, %d threads, turn %d, %d of %d rows", name, i, threads, turn, len(in), rows), h, st, d.all(), want)
					}
				}
			}
			pool.Close()
		}
	}
}

// Rows that one worker has in hand are added up by the others, each row by one of them.
func TestHelp(t *testing.T) {
	const threads = 4
	pool := parallel.NewPool(threads)
	defer pool.Close()
	form := form{Mode: gradients.I16}
	d := sparseTable(t, 3, 20_000, 0.2)
	st, in := d.storage(t, form, pool), d.sample(rand.New(rand.NewPCG(2, 0)), 1)
	runs := runsOf(st, in)
	b, h := histogram.New(d.matrix, nil, pool, histogram.RowParallel), &histogram.Histogram{}
	b.Stream(h, st)
	b.Offer(threads-1, runs[0].First, runs[0].Entries)
	pool.Do(threads-1, parallel.Func(func(_, i int) { b.Help(i) }))
	pool.Do(b.EndStream(len(in), histogram.TotalOf(st, runs)), parallel.Func(func(worker, part int) { b.Tile(worker, part) }))
	b.EndTiles()
	d.check(t, "rows of another worker", h, st, d.all(), d.reference(st, in))
}

// What is added up as it comes is what would be in a pass over rows, not by features: integer
// codes in one word, many rows, where neither few slots are touched nor tiles are cheaper, and
// where there is a block of rows for each worker.
func TestStreams(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	const block = hist.BlockRows
	all := newTable(t, 1, block+1, []uint32{100, 50, 16, 2, 7, 9, 20, 20, 20, 30, 11, 13}, binning.Adaptive)
	few := newTable(t, 1, block, []uint32{100, 50, 16, 2, 7, 9, 20, 20, 20, 30, 11, 13}, binning.Adaptive)
	slots := newTable(t, 1, block+1, []uint32{40_000, 3}, binning.Adaptive)
	rowMajor := binning.NewRowMajor(all.matrix, all.byteColumns, pool)
	tests := map[string]struct {
		table    *table
		rowMajor *binning.RowMajor
		strategy histogram.Strategy
		mode     gradients.Mode
		rows     int
		want     bool
	}{
		"all rows, by column":        {all, nil, histogram.RowParallel, gradients.I16, block + 1, true},
		"of 8 bits":                  {all, nil, histogram.RowParallel, gradients.I8, block + 1, true},
		"more rows than slots":       {all, rowMajor, histogram.RowParallel, gradients.I16, 12*hist.Slots + 1, true},
		"fewer rows than slots":      {all, rowMajor, histogram.RowParallel, gradients.I16, 12 * hist.Slots, false},
		"a small node":               {all, nil, histogram.RowParallel, gradients.I16, 2499, false},
		"a larger one":               {all, nil, histogram.RowParallel, gradients.I16, 2500, true},
		"by features":                {all, nil, histogram.FeatureParallel, gradients.I16, 4000, false},
		"by one worker":              {all, nil, histogram.Sequential, gradients.I16, 4000, false},
		"of 32 bits":                 {all, nil, histogram.RowParallel, gradients.I32, 4000, false},
		"floats":                     {all, nil, histogram.RowParallel, gradients.F32, 4000, false},
		"many rows for their slots":  {slots, nil, histogram.RowParallel, gradients.I16, 15_001, true},
		"few rows for so many slots": {slots, nil, histogram.RowParallel, gradients.I16, 5000, false},
		"too few blocks":             {few, nil, histogram.RowParallel, gradients.I16, 11 * block, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := histogram.New(test.table.matrix, test.rowMajor, pool, test.strategy)
			if got := b.Streams(test.table.storage(t, form{Mode: test.mode}, pool), test.rows); got != test.want {
				t.Errorf("%d rows are added up as they come: %v", test.rows, got)
			}
		})
	}
}
