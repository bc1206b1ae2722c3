package bin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/paired"
)

// cutsOf returns n ascending cuts of a shape, zero and the ends among them.
func cutsOf(rng *rand.Rand, n int, draw func() float64) []float64 {
	cuts := []float64{0, math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, -1e-310, math.SmallestNonzeroFloat32, 3e-39}
	cuts = cuts[:min(n, len(cuts))]
	for tries := 0; len(cuts) < n && tries < 20*n; tries++ {
		cuts = append(cuts, draw())
		if tries%n == 0 {
			cuts = distinct(cuts)
		}
	}
	rng.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
	return distinct(cuts)
}

// edges are values of every sort that floats have, and each cut beside both of its
// neighbours.
func edges(cuts []float64) []float64 {
	values := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(),
		math.Float64frombits(0x7FF0000000000001), math.Float64frombits(0xFFF8000000000000), // a signalling NaN, a negative one
		math.MaxFloat64, -math.MaxFloat64, math.MaxFloat32, -math.MaxFloat32, 2 * math.MaxFloat32,
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1e-310, -1e-310,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-39, -1e-39, 1, -1}
	for _, cut := range cuts {
		values = append(values, cut, math.Nextafter(cut, math.Inf(1)), math.Nextafter(cut, math.Inf(-1)),
			float64(float32(cut)), float64(next32(float32(cut), true)), float64(next32(float32(cut), false)))
	}
	return values
}

func narrowed(values []float64) []float32 {
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
		if v != v { // the conversion would quiet a signalling NaN
			single[i] = math.Float32frombits(0x7F800001 | uint32(math.Float64bits(v)>>32)&(1<<31))
		}
	}
	return single
}

// Each instruction set gives what the definition of a code says: for trees of all
// depths, every edge of floats, and where many cuts round to one float32.
func TestDescent(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	crowd := func() float64 { return 1 + float64(rng.IntN(1<<12))*0x1p-26 }
	byName := shapes(rng)
	for name, draw := range map[string]func() float64{"normal": byName["normal"], "bits": byName["bits"], "bits32": byName["bits32"],
		"neighbours": byName["neighbours"], "subnormal": byName["subnormal"], "crowd": crowd} {
		for _, n := range []int{0, 1, 2, 13, 14, 15, 16, 62, 63, 64, 126, 127, 253, 254, 255, 256, 510, 700} {
			cuts := cutsOf(rng, n, draw)
			cuts32 := distinct(narrowed(cuts))
			values := edges(cuts)
			values32 := narrowed(values)
			for _, level := range levels() {
				t.Run(fmt.Sprintf("S0.6/vectors_are_lower_bound/%s/%d/%s", name, n, level), func(t *testing.T) {
					compare(t, "f32 by f32", values32, cuts32, func(dst []uint16) { codeWith(dst, values32, newPivots32(cuts32, level)) })
					compare(t, "f32 by f64", values32, cuts, func(dst []uint16) { Codes32(dst, values32, newIndex32(cuts, level)) })
					compare(t, "f64 by f32", values, cuts32, func(dst []uint16) { codeWith(dst, values, newPivots64(cuts32, level)) })
					p := newPivots64(cuts, level)
					if crowded := name == "neighbours" || name == "crowd"; p == nil && !crowded && name != "bits" && name != "subnormal" {
						t.Errorf("more than %d of %d cuts round to one float32", maxEqual, len(cuts))
					}
					compare(t, "f64 by f64", values, cuts, func(dst []uint16) {
						if p == nil {
							Codes64(dst, values, newIndex64(cuts, level))
						} else {
							codeWith(dst, values, p)
						}
					})
				})
			}
		}
	}
}

// codeWith writes codes as bytes where they fit, and otherwise as words.
func codeWith[V Float](dst []uint16, values []V, p *pivots) {
	if p.missing > math.MaxUint8 {
		encode(dst, values, p)
		return
	}
	bytes := make([]uint8, len(values))
	encode(bytes, values, p)
	for i, code := range bytes {
		dst[i] = uint16(code)
	}
}

// Codes of every width and every number of values, from and to any address.
func TestDescentLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for _, n := range []int{14, 62, 254, 255, 600} {
		cuts := cutsOf(rng, n, rng.NormFloat64)
		values := make([]float64, 160)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		values[3], values[40], values[129] = math.NaN(), math.NaN(), math.NaN()
		for _, level := range levels() {
			for length := range 131 {
				from := rng.IntN(17)
				checkWidths(t, values[from:from+length], cuts, newPivots64(cuts, level), rng.IntN(9))
				single := narrowed(values)[from : from+length]
				checkWidths(t, single, distinct(narrowed(cuts)), newPivots32(distinct(narrowed(cuts)), level), rng.IntN(9))
			}
		}
	}
}

func checkWidths[V Float](t *testing.T, values []V, cuts []V, p *pivots, offset int) {
	t.Helper()
	checkWidth[uint8](t, values, cuts, p, offset)
	checkWidth[uint16](t, values, cuts, p, offset)
	checkWidth[uint32](t, values, cuts, p, offset)
}

func checkWidth[C Code, V Float](t *testing.T, values, cuts []V, p *pivots, offset int) {
	t.Helper()
	const guard = 0xA5
	got := slices.Repeat([]C{guard}, offset+len(values)+40)
	encode(got[offset:offset+len(values)], values, p)
	for i, code := range got {
		want := C(guard)
		if i >= offset && i < offset+len(values) {
			want = C(naive(values[i-offset], cuts))
		}
		if code != want {
			t.Fatalf("%s: %d values at offset %d, %d cuts: code %d is %d, want %d", p.level, len(values), offset, len(cuts), i-offset, code, want)
		}
	}
}

// The cuts that round to one float32 are searched in so many steps; more of them are
// left to the slots of an Index.
func TestEqualPivots(t *testing.T) {
	for n, half := range map[int]uint64{1: 1, 2: 2, 3: 2, 4: 4, 7: 4, 8: 0} {
		cuts := []float64{-1}
		for i := range n {
			cuts = append(cuts, 1+float64(i)*0x1p-50)
		}
		p := newPivots64(append(cuts, 2), cpu.Generic)
		if (p == nil) != (half == 0) || p != nil && p.half != half {
			t.Errorf("%d equal pivots: %+v, want a first step of %d", n, p, half)
		}
	}
}

func TestIndexPays(t *testing.T) {
	for _, c := range []struct {
		cuts, values int
		level        cpu.Level
		want         bool
	}{
		{254, 1023, cpu.Generic, false}, {254, 1024, cpu.Generic, true}, {1000, 1999, cpu.Generic, false},
		{254, 127, cpu.AVX2, false}, {254, 128, cpu.AVX2, true}, {254, 128, cpu.AVX512, true}, {4000, 1999, cpu.AVX512, false},
	} {
		if got := pays(c.cuts, c.values, c.level); got != c.want {
			t.Errorf("%d cuts, %d values, %s: %v, want %v", c.cuts, c.values, c.level, got, c.want)
		}
	}
}

// columns are the shapes of the benchmarks: 2^13 values, whose codes are found in
// the first-level cache, and quantile cuts of more of them.
func columns(rng *rand.Rand, name string, n int) (values []float64, cuts []float64) {
	draw := map[string]func() float64{
		"uniform": rng.Float64,
		"normal":  rng.NormFloat64,
		"skewed":  func() float64 { return math.Exp(3 * rng.NormFloat64()) },
	}[name]
	values = make([]float64, 1<<18)
	for i := range values {
		values[i] = draw()
	}
	sorted := slices.Sorted(slices.Values(values))
	for i := range n {
		cuts = append(cuts, sorted[(i+1)*len(sorted)/(n+1)])
	}
	return values[:1<<13], distinct(cuts)
}

// BenchmarkBinCodes is the throughput of each instruction set. The vectors are bound
// by the port that permutes and compares: with 254 cuts, 11 permutations, 8
// comparisons and 7 blends and additions that find the other port busy are 21 cycles
// for 16 float32 in AVX-512, 1.3 a value. A float64 takes 2.5 more: two loads, of an
// index and a cut, by ports that do two a cycle, and their merging. From 255 cuts on
// each level takes a load for each value from the second-level cache on.
func BenchmarkBinCodes(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, level := range levels() {
		for _, n := range []int{15, 63, 254, 1023, 16383} {
			values, cuts := columns(rng, "normal", n)
			single, cuts32 := narrowed(values), distinct(narrowed(cuts))
			dst := make([]uint16, len(values))
			bytes := make([]uint8, len(values))
			run := func(kind string, code func()) {
				b.Run(fmt.Sprintf("set=%s/type=%s/cuts=%d", level, kind, n), func(b *testing.B) {
					for b.Loop() {
						code()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(values)), "ns/value")
				})
			}
			ix32, ix64 := newIndex32(cuts32, level), newIndex64(cuts, level)
			if n <= 254 {
				run("f32", func() { Codes32(bytes, single, ix32) })
				run("f64", func() { Codes64(bytes, values, ix64) })
			} else {
				run("f32", func() { Codes32(dst, single, ix32) })
				run("f64", func() { Codes64(dst, values, ix64) })
			}
		}
	}
}

// BenchmarkBinSearch fails where vectors are used and are less than four times as fast
// as a loop of sort.SearchFloat64s. Both take turns and the smallest time of each
// counts, so that other work on the machine does not.
func BenchmarkBinSearch(b *testing.B) {
	bar := 4.0
	if cpu.Used() == cpu.Generic {
		bar = 0
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"uniform", "normal", "skewed"} {
		for _, n := range []int{15, 63, 254, 1023} {
			values, cuts := columns(rng, name, n)
			single, cuts32 := narrowed(values), distinct(narrowed(cuts))
			widened := make([]float64, len(cuts32))
			for i, cut := range cuts32 {
				widened[i] = float64(cut)
			}
			codes := make([]uint16, len(values))
			bytes := make([]uint8, len(values))
			ix32, ix64 := NewIndex32(cuts32), NewIndex64(cuts)
			for kind, code := range map[string]func(){
				"f32": func() {
					if n <= 254 {
						Codes32(bytes, single, ix32)
					} else {
						Codes32(codes, single, ix32)
					}
				},
				"f64": func() {
					if n <= 254 {
						Codes64(bytes, values, ix64)
					} else {
						Codes64(codes, values, ix64)
					}
				},
			} {
				reference := func() { searchLoop(codes, values, cuts) }
				if kind == "f32" {
					reference = func() { searchLoop(codes, single, widened) }
				}
				b.Run(fmt.Sprintf("shape=%s/type=%s/cuts=%d", name, kind, n), func(b *testing.B) {
					var ours, theirs time.Duration
					for b.Loop() {
						t := paired.Times(50*time.Millisecond, code, reference)
						ours, theirs = t[0], t[1]
					}
					ratio := float64(theirs) / float64(ours)
					b.ReportMetric(float64(len(values))/ours.Seconds()/1e6, "Mvalues/s")
					b.ReportMetric(float64(len(values))/theirs.Seconds()/1e6, "Mvalues/s-sort")
					b.ReportMetric(ratio, "×sort")
					if ratio < bar {
						b.Errorf("%.1f times as fast as sort.SearchFloat64s, the bar is %.0f", ratio, bar)
					}
				})
			}
		}
	}
}

func searchLoop[V Float](dst []uint16, values []V, cuts []float64) {
	for i, v := range values {
		dst[i] = uint16(sort.SearchFloat64s(cuts, float64(v)))
	}
}
