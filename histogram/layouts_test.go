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

// sparseTable makes features of all widths that mostly have one code, the last one
// being all set in no row and the one before in every row.
func sparseTable(t testing.TB, seed uint64, rows int, share float64) *table {
	t.Helper()
	nCodes := []uint32{2, 2, 2, 5, 16, 40, 256, 257, 3000, 66_000, 2, 2, 9, 3}
	shares := slices.Repeat([]float64{share}, len(nCodes))
	shares[len(shares)-2], shares[len(shares)-1] = 1, 0
	return defaultBinTable(t, seed, rows, nCodes, shares)
}

// restTable has a share of the cells of each column that are outside the default bin.
func defaultBinTable(t testing.TB, seed uint64, rows int, nCodes []uint32, shares []float64) *table {
	t.Helper()
	d := newTable(t, seed, rows, nCodes, binning.Adaptive)
	r := rand.New(rand.NewPCG(seed, 1))
	for f, column := range d.codes {
		defaultBin := r.Uint32N(nCodes[f])
		for row := range column {
			if r.Float64() >= shares[f] {
				column[row] = defaultBin
			}
		}
	}
	m, err := binning.FromCodes(d.codes, nCodes, binning.Adaptive)
	if err != nil {
		t.Fatal(err)
	}
	d.matrix = m
	return d
}

// in returns the table's matrix in another layout.
func (d *table) in(t testing.TB, p binning.Params, pool *parallel.Pool) *binning.Matrix {
	t.Helper()
	hasMissing := make([]bool, len(d.codes))
	for f := range hasMissing {
		hasMissing[f] = f%2 == 0 && d.matrix.FeatureInfo(f).NBins > 1
	}
	codes, err := d.matrix.Codes(hasMissing)
	if err != nil {
		t.Fatal(err)
	}
	m, err := codes.Matrix(t.Context(), p, pool)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var layouts = map[string]binning.Params{
	"S1.14/row":            {Layout: "row", Bundle: "off"},
	"S1.6/csr":             {Layout: "csr"},
	"S1.25/ellpack":        {Layout: "ellpack"},
	"S1.16/mask":           {Layout: "col", MissingAs: "mask"},
	"bundles":              {Layout: "col", Bundle: "on"},
	"S1.14/row_of_bundles": {Layout: "row", Bundle: "on", Storage: "uniform"},
}

// Every layout gives the plain reference's sums: dense, sparse and empty rows, all rows
// and few of them, all builders that the layout has.
func TestLayouts(t *testing.T) { layoutsOf(t, testenv.UnlessShort(70_000, 0)) }

// layoutsOf tries tables of so many rows beside small ones, 0 for none.
func layoutsOf(t *testing.T, many int) {
	for name, p := range layouts {
		t.Run(name, func(t *testing.T) {
			pool := parallel.NewPool(3)
			defer pool.Close()
			r := rand.New(rand.NewPCG(9, 9))
			for _, shape := range []struct {
				share float64
				rows  int
			}{{0.01, 700}, {0.2, 1}, {0.2, 700}, {0.9, 700}, {0.05, many}} {
				if share, rows := shape.share, shape.rows; rows > 0 {
					d := sparseTable(t, r.Uint64(), rows, share)
					m := d.in(t, p, pool)
					if p.Bundle == "on" && rows > 1 && share < 0.1 && !m.Bundled() && m.ByRow() == nil {
						t.Fatal("nothing is bundled")
					}
					used := modes[:testenv.UnlessShort(2, 1)]
					if rows == many && !testenv.Soak() {
						used = modes[:1]
					}
					for _, mode := range used {
						st := d.storage(t, mode, pool)
						for _, part := range []float64{1, 0.03, 0} {
							in := d.sample(r, part)
							want := d.reference(st, in)
							for _, s := range strategies {
								if _, _, err := histogram.Choose(s.String(), m, false, 3); err != nil {
									continue
								}
								b := histogram.New(m, nil, pool, s)
								h := &histogram.Histogram{}
								poison(h, b.Slots())
								for range 2 {
									b.Build(h, st, runsOf(st, in))
									d.check(t, fmt.Sprintf("%v, %v, %d of %d rows, share %v", mode, s, len(in), rows, share), h, st, d.all(), want)
								}
							}
						}
					}
				}
			}
		})
	}
}

// A row-major copy of bundles, with some of their features active.
func TestRowMajorCopyOfBundles(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	d := sparseTable(t, 5, 5000, 0.02)
	m := d.in(t, binning.Params{Layout: "col", Bundle: "on"}, pool)
	var groups []int
	for u, group := range m.FeatureGroups() {
		if group.NBins <= 256 {
			groups = append(groups, u)
		}
	}
	rowMajor := binning.NewRowMajor(m, groups, pool)
	st := d.storage(t, form{Mode: gradients.I16}, pool)
	in := d.sample(rand.New(rand.NewPCG(1, 1)), 0.5)
	want := d.reference(st, in)
	for _, features := range [][]int{{0}, {1, 4, 7}, d.all()} {
		b := histogram.New(m, rowMajor, pool, histogram.RowParallel)
		b.SetFeatures(features)
		h := &histogram.Histogram{}
		b.Build(h, st, runsOf(st, in))
		d.check(t, fmt.Sprint(features), h, st, features, want)
	}
}

// Builders that read columns are refused where there are none.
func TestChooseByLayout(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	d := sparseTable(t, 6, 300, 0.1)
	for _, layout := range []string{"row", "csr", "ellpack"} {
		m := d.in(t, binning.Params{Layout: layout}, pool)
		if _, _, err := histogram.Choose("feature", m, false, 4); err == nil {
			t.Errorf("S2.18: layout %q has a builder by features", layout)
		}
		if s, _, err := histogram.Choose("auto", m, false, 4); err != nil || s == histogram.FeatureParallel {
			t.Errorf("layout %q: %v, %v", layout, s, err)
		}
	}
}

// Slot-major symbols give the sums that the stream gives.
func TestSlotMajorSymbols(t *testing.T) {
	t.Run("S1.25/slot_major", func(t *testing.T) {
		pool := parallel.NewPool(1)
		defer pool.Close()
		for _, share := range []float64{0, 0.05, 0.8} {
			d := sparseTable(t, 7, 400, share)
			m := d.in(t, binning.Params{Layout: "ellpack"}, pool)
			st := d.storage(t, form{Mode: gradients.I16}, pool)
			e, entries := m.Ellpack(), runsOf(st, d.sample(rand.New(rand.NewPCG(2, 2)), 0.5))[0].Entries
			slots := int(m.Offsets()[m.NFeatures()])
			want, got := make([]uint64, slots), make([]uint64, slots)
			stream := hist.Symbols{PerRow: e.RowStride, Null: e.Null, Packed: e.Stream(), Bits: e.SymbolBits}
			hist.OneWordSymbols(want, &stream, entries)
			bySlot := hist.Symbols{PerRow: e.RowStride, Null: e.Null, SlotStride: (m.NRows() + 31) / 32 * 32}
			bySlot.U8, bySlot.U16, bySlot.U32 = e.SlotMajor()
			hist.OneWordSymbols(got, &bySlot, entries)
			if !slices.Equal(got, want) {
				t.Errorf("share %v: other sums", share)
			}
			if share > 0 && slices.Max(want) == 0 {
				t.Error("nothing was added up")
			}
		}
	})
}

// withLists returns the table in CSR, with the cells by feature.
func (d *table) withLists(t *testing.T, pool *parallel.Pool) *binning.Matrix {
	t.Helper()
	hasMissing := make([]bool, len(d.codes))
	for f := range hasMissing {
		hasMissing[f] = f%2 == 0 && d.matrix.FeatureInfo(f).NBins > 1
	}
	codes, err := d.matrix.Codes(hasMissing)
	if err != nil {
		t.Fatal(err)
	}
	codes.KeepLists()
	m, err := codes.Matrix(t.Context(), binning.Params{Layout: "csr"}, pool)
	if err != nil || !m.CSR().ByFeature() {
		t.Fatalf("cells by feature: %v, %v", m.CSR().ByFeature(), err)
	}
	if m.DropLists().CSR().ByFeature() || !m.CSR().ByFeature() {
		t.Error("lists are not dropped, or from the matrix itself")
	}
	return m
}

// A Direct gives the reference's sums for every feature with enough stored cells, and
// lists no other.
func TestSparseSums(t *testing.T) {
	testenv.Unraced(t)
	r := rand.New(rand.NewPCG(31, 32))
	for threads := 1; threads <= 5; threads += 2 {
		pool := parallel.NewPool(threads)
		for _, share := range []float64{0.002, 0.1, 0.6} {
			for _, rows := range []int{1, 900, 70_000} {
				if rows > 1000 && (testing.Short() || share != 0.1) {
					continue
				}
				d := sparseTable(t, r.Uint64(), rows, share)
				m := d.in(t, binning.Params{Layout: "csr"}, pool)
				if threads == 3 { // large nodes are added up by columns
					m = d.withLists(t, pool)
				}
				sparseSums := histogram.NewSparseSums(m, pool)
				for _, mode := range modes[:2] {
					st := d.storage(t, mode, pool)
					for _, part := range []float64{1, 0.4, 0.05} {
						in := d.sample(r, part)
						features := d.all()
						if r.IntN(2) == 0 {
							features = []int{0, 2, 3, 7, 9, 12}
						}
						least := []uint64{0, 1, 20}[r.IntN(3)]
						sums := sparseSums.Build(st, runsOf(st, in), histogram.TotalOf(st, runsOf(st, in)), features, least)
						checkSparseSums(t, d, m, sums, st, in, features, max(least, 1))
						child := d.sample(r, []float64{0.1, 0.6}[r.IntN(2)])
						child = slices.DeleteFunc(child, func(row uint32) bool { _, ok := slices.BinarySearch(in, row); return !ok })
						gone := histogram.TotalOf(st, runsOf(st, child))
						if r.IntN(2) == 0 {
							sparseSums.Subtract(sums, st, runsOf(st, child), gone)
						} else {
							own := sparseSums.Divide(sums, st, runsOf(st, child), gone, features, max(least, 7))
							checkSparseSums(t, d, m, own, st, child, features, max(least, 7))
						}
						other := slices.DeleteFunc(in, func(row uint32) bool { _, ok := slices.BinarySearch(child, row); return ok })
						checkSums(t, d, m, sums, st, other)
						sparseSums.Release(sums, false)
					}
				}
			}
		}
		pool.Close()
	}
}

// Rows are added up by columns where runs are much shorter than blocks, and workers take them side by side.
func TestSparseSumsOfShortRuns(t *testing.T) {
	testenv.Unraced(t)
	pool := parallel.NewPool(2)
	defer pool.Close()
	const rows, stretch = 40_000, 20_032
	d := sparseTable(t, 1, rows, 0.1)
	m := d.withLists(t, pool)
	st := d.storage(t, form{Mode: gradients.I16}, pool)
	sparseSums := histogram.NewSparseSums(m, pool)
	for _, part := range []float64{1, 0.7} {
		in := d.sample(rand.New(rand.NewPCG(1, 2)), part)
		for range 20 {
			var runs []histogram.Run
			for lo, defaultBin := 0, in; lo < rows; lo += stretch {
				var of []uint16
				for ; len(defaultBin) > 0 && int(defaultBin[0]) < lo+stretch; defaultBin = defaultBin[1:] {
					of = append(of, uint16(int(defaultBin[0])-lo))
				}
				runs = append(runs, histogram.Run{First: lo, Entries: make([]uint64, len(of))})
				st.Entries(runs[len(runs)-1].Entries, lo, of)
			}
			sums := sparseSums.Build(st, runs, histogram.TotalOf(st, runs), d.all(), 1)
			checkSums(t, d, m, sums, st, in)
			sparseSums.Release(sums, false)
		}
	}
}

func checkSparseSums(t *testing.T, d *table, m *binning.Matrix, sums *histogram.NodeSums, st *gradients.Storage, in []uint32, features []int, least uint64) {
	t.Helper()
	for _, f := range features {
		defaultBin, _ := m.DefaultBin(f)
		stored := uint64(0)
		for _, row := range in {
			if d.codes[f][row] != defaultBin {
				stored++
			}
		}
		if slices.Contains(sums.Features, int32(f)) != (stored >= least) {
			t.Fatalf("feature %d with %d stored cells, of which %d are enough: %v", f, stored, least, sums.Features)
		}
	}
	checkSums(t, d, m, sums, st, in)
}

func checkSums(t *testing.T, d *table, m *binning.Matrix, sums *histogram.NodeSums, st *gradients.Storage, in []uint32) {
	t.Helper()
	for i, f := range sums.Features {
		defaultBin, _ := m.DefaultBin(int(f))
		n := m.FeatureInfo(int(f)).NBins
		grad, hess, count := make([]int64, n), make([]uint64, n), make([]uint32, n)
		sums.Feature(i, defaultBin, grad, hess, count)
		for code, want := range d.naive(st, in, int(f)) {
			if grad[code] != want.grad || hess[code] != want.hess || count[code] != want.count {
				t.Fatalf("S1.6: code %d of feature %d: (%d, %d) of %d rows, want (%d, %d) of %d",
					code, f, grad[code], hess[code], count[code], want.grad, want.hess, want.count)
			}
		}
	}
}

// What a pass added up for features that were not active is gone when they are.
func TestActiveFeaturesChange(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	for name, p := range layouts {
		d := sparseTable(t, 12, 900, 0.3)
		m := d.in(t, p, pool)
		in := d.sample(rand.New(rand.NewPCG(4, 4)), 0.7)
		for _, mode := range modes[:2] {
			st := d.storage(t, mode, pool)
			want := d.reference(st, in)
			b := histogram.New(m, nil, pool, histogram.RowParallel)
			h := &histogram.Histogram{}
			for _, features := range [][]int{{1, 3, 9}, {0, 2, 5, 12}, d.all(), {4}, d.all()} {
				b.SetFeatures(features)
				b.Build(h, st, runsOf(st, in))
				d.check(t, fmt.Sprint(name, mode, features), h, st, features, want)
			}
		}
	}
}

// A node's histogram takes no memory of its own in any layout, once the builder is warm.
func TestAllocationsByLayout(t *testing.T) {
	testenv.Memory(t)
	pool := parallel.NewPool(2)
	defer pool.Close()
	d := sparseTable(t, 15, 70_000, 0.1)
	r := rand.New(rand.NewPCG(15, 0))
	for name, p := range layouts {
		m := d.in(t, p, pool)
		for _, mode := range modes[:2] {
			st := d.storage(t, mode, pool)
			nodes := [][]histogram.Run{runsOf(st, d.sample(r, 1)), runsOf(st, d.sample(r, 0.1)), runsOf(st, d.sample(r, 0.001))}
			for _, s := range strategies {
				if _, _, err := histogram.Choose(s.String(), m, false, 3); err != nil {
					continue
				}
				t.Run(fmt.Sprintf("S1.12/%s/%v/%v", name, mode, s), func(t *testing.T) {
					b := histogram.New(m, nil, pool, s)
					buffers := histogram.NewPool()
					build := func() {
						for _, runs := range nodes {
							h := buffers.Get()
							b.Build(h, st, runs)
							buffers.Put(h)
						}
					}
					build()
					if got := testing.AllocsPerRun(3, build); got != 0 {
						t.Errorf("three nodes allocate %v times", got)
					}
				})
			}
		}
	}
}

// Tiles hold every active feature once and the plain reference's sums: few tiles for one
// worker, and with several as many as keep all of them busy.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	made := map[bool]int{}
	for try := range testenv.UnlessShort(42, 8) {
		nCodes, rows := make([]uint32, 1+r.IntN(90)), 300+r.IntN(1500)
		lineSlots := []int{1, 1 << 17}[try%2] // from which on there are tiles for all rows
		flushed := try >= 40                  // sums of more rows than one word holds
		if flushed {
			nCodes, rows = make([]uint32, 3), 2*hist.BlockRows+hist.BlockRows/2
		}
		restore := histogram.SetLineSlots(lineSlots)
		for f := range nCodes {
			nCodes[f] = []uint32{2, 4, 16, 255, 256, 300}[r.IntN(6)]
		}
		if flushed {
			nCodes[0] = 1 // all rows in one slot
		}
		d := newTable(t, r.Uint64(), rows, nCodes, binning.Adaptive)
		for row := range d.hess {
			if flushed {
				d.hess[row] = 1 // the largest code
			}
		}
		pool := parallel.NewPool(1 + r.IntN(4))
		st := d.storage(t, form{Mode: gradients.I16}, pool)
		share := []float64{1, 0.2}[r.IntN(2)]
		if flushed {
			share = 1
		}
		in := d.sample(r, share)
		want := d.reference(st, in)
		features := d.all()
		if r.IntN(2) == 0 {
			features = slices.DeleteFunc(features, func(int) bool { return r.IntN(3) == 0 })
		}
		for _, rowMajor := range d.rowMajorCopies(form{Mode: gradients.I16}, pool) {
			for _, s := range strategies {
				b := histogram.New(d.matrix, rowMajor, pool, s)
				b.SetFeatures(features)
				for _, alone := range []bool{true, false} {
					h := &histogram.Histogram{}
					poison(h, b.Slots())
					tiles := b.Tiles(h, st, runsOf(st, in), histogram.TotalOf(st, runsOf(st, in)), alone)
					made[tiles > 1]++
					if tiles == 0 {
						continue
					}
					got := make([][]int, tiles)
					task := parallel.Func(func(worker, i int) { got[i] = slices.Clone(b.Tile(worker, i)) })
					if alone {
						for i := range tiles {
							task(0, i)
						}
					} else {
						pool.Do(tiles, task)
					}
					b.EndTiles()
					name := fmt.Sprintf("try %d: %v, %d tiles, alone %v", try, s, tiles, alone)
					for _, part := range got {
						if !slices.IsSorted(part) {
							t.Errorf("%s: features %v of one do not ascend", name, part)
						}
					}
					if all := slices.Sorted(slices.Values(slices.Concat(got...))); !slices.Equal(all, features) {
						t.Fatalf("%s: they hold the features %v of %v", name, all, features)
					}
					d.check(t, name, h, st, features, want)
				}
			}
		}
		restore()
		pool.Close()
	}
	if made[true] == 0 {
		t.Error("nothing is made of several tiles")
	}
}
