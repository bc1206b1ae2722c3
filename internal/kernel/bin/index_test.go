package bin

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
)

// shapes are columns that stress the slots of an Index: one or two scales, both
// signs, all octaves, far clusters, neighbours, and the ends of the number line.
func shapes(rng *rand.Rand) map[string]func() float64 {
	cluster := rng.Uint64()
	return map[string]func() float64{
		"normal":     rng.NormFloat64,
		"lognormal":  func() float64 { return math.Exp(3 * rng.NormFloat64()) },
		"uniform":    rng.Float64,
		"integers":   func() float64 { return float64(rng.IntN(300) - 100) },
		"dates":      func() float64 { return 1.5e9 + float64(rng.IntN(1e8)) },
		"bits":       func() float64 { return math.Float64frombits(rng.Uint64()) },
		"bits32":     func() float64 { return float64(math.Float32frombits(rng.Uint32())) },
		"neighbours": func() float64 { return math.Float64frombits(cluster&^(1<<62) + uint64(rng.IntN(1000))) },
		"clusters":   func() float64 { return float64(rng.IntN(3)-1)*1e30 + rng.Float64()*1e-30 },
		"subnormal":  func() float64 { return float64(rng.IntN(2001)-1000) * math.SmallestNonzeroFloat64 },
		"special": func() float64 {
			return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64,
				-math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1, -1}[rng.IntN(11)]
		},
	}
}

// levels are those that this machine can run.
func levels() []cpu.Level {
	var all []cpu.Level
	for l := cpu.Generic; l <= cpu.Best(); l++ {
		all = append(all, l)
	}
	return all
}

func distinct[V Float](values []V) []V {
	cuts := slices.DeleteFunc(slices.Clone(values), func(v V) bool { return v != v || float64(v) == math.Inf(1) })
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

func next32(v float32, up bool) float32 {
	if up {
		return math.Nextafter32(v, float32(math.Inf(1)))
	}
	return math.Nextafter32(v, float32(math.Inf(-1)))
}

// naive is the definition of a code: how many cuts are below the value.
func naive[V, K Float](v V, cuts []K) uint32 {
	if v != v {
		return uint32(len(cuts)) + 1
	}
	var code uint32
	for _, cut := range cuts {
		if float64(cut) < float64(v) {
			code++
		}
	}
	return code
}

func TestCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 60
	if testing.Short() {
		rounds = 8
	}
	byName := shapes(rng)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		draw := byName[name]
		t.Run(fmt.Sprintf("S0.6/index_is_lower_bound/%s", name), func(t *testing.T) {
			for range rounds {
				values := make([]float64, rng.IntN(700))
				for i := range values {
					values[i] = draw()
				}
				checkCodes(t, rng, values)
			}
		})
	}
}

func checkCodes(t *testing.T, rng *rand.Rand, values []float64) {
	t.Helper()
	values32 := make([]float32, len(values))
	for i, v := range values {
		values32[i] = float32(v)
	}
	few := rng.IntN(300)
	cuts64 := distinct(values[:min(few, len(values))])
	cuts32 := distinct(values32[:min(few, len(values))])
	for _, cut := range cuts64 {
		values = append(values, cut, math.Nextafter(cut, math.Inf(1)), math.Nextafter(cut, math.Inf(-1)))
	}
	for _, cut := range cuts32 {
		values32 = append(values32, cut, next32(cut, true), next32(cut, false))
	}
	for _, level := range levels() {
		compare(t, level.String()+" f32 by f32", values32, cuts32, func(dst []uint16) { Codes32(dst, values32, newIndex32(cuts32, level)) })
		compare(t, level.String()+" f64 by f64", values, cuts64, func(dst []uint16) { Codes64(dst, values, newIndex64(cuts64, level)) })
		compare(t, level.String()+" f64 by f32", values, cuts32, func(dst []uint16) { Codes64(dst, values, newIndex64(cuts32, level)) })
		compare(t, level.String()+" f32 by f64", values32, cuts64, func(dst []uint16) { Codes32(dst, values32, newIndex32(cuts64, level)) })
	}
	compare(t, "search f32 by f32", values32, cuts32, func(dst []uint16) { Search(dst, values32, cuts32) })
	compare(t, "search f64 by f32", values, cuts32, func(dst []uint16) { Search(dst, values, cuts32) })
	compare(t, "search f32 by f64", values32, cuts64, func(dst []uint16) { Search(dst, values32, cuts64) })
}

func compare[V, K Float](t *testing.T, name string, values []V, cuts []K, code func(dst []uint16)) {
	t.Helper()
	const guard = 0xBEEF
	got := make([]uint16, len(values)+8)
	for i := range got {
		got[i] = guard
	}
	code(got[:len(values)])
	for i, v := range values {
		if want := naive(v, cuts); uint32(got[i]) != want {
			t.Fatalf("%s: value %v (%d of %d) has code %d, want %d of %d cuts", name, v, i, len(values), got[i], want, len(cuts))
		}
	}
	for _, g := range got[len(values):] {
		if g != guard {
			t.Fatalf("%s: wrote beyond its codes", name)
		}
	}
}

// The largest descents, and indices beyond them.
func TestManyCuts(t *testing.T) {
	for _, n := range []int{60_000, 65_534, 65_535, 70_000} {
		cuts := make([]float64, n)
		values := make([]float64, 0, 3*n+1)
		for i := range cuts {
			cuts[i] = float64(i*i) - 1e9
			values = append(values, cuts[i], cuts[i]+.25, cuts[i]-.25)
		}
		values = append(values, math.NaN())
		want := func(i int) int {
			if i == 3*n {
				return n + 1
			}
			return i/3 + i%3%2
		}
		got := make([]uint32, len(values))
		check := func(what string) {
			t.Helper()
			for i := range got {
				if int(got[i]) != want(i) {
					t.Fatalf("%s: %d cuts, value %v: code %d, want %d", what, n, values[i], got[i], want(i))
				}
			}
		}
		Search(got, values, cuts)
		check("search")
		for _, level := range levels() {
			Codes64(got, values, newIndex64(cuts, level))
			check(level.String())
		}
	}
}

func TestLookup(t *testing.T) {
	const none = ^uint32(0)
	got := make([]uint8, 6)
	Lookup(got, []int32{-1, 0, 1, 2, 3, 2}, []uint32{7, none, 9}, none, 10)
	if want := []uint8{10, 7, 10, 9, 10, 9}; !slices.Equal(got, want) {
		t.Errorf("codes %v, want %v", got, want)
	}
}

func BenchmarkCodes(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"normal", "lognormal", "uniform"} {
		draw := shapes(rng)[name]
		values := make([]float64, 1<<17)
		values32 := make([]float32, len(values))
		for i := range values {
			values[i] = draw()
			values32[i] = float32(values[i])
		}
		sorted := slices.Sorted(slices.Values(values))
		var cuts []float64
		var cuts32 []float32
		for i := 1; i < 254; i++ {
			cuts = append(cuts, sorted[i*len(sorted)/254])
			cuts32 = append(cuts32, float32(cuts[i-1]))
		}
		cuts32 = distinct(cuts32)
		dst := make([]uint8, len(values))
		perCell := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(values)), "ns/cell")
		}
		b.Run("shape="+name+"/type=f32", func(b *testing.B) {
			ix := NewIndex32(cuts32)
			for b.Loop() {
				Codes32(dst, values32, ix)
			}
			perCell(b)
		})
		b.Run("shape="+name+"/type=f64", func(b *testing.B) {
			ix := NewIndex64(cuts)
			for b.Loop() {
				Codes64(dst, values, ix)
			}
			perCell(b)
		})
		b.Run("shape="+name+"/type=f64search", func(b *testing.B) {
			for b.Loop() {
				Search(dst, values, cuts)
			}
			perCell(b)
		})
	}
}
