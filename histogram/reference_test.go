package histogram_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/kernel/hist"
	"boost/parallel"
)

var (
	modes = []form{
		{Mode: gradients.I16}, {Mode: gradients.I32}, {Mode: gradients.F32},
		{Mode: gradients.I8}, {Mode: gradients.I4}, {Mode: gradients.I16, asymmetric: true},
	}
	strategies = []histogram.Strategy{histogram.Sequential, histogram.FeatureParallel, histogram.RowParallel}
)

// form is a way of storing gradients.
type form struct {
	gradients.Mode
	asymmetric bool
}

func (f form) String() string {
	if f.asymmetric {
		return f.Mode.String() + "_asymmetric"
	}
	return f.Mode.String()
}

func (f form) settings() gradients.Settings {
	return gradients.Settings{Mode: f.Mode, Asymmetric: f.asymmetric}
}

// table is a matrix with its codes kept in plain slices, and gradients.
type table struct {
	rows        int
	codes       [][]uint32
	matrix      *binning.Matrix
	byteColumns []int // features of at most 256 codes
	grad, hess  []float32
}

// allWidths are numbers of codes that make columns of 4, 8, 16 and 32 bits, more than
// four of a width.
var allWidths = []uint32{5, 16, 200, 256, 1000, 66_000, 17, 3, 255, 100, 300, 500, 1, 400}

func newTable(t testing.TB, seed uint64, rows int, nCodes []uint32, storage string) *table {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	d := &table{rows: rows, codes: make([][]uint32, len(nCodes)), grad: make([]float32, rows), hess: make([]float32, rows)}
	for f, n := range nCodes {
		d.codes[f] = make([]uint32, rows)
		for row := range d.codes[f] {
			d.codes[f][row] = r.Uint32N(n)
		}
		if n <= 256 {
			d.byteColumns = append(d.byteColumns, f)
		}
	}
	for row := range rows {
		d.grad[row], d.hess[row] = float32(r.NormFloat64()), r.Float32()
		if row%5 == 4 { // values so far apart that float64 sums depend on their order
			d.grad[row], d.hess[row] = d.grad[row]*1e-7, d.hess[row]*1e-7
		}
	}
	m, err := binning.FromCodes(d.codes, nCodes, storage)
	if err != nil {
		t.Fatal(err)
	}
	d.matrix = m
	return d
}

// rowMajorCopies are none, one with a code for each column, and one where columns of few codes
// share one, as many as there is room for and two by two.
func (d *table) rowMajorCopies(mode form, pool *parallel.Pool) []*binning.RowMajor {
	copies := []*binning.RowMajor{nil, binning.NewRowMajor(d.matrix, d.byteColumns, pool)}
	if mode.Mode == gradients.F32 {
		return copies
	}
	pairs := binning.SingleGroups(d.matrix, d.byteColumns)
	for i := 0; i+1 < len(pairs); i++ {
		if a, b := pairs[i], pairs[i+1]; a.NBins*b.NBins <= 256 {
			pairs[i] = binning.PackedGroup{Members: []int{b.Members[0], a.Members[0]}, NBins: a.NBins * b.NBins}
			pairs = slices.Delete(pairs, i+1, i+2)
		}
	}
	return append(copies, binning.NewPackedRowMajor(d.matrix, binning.PackGroups(d.matrix, d.byteColumns), pool),
		binning.NewPackedRowMajor(d.matrix, pairs, pool))
}

// storage quantizes the table's gradients.
func (d *table) storage(t testing.TB, mode form, pool *parallel.Pool) *gradients.Storage {
	t.Helper()
	st := gradients.NewStorage(d.rows, mode.settings())
	if out, err := st.Quantize(pool, d.grad, d.hess, nil, 0, 0); err != nil || out.Wide || out.Blind {
		t.Fatal(out, err)
	}
	return st
}

// sample lists about a share of the rows.
func (d *table) sample(r *rand.Rand, share float64) []uint32 {
	var rows []uint32
	for row := range d.rows {
		if share >= 1 || r.Float64() < share {
			rows = append(rows, uint32(row))
		}
	}
	return rows
}

// runsOf packs rows as a node's runs, one per block, empty ones too.
func runsOf(st *gradients.Storage, rows []uint32) []histogram.Run {
	blocks := parallel.Blocks(st.Rows(), hist.BlockRows)
	runs := make([]histogram.Run, blocks)
	for b := range runs {
		lo, hi := parallel.Block(b, st.Rows(), hist.BlockRows)
		runs[b].First = lo
		var in []uint16
		for _, row := range rows {
			if int(row) >= lo && int(row) < hi {
				in = append(in, uint16(int(row)-lo))
			}
		}
		runs[b].Entries = make([]uint64, len(in))
		if len(in) > 0 {
			st.Entries(runs[b].Entries, lo, in)
		}
	}
	return runs
}

// slot is one bin of the reference.
type slot struct {
	grad         int64
	hess         uint64
	gradF, hessF float64
	count        uint32
}

// naive is the histogram of one feature. In mode f32 every 4,096 rows of the list are
// summed on their own and then added, in order (docs/architecture.md, Numerics 1).
func (d *table) naive(st *gradients.Storage, rows []uint32, feature int) []slot {
	codes := d.codes[feature]
	m := make([]slot, d.matrix.FeatureInfo(feature).NBins)
	if st.Mode() == gradients.F32 {
		part := make([]slot, len(m))
		for lo := 0; lo < len(rows); lo += 4096 {
			group := rows[lo:min(lo+4096, len(rows))]
			for _, row := range group {
				s := &part[codes[row]]
				s.gradF += float64(d.grad[row])
				s.hessF += float64(d.hess[row])
				s.count++
			}
			for _, row := range group {
				all, s := &m[codes[row]], &part[codes[row]]
				all.gradF += s.gradF
				all.hessF += s.hessF
				all.count += s.count
				*s = slot{} // added once
			}
		}
		return m
	}
	for _, row := range rows {
		s := &m[codes[row]]
		grad, hess := st.Code(int(row))
		s.grad += grad
		s.hess += hess
		s.count++
	}
	return m
}

// check compares a histogram with the reference of the listed features, bit for bit.
func (d *table) check(t *testing.T, name string, h *histogram.Histogram, st *gradients.Storage, features []int, want map[int][]slot) {
	t.Helper()
	offsets := d.matrix.Offsets()
	for _, f := range features {
		n := int(offsets[f+1] - offsets[f])
		for c := range n {
			w, at := want[f][c], int(offsets[f])+c
			var ok bool
			if st.Mode() == gradients.F32 {
				ok = math.Float64bits(h.GradF[at]) == math.Float64bits(w.gradF) && math.Float64bits(h.HessF[at]) == math.Float64bits(w.hessF)
			} else {
				grad, hess := h.At(at)
				ok = grad == w.grad && hess == w.hess
			}
			if st.Counts() {
				ok = ok && h.Count[at] == w.count
			}
			if !ok {
				t.Fatalf("%s: slot of (feature %d, code %d) is %+v, want %+v", name, f, c, slotAt(h, st, at), w)
			}
		}
	}
}

func slotAt(h *histogram.Histogram, st *gradients.Storage, at int) slot {
	var s slot
	if st.Mode() == gradients.F32 {
		s.gradF, s.hessF = h.GradF[at], h.HessF[at]
	} else {
		s.grad, s.hess = h.At(at)
	}
	if st.Counts() {
		s.count = h.Count[at]
	}
	return s
}

func (d *table) reference(st *gradients.Storage, rows []uint32) map[int][]slot {
	want := map[int][]slot{}
	for f := range d.codes {
		want[f] = d.naive(st, rows, f)
	}
	return want
}

// all lists the features.
func (d *table) all() []int {
	all := make([]int, len(d.codes))
	for f := range all {
		all[f] = f
	}
	return all
}

// poison fills a histogram's memory with what must not be seen again. Sums that keep to
// the slots that their rows touch leave nothing in others.
func poison(h *histogram.Histogram, n int) {
	h.Poison(n)
	h.GradF, h.HessF, h.Count = make([]float64, n), make([]float64, n), make([]uint32, n)
	for i := range n {
		h.GradF[i], h.HessF[i], h.Count[i] = math.NaN(), math.Inf(1), 77
	}
}
