package histogram_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/internal/testenv"
	"boost/parallel"
)

// Every builder, mode, layout and number of threads gives the plain reference's sums.
func TestBuilders(t *testing.T) {
	workers := []int{3, 1, 8, 2, 5}[:testenv.ByLength(5, 3, 1)]
	builders(t, testenv.ByLength(80_000, hist.BlockRows+4500, 10_000), workers)
}

func builders(t *testing.T, rows int, workers []int) {
	one := parallel.NewPool(1)
	defer one.Close()
	r := rand.New(rand.NewPCG(1, 0))
	d := newTable(t, 1, rows, allWidths, binning.Adaptive)
	for _, mode := range modes {
		id := "S2.21/" + mode.String()
		if mode.Mode == gradients.F32 {
			id = "S2.22/f32"
		}
		t.Run(id, func(t *testing.T) {
			st := d.storage(t, mode, one)
			for _, share := range []float64{1, 0.05} {
				in := d.sample(r, share)
				want, runs := d.reference(st, in), runsOf(st, in)
				for _, threads := range workers {
					pool := parallel.NewPool(threads)
					for _, s := range strategies {
						for i, rowMajor := range d.rowMajorCopies(mode, pool) {
							b := histogram.New(d.matrix, rowMajor, pool, s)
							h := &histogram.Histogram{}
							poison(h, b.Slots())
							b.Build(h, st, runs)
							d.check(t, fmt.Sprintf("%v, %d threads, copy %d, %d of %d rows", s, threads, i, len(in), rows), h, st, d.all(), want)
						}
					}
					pool.Close()
				}
			}
		})
	}
}

// Small nodes of every shape, all six builders on columns of all widths.
func TestSmallNodes(t *testing.T) {
	testenv.Unraced(t)
	pool := parallel.NewPool(2)
	defer pool.Close()
	for _, storage := range []string{binning.Adaptive, binning.Uniform} {
		for _, mode := range modes {
			for _, s := range strategies {
				family := "quantized"
				if mode.Mode == gradients.F32 {
					family = "f32"
				}
				t.Run(fmt.Sprintf("S2.17/S2.18/%s_%v/%v/%s", family, s, mode, storage), func(t *testing.T) {
					r := rand.New(rand.NewPCG(2, uint64(mode.Mode)))
					for range testenv.ByLength(5, 2, 1) {
						rows := 1 + r.IntN(9000)
						nCodes := slices.Clone(allWidths[:1+r.IntN(len(allWidths))])
						r.Shuffle(len(nCodes), func(i, j int) { nCodes[i], nCodes[j] = nCodes[j], nCodes[i] })
						d := newTable(t, r.Uint64(), rows, nCodes, storage)
						st := d.storage(t, mode, pool)
						in := d.sample(r, []float64{0, 0.01, 0.5, 1}[r.IntN(4)])
						for i, rowMajor := range d.rowMajorCopies(mode, pool) {
							b := histogram.New(d.matrix, rowMajor, pool, s)
							h := &histogram.Histogram{}
							b.Build(h, st, runsOf(st, in))
							d.check(t, fmt.Sprintf("%d of %d rows, codes %v, copy %d", len(in), rows, nCodes, i), h, st, d.all(), d.reference(st, in))
							checkTotals(t, d, h, st, in)
						}
					}
				})
			}
		}
	}
}

// checkTotals holds the slots of every feature to the node's totals (S2.17, S2.26).
func checkTotals(t *testing.T, d *table, h *histogram.Histogram, st *gradients.Storage, rows []uint32) {
	t.Helper()
	offsets := d.matrix.Offsets()
	for f := range d.codes {
		count, grad := 0, int64(0)
		for at := offsets[f]; at < offsets[f+1]; at++ {
			if st.Counts() {
				count += int(h.Count[at])
			}
			if st.Mode() != gradients.F32 {
				sum, _ := h.At(int(at))
				grad += sum
			}
		}
		if st.Counts() && count != len(rows) {
			t.Fatalf("feature %d counts %d rows of %d", f, count, len(rows))
		}
		var want int64
		if st.Mode() != gradients.F32 {
			for _, row := range rows {
				grad, _ := st.Code(int(row))
				want += grad
			}
		}
		if grad != want {
			t.Fatalf("feature %d sums to %d, the rows to %d", f, grad, want)
		}
	}
}

// inTurn stands in a list of strategies for builders of all of them that take turns.
const inTurn = histogram.RowParallel + 1

// One builder, or several in turn, is taken through nodes, modes and sets of features in random
// order, into histograms full of old values: nothing of an earlier pass may show.
func TestNoStaleValues(t *testing.T) {
	testenv.Unraced(t)
	for i, s := range append(slices.Clone(strategies), inTurn, inTurn, histogram.Sequential) {
		rows := 70_000
		if i > len(strategies) { // few enough for packed sums, which rounds of wider codes leave
			rows = 20_000
		}
		for _, inRowMajor := range []bool{false, true} {
			if s == inTurn && !inRowMajor {
				continue
			}
			t.Run(fmt.Sprintf("S2.20/%s/row_major=%v/rows=%d", []string{"sequential", "feature", "row", "in_turn"}[s], inRowMajor, rows), func(t *testing.T) {
				pool := parallel.NewPool(3)
				defer pool.Close()
				r := rand.New(rand.NewPCG(3, uint64(s)))
				d := newTable(t, 3, rows, []uint32{5, 200, 16, 1000, 256, 70_000, 255, 300, 9, 100}, binning.Adaptive)
				var rowMajor *binning.RowMajor
				if inRowMajor {
					rowMajor = binning.NewRowMajor(d.matrix, d.byteColumns, pool)
				}
				stores := map[form]*gradients.Storage{}
				for _, m := range modes {
					stores[m] = d.storage(t, m, pool)
				}
				builders := []*histogram.Builder{histogram.New(d.matrix, rowMajor, pool, s%inTurn)}
				if s == inTurn {
					builders = nil
					for _, strategy := range strategies {
						builders = append(builders, histogram.New(d.matrix, rowMajor, pool, strategy), histogram.New(d.matrix, nil, pool, strategy))
					}
				}
				var b *histogram.Builder
				p := histogram.NewPool()
				steps := 25
				if testing.Short() {
					steps = 12
				}
				for step := range steps {
					st := stores[modes[r.IntN(len(modes))]]
					var features []int
					keep := r.Float64()
					for f := range d.codes {
						if r.Float64() < keep {
							features = append(features, f)
						}
					}
					in := d.sample(r, []float64{0.0005, 0.01, 0.07, 0.5, 1}[r.IntN(5)])
					if step >= steps-2 { // twice more rows than packed sums can take
						st, in, features = stores[modes[0]], d.sample(r, 1), d.all()
					}
					h := p.Get()
					b = builders[r.IntN(len(builders))]
					b.SetFeatures(features)
					b.Build(h, st, runsOf(st, in))
					want := map[int][]slot{}
					for _, f := range features {
						want[f] = d.naive(st, in, f)
					}
					d.check(t, fmt.Sprintf("step %d, %v, %d rows, features %v", step, st.Mode(), len(in), features), h, st, features, want)
					poison(h, b.Slots())
					p.Put(h)
				}
			})
		}
	}
	// A wave of several float groups, then a small node over more slots.
	t.Run("S2.20/f32_waves_of_different_sizes", func(t *testing.T) {
		pool := parallel.NewPool(2)
		defer pool.Close()
		d := newTable(t, 4, 5000, []uint32{20, 20, 20, 20, 20, 20, 5000, 5000, 5000}, binning.Adaptive)
		st := d.storage(t, form{Mode: gradients.F32}, pool)
		in := d.sample(nil, 1)
		b := histogram.New(d.matrix, nil, pool, histogram.RowParallel)
		for _, features := range [][]int{{0, 1, 2, 3, 4, 5}, {6, 7, 8}} {
			h := &histogram.Histogram{}
			b.SetFeatures(features)
			b.Build(h, st, runsOf(st, in))
			d.check(t, fmt.Sprint("features ", features), h, st, features, d.reference(st, in))
		}
	})
}

func TestAllocations(t *testing.T) {
	testenv.Memory(t)
	pool := parallel.NewPool(2)
	defer pool.Close()
	d := newTable(t, 5, 140_000, []uint32{5, 200, 16, 1000, 256, 255, 100}, binning.Adaptive)
	r := rand.New(rand.NewPCG(5, 0))
	for _, mode := range modes {
		st := d.storage(t, mode, pool)
		nodes := [][]histogram.Run{runsOf(st, d.sample(r, 1)), runsOf(st, d.sample(r, 0.1)), runsOf(st, d.sample(r, 0.001))}
		for _, s := range strategies {
			for _, rowMajor := range []*binning.RowMajor{nil, binning.NewRowMajor(d.matrix, d.byteColumns, pool)} {
				t.Run(fmt.Sprintf("S1.12/S2.20/%v/%v/row_major=%v", mode, s, rowMajor != nil), func(t *testing.T) {
					b := histogram.New(d.matrix, rowMajor, pool, s)
					p := histogram.NewPool()
					build := func() {
						for _, runs := range nodes {
							h := p.Get()
							b.Build(h, st, runs)
							p.Put(h)
						}
					}
					// Buffers of rounds to come are made by the first.
					build()
					if got := testing.AllocsPerRun(3, build); got != 0 {
						t.Errorf("three nodes allocate %v times", got)
					}
				})
			}
		}
	}
}

func TestLayout(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	d := newTable(t, 6, 100, []uint32{5, 300, 16}, binning.Adaptive)
	b := histogram.New(d.matrix, nil, pool, histogram.Sequential)
	if b.Slots() != 321 || b.Strategy() != histogram.Sequential {
		t.Errorf("%d slots, strategy %v", b.Slots(), b.Strategy())
	}
	for _, mode := range modes {
		t.Run("S2.15/"+mode.String(), func(t *testing.T) {
			st := d.storage(t, mode, pool)
			h := &histogram.Histogram{}
			b.Build(h, st, runsOf(st, []uint32{7}))
			grads, hessians, floats, counts := 321, 321, 0, 0
			set := mode.settings()
			switch {
			case mode.Mode == gradients.F32:
				grads, hessians, floats = 0, 0, 321
			case set.OneWord() && !set.Counts():
				hessians = 0
			}
			if set.Counts() {
				counts = 321
			}
			if h.InWords() != (grads != hessians) {
				t.Errorf("packed sums: %v", h.InWords())
			}
			if len(h.Grad) != grads || len(h.Hess) != hessians || len(h.GradF) != floats || len(h.HessF) != floats || len(h.Count) != counts {
				t.Errorf("lengths %d %d %d %d %d", len(h.Grad), len(h.Hess), len(h.GradF), len(h.HessF), len(h.Count))
			}
		})
	}
	t.Run("S1.12/slot_of_feature_and_code", func(t *testing.T) {
		st := d.storage(t, form{Mode: gradients.I16}, pool)
		h := &histogram.Histogram{}
		b.Build(h, st, runsOf(st, []uint32{7}))
		grad, hess := st.Codes16()
		used := map[int]bool{}
		for f, first := range []int{0, 5, 305} {
			at := first + int(d.codes[f][7])
			used[at] = true
			if g, q := h.At(at); g != int64(grad[7]) || q != uint64(hess[7]) {
				t.Errorf("feature %d: slot %d is (%d, %d), want (%d, %d)", f, at, g, q, grad[7], hess[7])
			}
		}
		for at := range b.Slots() {
			if g, q := h.At(at); !used[at] && (g != 0 || q != 0) {
				t.Errorf("slot %d holds (%d, %d)", at, g, q)
			}
		}
	})
}

// All rows have extreme codes and fall into few slots.
func TestExtremeCodes(t *testing.T) {
	testenv.Unraced(t)
	pool := parallel.NewPool(2)
	defer pool.Close()
	for _, rows := range []int{65_536, 65_537, 131_072, 131_073} {
		d := newTable(t, 7, rows, []uint32{1, 1, 1, 1, 2, 20, 300}, binning.Adaptive)
		for f := range d.codes {
			clear(d.codes[f])
		}
		d.matrix, _ = binning.FromCodes(d.codes, []uint32{1, 17, 17, 17, 17, 257, 70_000}, binning.Adaptive)
		st := d.storage(t, form{Mode: gradients.I16}, pool)
		grad, hess := st.Codes16()
		wide := d.storage(t, form{Mode: gradients.I32}, pool)
		grad32, hess32 := wide.Codes32()
		for _, extreme := range []int16{math.MinInt16, math.MaxInt16} {
			for i := range grad {
				grad[i], hess[i] = extreme, math.MaxUint16
				grad32[i], hess32[i] = int32(extreme)<<16, math.MaxUint32
			}
			in := d.sample(nil, 1)
			for _, s := range strategies {
				for _, rowMajor := range []*binning.RowMajor{nil, binning.NewRowMajor(d.matrix, []int{0, 1, 2, 3, 4}, pool)} {
					t.Run(fmt.Sprintf("S2.16/rows=%d/code=%d/%v/row_major=%v", rows, extreme, s, rowMajor != nil), func(t *testing.T) {
						b := histogram.New(d.matrix, rowMajor, pool, s)
						for _, st := range []*gradients.Storage{st, wide} {
							check := func(h *histogram.Histogram, rows int) {
								g, q := int64(extreme)*int64(rows), uint64(rows)*math.MaxUint16
								if st.Mode() == gradients.I32 {
									g, q = g<<16, uint64(rows)*math.MaxUint32
								}
								for f, at := range d.matrix.Offsets()[:7] {
									if grad, hess := h.At(int(at)); grad != g || hess != q {
										t.Errorf("%v, %d rows, feature %d: (%d, %d), want (%d, %d)", st.Mode(), rows, f, grad, hess, g, q)
									}
								}
							}
							for _, n := range []int{rows / 2, rows - rows/2} {
								h, child := &histogram.Histogram{}, &histogram.Histogram{}
								b.Build(h, st, runsOf(st, in))
								check(h, rows)
								b.Build(child, st, runsOf(st, in[:n]))
								check(child, n)
								h.Subtracting(child, rows-n)
								h.SubtractRange(child, st, 0, b.Slots())
								check(h, rows-n)
							}
						}
					})
				}
			}
		}
	}
}

func TestSubtract(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	r := rand.New(rand.NewPCG(8, 0))
	for _, mode := range modes {
		t.Run("S2.25/"+mode.String(), func(t *testing.T) {
			for range 60 {
				d := newTable(t, r.Uint64(), 1+r.IntN(600), []uint32{5, 200, 300}, binning.Adaptive)
				st := d.storage(t, mode, pool)
				b := histogram.New(d.matrix, nil, pool, histogram.Sequential)
				var left, right []uint32
				share := r.Float64()
				for _, row := range d.sample(r, 0.8) {
					if r.Float64() < share {
						left = append(left, row)
					} else {
						right = append(right, row)
					}
				}
				both := slices.Concat(left, right)
				slices.Sort(both)
				parent, child := &histogram.Histogram{}, &histogram.Histogram{}
				b.Build(parent, st, runsOf(st, both))
				b.Build(child, st, runsOf(st, left))
				offsets := d.matrix.Offsets()
				for f := range d.codes {
					parent.SubtractRange(child, st, int(offsets[f]), int(offsets[f+1]))
				}
				want := d.reference(st, right)
				if mode.Mode != gradients.F32 {
					d.check(t, "sibling", parent, st, d.all(), want)
					continue
				}
				for f := range d.codes {
					for c := range offsets[f+1] - offsets[f] {
						got, w := slotAt(parent, st, int(offsets[f]+c)), want[f][c]
						// A slot without rows holds nothing at all, not even a rounding error.
						if got.count != w.count || w.count == 0 && got != (slot{}) || math.Abs(got.gradF-w.gradF) > 1e-12 || math.Abs(got.hessF-w.hessF) > 1e-12 {
							t.Fatalf("slot of (feature %d, code %d) is %+v, want %+v", f, c, got, w)
						}
					}
				}
			}
		})
	}
}

func TestHistogramEquivalence(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	r := rand.New(rand.NewPCG(9, 0))
	for _, mode := range modes {
		t.Run("S2.34/"+mode.String(), func(t *testing.T) {
			for range 40 {
				d := newTable(t, r.Uint64(), 1+r.IntN(3000), []uint32{3, 50, 300}, binning.Adaptive)
				st := d.storage(t, mode, pool)
				in := d.sample(r, 0.7)
				h := &histogram.Histogram{}
				b := histogram.New(d.matrix, nil, pool, histogram.Sequential)
				b.Build(h, st, runsOf(st, in))
				p := st.Params()
				for f := range d.codes {
					exact := make([]slot, d.matrix.FeatureInfo(f).NBins) // float64 sums of few float32 values are exact enough
					for _, row := range in {
						s := &exact[d.codes[f][row]]
						s.gradF, s.hessF, s.count = s.gradF+float64(d.grad[row]), s.hessF+float64(d.hess[row]), s.count+1
					}
					for c, w := range exact {
						s := slotAt(h, st, int(d.matrix.Offsets()[f])+c)
						grad, hess, half := s.gradF, s.hessF, 0.0
						if mode.Mode != gradients.F32 {
							half = float64(w.count) / 2 * (1 + 1e-9)
							grad = float64(s.grad)*p.GradScale + float64(w.count)*p.GradOffset
							hess = float64(s.hess) * p.HessScale
						}
						if e := math.Abs(grad - w.gradF); e > half*p.GradScale+1e-12 {
							t.Fatalf("gradient sum of %d rows is off by %v, scale %v", w.count, e, p.GradScale)
						}
						if e := math.Abs(hess - w.hessF); e > half*p.HessScale+1e-12 {
							t.Fatalf("hessian sum of %d rows is off by %v, scale %v", w.count, e, p.HessScale)
						}
						if st.Counts() && s.count != w.count {
							t.Fatalf("%d rows counted, want %d", s.count, w.count)
						}
					}
				}
			}
		})
	}
}

func TestChoose(t *testing.T) {
	d := newTable(t, 10, 100, []uint32{5}, binning.Adaptive)
	for _, s := range strategies {
		if got, _, err := histogram.Choose(s.String(), d.matrix, false, 4); err != nil || got != s {
			t.Errorf("Choose(%q) = %v, %v", s.String(), got, err)
		}
	}
	for _, name := range []string{"", "auto"} {
		if got, reason, err := histogram.Choose(name, d.matrix, false, 4); err != nil || got != histogram.Sequential || !strings.Contains(reason, "100 rows") {
			t.Errorf("Choose(%q) of 100 cells = %v because %q, %v", name, got, reason, err)
		}
	}
	if _, _, err := histogram.Choose("column", d.matrix, false, 4); err == nil || !strings.Contains(err.Error(), `"column"`) || !strings.Contains(err.Error(), "feature") {
		t.Errorf(`Choose("column"): %v`, err)
	}
	long := newTable(t, 11, 60_000, []uint32{5}, binning.Adaptive)
	if got, _, _ := histogram.Choose("auto", long.matrix, false, 2); got != histogram.RowParallel {
		t.Errorf("auto for 60,000 rows of one feature on 2 threads = %v", got)
	}
	if got, _, _ := histogram.Choose("auto", long.matrix, false, 1); got != histogram.Sequential {
		t.Errorf("auto on one thread = %v", got)
	}
	wide := newTable(t, 12, 7000, slices.Repeat([]uint32{2000}, 8), binning.Adaptive)
	if got, _, _ := histogram.Choose("auto", wide.matrix, false, 2); got != histogram.FeatureParallel {
		t.Errorf("auto for 16,000 bins of 7,000 rows on 2 threads = %v", got)
	}
}

// Packing both codes into one word in a register changes no sum (S2.27): shown by every
// test above, and here against two plain arrays.
func TestPackedWordsEqualTwoArrays(t *testing.T) {
	t.Run("S2.27", func(t *testing.T) {
		pool := parallel.NewPool(1)
		defer pool.Close()
		d := newTable(t, 13, 3000, []uint32{40}, binning.Adaptive)
		st := d.storage(t, form{Mode: gradients.I16}, pool)
		gradCodes, hessCodes := st.Codes16()
		grad, hess := make([]int64, 40), make([]uint64, 40)
		for row, c := range d.codes[0] {
			grad[c] += int64(gradCodes[row])
			hess[c] += uint64(hessCodes[row])
		}
		entries, sums := make([]uint64, 3000), make([]uint64, 40)
		hist.Pack(entries, gradCodes, hessCodes)
		hist.OneWordColumn(sums, d.codes[0], entries)
		gotG, gotH := make([]int64, 40), make([]uint64, 40)
		hist.Unpack(gotG, gotH, sums)
		if !slices.Equal(gotG, grad) || !slices.Equal(gotH, hess) {
			t.Error("packed sums differ from those of two arrays")
		}
	})
}

// Equal hessians all have the largest code, 65,535, so that the codes need not be read: the
// histograms are those of reading them, and a hessian sum is the number of rows times that.
func TestEqualHessians(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	t.Run("S2.41/identical", func(t *testing.T) {
		r := rand.New(rand.NewPCG(41, 0))
		for _, mode := range modes {
			for _, s := range strategies {
				d := newTable(t, r.Uint64(), 1+r.IntN(9000), []uint32{5, 200, 300}, binning.Adaptive)
				for row := range d.hess {
					d.hess[row] = 0.25
				}
				in := d.sample(r, []float64{0.3, 1}[r.IntN(2)])
				var built [2]histogram.Histogram
				for i, every := range []bool{false, true} {
					set := mode.settings()
					set.EveryHessian = every
					st := gradients.NewStorage(d.rows, set)
					if _, err := st.Quantize(pool, d.grad, d.hess, nil, 0, 0); err != nil {
						t.Fatal(err)
					}
					if st.EqualHessians() == every && mode.Mode != gradients.I32 { // whose scale leaves the code short
						t.Fatalf("%v: equal hessians %v", mode, st.EqualHessians())
					}
					runs := runsOf(st, in)
					if len(in) == d.rows { // in order, not listed
						st.Entries(runs[0].Entries, 0, nil)
					}
					histogram.New(d.matrix, nil, pool, s).Build(&built[i], st, runs)
				}
				a, b := &built[0], &built[1]
				if !slices.Equal(a.Grad, b.Grad) || !slices.Equal(a.Hess, b.Hess) || !slices.Equal(a.GradF, b.GradF) || !slices.Equal(a.HessF, b.HessF) {
					t.Fatalf("%v, %v: the histograms differ", mode, s)
				}
				if mode.Mode == gradients.I16 {
					for f, codes := range d.codes {
						rows := make([]uint64, d.matrix.FeatureInfo(f).NBins)
						for _, row := range in {
							rows[codes[row]]++
						}
						for code, n := range rows {
							if _, got := a.At(int(d.matrix.Offsets()[f]) + code); got != n*65535 {
								t.Fatalf("%v, %v: %d rows of feature %d, code %d have the hessian sum %d", mode, s, n, f, code, got)
							}
						}
					}
				}
			}
		}
	})
}

// The same codes give the same sums in columns of every width, by every strategy.
func TestWidths(t *testing.T) {
	testenv.Unraced(t)
	pool := parallel.NewPool(2)
	defer pool.Close()
	t.Run("S0.18/equal_sums", func(t *testing.T) {
		r := rand.New(rand.NewPCG(18, 0))
		for _, rows := range []int{1, 2, 3, 64, 5001, 70_001} {
			d, matrices := sameCodes(t, rows, 5)
			for _, mode := range modes {
				st := gradients.NewStorage(rows, mode.settings())
				if _, err := st.Quantize(pool, d.grad, d.hess, nil, 0, 0); err != nil {
					t.Fatal(err)
				}
				for _, share := range []float64{0.1, 1} {
					in := d.sample(r, share)
					want := d.reference(st, in)
					for i, m := range matrices {
						for _, s := range strategies {
							h := &histogram.Histogram{}
							histogram.New(m, nil, pool, s).Build(h, st, runsOf(st, in))
							for f := range d.codes {
								for code, w := range want[f] {
									got := slotAt(h, st, int(m.Offsets()[f])+code)
									if got.grad != w.grad || got.hess != w.hess || got.gradF != w.gradF || got.hessF != w.hessF {
										t.Fatalf("%v, %v, %v, %d of %d rows: slot (%d, %d) is %+v, want %+v", widths[i], mode, s, len(in), rows, f, code, got, w)
									}
								}
							}
						}
					}
				}
			}
		}
	})
}

// The bytes per row and feature of S2.29: 1 + 4 + 4 against 1 + 2 + 2 by columns, which is
// 900 against 500 MB at 1M × 100; by rows (F+8)/(F+4) times as many.
func TestTraffic(t *testing.T) {
	t.Run("S2.29/byte_model", func(t *testing.T) {
		for _, c := range []struct {
			rows, features int
			mode           gradients.Mode
			byRow          bool
			want           int64
		}{
			{1, 1, gradients.F32, false, 9},
			{1, 1, gradients.I16, false, 5},
			{1, 1, gradients.I8, false, 3},
			{1, 1, gradients.I4, false, 2},
			{1_000_000, 100, gradients.F32, false, 900_000_000},
			{1_000_000, 100, gradients.I16, false, 500_000_000},
			{1_000_000, 100, gradients.F32, true, 108_000_000},
			{1_000_000, 100, gradients.I16, true, 104_000_000},
		} {
			if got := traffic(c.rows, c.features, c.mode, c.byRow); got != c.want {
				t.Errorf("%d × %d, %v, by rows %v: %d bytes, want %d", c.rows, c.features, c.mode, c.byRow, got, c.want)
			}
		}
		// A matrix of byte codes does take a byte a cell, and storages what their mode says.
		m, err := binning.FromCodes([][]uint32{make([]uint32, 640), make([]uint32, 640)}, []uint32{255, 255}, binning.Adaptive)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Bytes(); got != 2*640 {
			t.Errorf("640 × 2 codes take %d bytes", got)
		}
		for _, mode := range []gradients.Mode{gradients.I16, gradients.I8, gradients.I4} {
			if got := gradients.NewStorage(640, gradients.Settings{Mode: mode}).Bytes(); got+640 != traffic(640, 1, mode, false) {
				t.Errorf("%v: 640 rows take %d bytes", mode, got)
			}
		}
	})
}
