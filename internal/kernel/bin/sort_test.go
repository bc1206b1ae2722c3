package bin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	byName := shapes(rng)
	byName["one or two"] = func() float64 { return float64(rng.IntN(2) * 3) }
	byName["nearly two"] = func() float64 {
		if rng.IntN(200) == 0 {
			return 7
		}
		return float64(5*rng.IntN(2) - 1)
	}
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	for _, name := range []string{"normal", "bits", "bits32", "special", "integers", "subnormal", "neighbours", "one or two", "nearly two"} {
		t.Run(name, func(t *testing.T) {
			for range rounds {
				values := make([]float64, rng.IntN(2000))
				for i := range values {
					values[i] = byName[name]()
				}
				checkSort64(t, values)
				checkSort32(t, values)
			}
		})
	}
}

func checkSort64(t *testing.T, values []float64) {
	t.Helper()
	raw := make([]uint64, len(values))
	load := make([]uint64, len(values))
	for i, v := range values {
		raw[i], load[i] = math.Float64bits(v), uint64(i)
	}
	with := slices.Clone(raw)
	keys := FromBits(raw)
	keys = Sort(keys, make([]uint64, len(values)))
	want := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(want)
	if len(keys) != len(want) {
		t.Fatalf("%d keys, want %d", len(keys), len(want))
	}
	for i, k := range keys {
		got := math.Float64frombits(ToBits(k))
		if got != want[i] || got == 0 && math.Signbit(got) {
			t.Fatalf("sorted[%d] = %v, want %v", i, got, want[i])
		}
	}
	withKeys, load := FromBitsWith(with, load)
	withKeys, load = SortWith(withKeys, make([]uint64, len(values)), load, make([]uint64, len(values)))
	if !slices.Equal(withKeys, keys) {
		t.Fatal("SortWith orders keys otherwise than Sort")
	}
	for i := range load {
		if values[load[i]] != want[i] || i > 0 && withKeys[i] == withKeys[i-1] && load[i] < load[i-1] {
			t.Fatalf("SortWith: key %d came with load %d", i, load[i])
		}
	}
}

func checkSort32(t *testing.T, values []float64) {
	t.Helper()
	raw := make([]uint32, len(values))
	var want []float32
	for i, v := range values {
		raw[i] = math.Float32bits(float32(v))
		if v == v {
			want = append(want, float32(v))
		}
	}
	slices.Sort(want)
	keys := Sort(FromBits(raw), make([]uint32, len(values)))
	if len(keys) != len(want) {
		t.Fatalf("%d keys, want %d", len(keys), len(want))
	}
	for i, k := range keys {
		if got := math.Float32frombits(ToBits(k)); got != want[i] {
			t.Fatalf("sorted[%d] = %v, want %v", i, got, want[i])
		}
	}
}

func TestGather(t *testing.T) {
	got := make([]float32, 3)
	Gather(got, []float32{1, 2, 3, 4}, []uint32{0, 2, 3})
	if want := []float32{1, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func BenchmarkSort(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	raw32 := make([]uint32, 200_000)
	raw64 := make([]uint64, len(raw32))
	for i := range raw32 {
		v := rng.NormFloat64()
		raw32[i], raw64[i] = math.Float32bits(float32(v)), math.Float64bits(v)
	}
	b.Run("rows=200k/type=f32", func(b *testing.B) {
		keys, spare := make([]uint32, len(raw32)), make([]uint32, len(raw32))
		for b.Loop() {
			copy(keys, raw32)
			Sort(FromBits(keys), spare)
		}
	})
	b.Run("rows=200k/type=f64", func(b *testing.B) {
		keys, spare := make([]uint64, len(raw64)), make([]uint64, len(raw64))
		for b.Loop() {
			copy(keys, raw64)
			Sort(FromBits(keys), spare)
		}
	})
}
