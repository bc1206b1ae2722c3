package histogram_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/testenv"
	"boost/parallel"
)

// listTable has columns of all widths, of whose cells about a share is outside the default bin.
func listTable(t testing.TB, seed uint64, rows, columns int, share float64) *table {
	t.Helper()
	widths := []uint32{2, 3, 256, 17, 255, 6, 100, 16, 300, 2}
	nCodes := slices.Repeat(widths, columns/len(widths)+1)[:columns]
	return defaultBinTable(t, seed, rows, nCodes, slices.Repeat([]float64{share}, columns))
}

// Sums by lists of slots are the plain reference's: of large and small nodes, alone and by
// workers, by tiles, by rows and as they come, with rounds of wider codes between them.
func TestLists(t *testing.T) {
	one := parallel.NewPool(1)
	defer one.Close()
	for _, c := range []struct {
		rows, columns int
		share         float64
	}{{3000, 90, 0.2}, {700, 300, 0.1}, {2*hist.BlockRows + 3000, 40, 0.15}} {
		if testing.Short() && c.rows > hist.BlockRows {
			c.rows = hist.BlockRows + 500
		}
		d := listTable(t, 1, c.rows, c.columns, c.share)
		modes := []form{{Mode: gradients.I16}, {Mode: gradients.I8}, {Mode: gradients.I32}}
		var storages []*gradients.Storage
		for _, mode := range modes {
			storages = append(storages, d.storage(t, mode, one))
		}
		r := rand.New(rand.NewPCG(9, 0))
		for _, threads := range []int{5, 2, 1}[:testenv.UnlessShort(3, 1)] {
			pool := parallel.NewPool(threads)
			for i, rowMajor := range d.rowMajorCopies(modes[0], pool)[1:] {
				lists, bytes := histogram.NewLists(d.matrix, rowMajor, pool, 1<<40)
				if lists == nil || bytes < int64(c.rows)*4 {
					t.Fatalf("%d × %d, copy %d: no lists, or of %d bytes", c.rows, c.columns, i, bytes)
				}
				if other, _ := histogram.NewLists(d.matrix, rowMajor, pool, bytes-1); other != nil {
					t.Fatalf("lists take %d bytes where there is one less", bytes)
				}
				for _, s := range []histogram.Strategy{histogram.Sequential, histogram.RowParallel} {
					b := histogram.New(d.matrix, rowMajor, pool, s)
					b.UseLists(lists)
					h := &histogram.Histogram{}
					for _, share := range []float64{1, 0.5, 0.03, 1, 0.001} {
						k := r.IntN(len(modes))
						if share == 1 {
							k = 0
						}
						st, in, features := storages[k], d.sample(r, share), d.all()
						if r.IntN(3) == 0 {
							features = features[:len(features)-1-r.IntN(len(features)/4)]
						}
						b.SetFeatures(features)
						poison(h, b.Slots())
						want, runs := d.reference(st, in), runsOf(st, in)
						name := fmt.Sprintf("%d × %d, %d threads, copy %d, %v, %v, %d rows", c.rows, c.columns, threads, i, s, modes[k], len(in))
						b.Build(h, st, runs)
						d.check(t, name, h, st, features, want)
						if !b.Streams(st, len(in)) {
							continue
						}
						poison(h, b.Slots())
						b.Stream(h, st)
						pool.Do(len(runs), parallel.Func(func(worker, run int) { b.Add(worker, runs[run].First, runs[run].Entries) }))
						pool.Do(b.EndStream(len(in), histogram.TotalOf(st, runs)), parallel.Func(func(worker, part int) { b.Tile(worker, part) }))
						d.check(t, name+" as they come", h, st, features, want)
					}
				}
			}
			pool.Close()
		}
	}
}

// Where most codes are outside the default bin, a list would be as long as a row.
func TestNoLists(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	for _, d := range []*table{listTable(t, 2, 4000, 60, 0.95), listTable(t, 2, 4000, 6, 0.1)} {
		rowMajor := binning.NewRowMajor(d.matrix, d.byteColumns, pool)
		if lists, bytes := histogram.NewLists(d.matrix, rowMajor, pool, 1<<40); lists != nil || bytes != 0 {
			t.Errorf("lists of %d bytes for %d columns", bytes, len(d.byteColumns))
		}
	}
}
