package parts_test

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"testing"
	"time"

	"boost/binning"
	"boost/histogram"
	"boost/internal/kernel/bin"
	"boost/internal/kernel/hist"
	"boost/internal/paired"
	"boost/parallel"
)

// pass fills one histogram of packed words with all rows, four columns of a group at a
// time. The three kinds of pass differ in where a code comes from and in nothing else.
type pass struct {
	columns [][]float32
	cuts    []*[slots]uint32 // keys of each column's cuts, filled up to 256 with the largest
	codes   []binning.Column
	indices []*bin.Index
	runs    []histogram.Run
	sums    [][]uint64 // 256 slots of each feature
	pool    *parallel.Pool
}

const slots = 256

func newPass(b *testing.B, d data, pool *parallel.Pool) *pass {
	cuts := d.cuts(b, pool)
	matrix := d.matrix(b, cuts, pool)
	_, runs := d.root(b, pool)
	p := &pass{runs: runs, pool: pool}
	for f, values := range d.columns {
		if cuts.Features[f].Kind != binning.Numeric32 || matrix.FeatureInfo(f).Bits != binning.U8 {
			continue // the flags of four levels
		}
		var keys [slots]uint32
		for i := range keys {
			keys[i] = math.MaxUint32
		}
		for i, cut := range cuts.Of32(f) {
			keys[i] = orderKey(cut)
		}
		p.columns, p.cuts = append(p.columns, values), append(p.cuts, &keys)
		p.codes = append(p.codes, matrix.Column(f))
		p.indices = append(p.indices, bin.NewIndex32(cuts.Of32(f)))
		p.sums = append(p.sums, make([]uint64, slots))
	}
	whole := len(p.columns) &^ 3
	p.columns = p.columns[:whole]
	return p
}

// each runs one group of columns after the other over all blocks of rows.
func (p *pass) each(block func(f, lo, hi int, entries []uint64)) {
	for _, s := range p.sums {
		clear(s)
	}
	p.pool.Do(len(p.columns)/4, parallel.Func(func(_, group int) {
		for _, run := range p.runs {
			lo := run.First
			block(4*group, lo, lo+len(run.Entries), run.Entries)
		}
	}))
}

func (p *pass) fourSums(f int) *[4][]uint64 {
	return &[4][]uint64{p.sums[f], p.sums[f+1], p.sums[f+2], p.sums[f+3]}
}

// byCode reads the codes that were looked up once.
func (p *pass) byCode() {
	p.each(func(f, lo, hi int, entries []uint64) {
		codes := [4][]uint8{p.codes[f].U8()[lo:hi], p.codes[f+1].U8()[lo:hi], p.codes[f+2].U8()[lo:hi], p.codes[f+3].U8()[lo:hi]}
		hist.OneWordColumns4(p.fourSums(f), &codes, entries)
	})
}

// bySearch looks every cell up where it is added, as a trainer without a matrix would.
func (p *pass) bySearch() {
	p.each(func(f, lo, hi int, entries []uint64) {
		searchFour(p.fourSums(f), (*[4]*[slots]uint32)(p.cuts[f:f+4]),
			&[4][]float32{p.columns[f][lo:hi], p.columns[f+1][lo:hi], p.columns[f+2][lo:hi], p.columns[f+3][lo:hi]}, entries)
	})
}

func searchFour(sums *[4][]uint64, cuts *[4]*[slots]uint32, columns *[4][]float32, entries []uint64) {
	s0, s1, s2, s3 := sums[0][:slots], sums[1][:slots], sums[2][:slots], sums[3][:slots]
	k0, k1, k2, k3 := cuts[0], cuts[1], cuts[2], cuts[3]
	c0 := columns[0]
	c1, c2, c3 := columns[1][:len(c0)], columns[2][:len(c0)], columns[3][:len(c0)]
	for _, e := range entries {
		row := int(hist.Row(e))
		word := e &^ (0xffff << 16)
		// Eight steps count the cuts below each value. The four searches run side by side,
		// and none of their steps branches on the data: a search that the processor had
		// to guess its way through would take several times as long.
		x0, x1, x2, x3 := uint64(orderKey(c0[row])), uint64(orderKey(c1[row])), uint64(orderKey(c2[row])), uint64(orderKey(c3[row]))
		var at0, at1, at2, at3 uint32
		for half := uint32(slots / 2); half > 0; half /= 2 {
			_, below0 := bits.Sub64(uint64(k0[(at0+half-1)%slots]), x0, 0)
			_, below1 := bits.Sub64(uint64(k1[(at1+half-1)%slots]), x1, 0)
			_, below2 := bits.Sub64(uint64(k2[(at2+half-1)%slots]), x2, 0)
			_, below3 := bits.Sub64(uint64(k3[(at3+half-1)%slots]), x3, 0)
			at0 += half & -uint32(below0)
			at1 += half & -uint32(below1)
			at2 += half & -uint32(below2)
			at3 += half & -uint32(below3)
		}
		s0[at0%slots] += word
		s1[at1%slots] += word
		s2[at2%slots] += word
		s3[at3%slots] += word
	}
}

// orderKey maps floats to numbers of the same order; there is no NaN and no -0 here.
func orderKey(x float32) uint32 {
	b := math.Float32bits(x)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// bySearchAhead looks up a stretch of rows at a time with the kernel that builds the
// matrix: the best that a search in every pass could do.
func (p *pass) bySearchAhead() {
	const stretch = 1024
	p.each(func(f, lo, hi int, entries []uint64) {
		var buffer [4][stretch]uint8
		for from := lo; from < hi; from += stretch {
			to := min(from+stretch, hi)
			var codes [4][]uint8
			for i := range codes {
				codes[i] = buffer[i][:to-from]
				bin.Codes32(codes[i], p.columns[f+i][from:to], p.indices[f+i])
			}
			sums := p.fourSums(f)
			for i, e := range entries[from-lo : to-lo] {
				word := e &^ (0xffff << 16)
				sums[0][codes[0][i]] += word
				sums[1][codes[1][i]] += word
				sums[2][codes[2][i]] += word
				sums[3][codes[3][i]] += word
			}
		}
	})
}

// BenchmarkHistU8VsF32Lookup holds a histogram pass over codes to 5 times the speed of one
// that searches each cell's bin among the cuts (S1.20).
func BenchmarkHistU8VsF32Lookup(b *testing.B) {
	const bar = 5
	one := parallel.NewPool(1)
	defer one.Close()
	p := newPass(b, generate(b, 200_000, 28), one)
	p.byCode()
	want := slices.Clone(slices.Concat(p.sums...))
	for name, other := range map[string]func(){"search": p.bySearch, "search ahead": p.bySearchAhead} {
		if other(); !slices.Equal(slices.Concat(p.sums...), want) {
			b.Fatalf("%s finds other sums", name)
		}
	}
	for _, threads := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		p.pool = pool
		b.Run(fmt.Sprintf("S1.20/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				t := paired.Times(2*time.Second, p.bySearch, p.bySearchAhead, p.byCode)
				ratio := float64(min(t[0], t[1])) / float64(t[2])
				b.ReportMetric(float64(t[0])/float64(t[2]), "x_search")
				b.ReportMetric(float64(t[1])/float64(t[2]), "x_search_ahead")
				b.ReportMetric(float64(t[2])/float64(len(p.columns)*len(p.columns[0])), "ns/update")
				if ratio < bar {
					b.Errorf("codes are %.2f times as fast as the faster search per row, want %d", ratio, bar)
				}
			}
		})
	}
}
