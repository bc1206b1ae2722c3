package codec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/codec"
	"boost/internal/paired"
	"boost/tensorq"
)

const (
	inCache = 64 << 10 // bytes of codes or floats
	beyond  = 64 << 20 // bytes that no cache holds
)

// row returns what the streams are held to: 2 GB of codes a second on one core, under
// WebAssembly a quarter.
func row(id string) (name string, bar float64) {
	if runtime.GOARCH == "wasm" {
		return "S3.11", 0.5
	}
	return id, 2
}

// levels are the instruction sets that are here.
func levels() []cpu.Level { return []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512}[:cpu.Used()+1] }

// speeds reports the speed of a function on so many bytes in and out of cache with each instruction
// set, and holds the one that this machine uses to the bar. Two seconds at least: the engines of
// WebAssembly optimise late.
func speeds(b *testing.B, bar float64, do func(n int)) {
	defer codec.Use(cpu.Used())
	var sides []func()
	var names []string
	var sizes, bars []float64
	for _, n := range []int{inCache, beyond} {
		for _, level := range levels() {
			times := max(1<<22/n, 1)
			sides = append(sides, func() {
				codec.Use(level)
				for range times {
					do(n)
				}
			})
			names = append(names, map[int]string{inCache: "in_cache_", beyond: "beyond_"}[n]+level.String())
			sizes, bars = append(sizes, float64(n*times)), append(bars, 0)
			if level == cpu.Used() {
				bars[len(bars)-1] = bar
			}
		}
	}
	var took []time.Duration
	for b.Loop() {
		took = paired.Times(2*time.Second, sides...)
	}
	for i, t := range took {
		speed := sizes[i] / float64(t.Nanoseconds())
		b.ReportMetric(speed, "GB/s_"+names[i])
		if speed < bars[i] {
			b.Errorf("%s: %.2f GB a second, want %v", names[i], speed, bars[i])
		}
	}
}

// BenchmarkPackBits holds packing, check of the codes included, to its speed.
//
// Bound: 8 codes take 28 instructions in Go (7 to check, 21 to pack), 7 cycles of four. 64
// codes take 13 vector instructions of AVX-512, twice as many of AVX2: 7 and 13 cycles of two.
// Beyond the caches a code is read twice and width/8 bytes are fetched and written.
func BenchmarkPackBits(b *testing.B) {
	id, bar := row("S3.9")
	r := rand.New(rand.NewPCG(7, 3))
	out := make([]byte, beyond)
	for _, bits := range []int{3, 5, 7, 8} {
		codes := signedCodes(r, beyond, bits)
		b.Run(fmt.Sprintf("%s/%d", id, bits), func(b *testing.B) {
			speeds(b, bar, func(n int) {
				if _, err := tensorq.PackBits(codes[:n], bits, out); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	underWasm(b, "BenchmarkPackBits")
}

// BenchmarkUnpackBits holds unpacking, search for codes never written included, to its speed.
//
// Bound: 8 codes take 30 instructions in Go (8 to look through them, 22 to unpack), 8 cycles
// of four. 64 codes take 20 vector instructions of AVX-512, twice as many of AVX2: 10 and 20
// cycles of two. Beyond the caches width/8 bytes are read twice, a byte is fetched and written.
func BenchmarkUnpackBits(b *testing.B) {
	id, bar := row("S3.10")
	r := rand.New(rand.NewPCG(8, 3))
	data, out := make([]byte, beyond), make([]int8, beyond)
	for _, bits := range []int{3, 5, 7, 8} {
		if _, err := tensorq.PackBits(signedCodes(r, beyond, bits), bits, data); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s/%d", id, bits), func(b *testing.B) {
			speeds(b, bar, func(n int) {
				if _, err := tensorq.UnpackBits(data, bits, out[:n]); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	underWasm(b, "BenchmarkUnpackBits")
}

// q4Bar is what blocks of Q4_0 are held to: GB of float32 a second on one core.
const q4Bar = 4

// BenchmarkQuantizeQ4_0 holds making blocks of 4 bits, finding what is not finite included, to
// its speed.
//
// Bound: 32 values take some 50 vector instructions of AVX-512 (4 times 6 uops to round 8 values,
// 12 instructions to find the maximum, two divisions that other blocks' work hides), 25 to 30
// cycles of two; twice that of AVX2; some 300 instructions in Go. Beyond the caches 128 bytes are
// fetched, 20 fetched and written.
func BenchmarkQuantizeQ4_0(b *testing.B) {
	values, blocks := q4Floats(), make([]byte, tensorq.Q4_0Size(beyond/4))
	b.Run("S4.22", func(b *testing.B) {
		speeds(b, q4Bar, func(n int) {
			if _, err := tensorq.QuantizeQ4_0(blocks, values[:n/4]); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// BenchmarkDequantizeQ4_0 holds reading blocks of 4 bits, the check of their scales included, to its
// speed.
//
// Bound: 32 values take 11 vector instructions of AVX-512, 21 of AVX2, which the stores of 128
// bytes hide, some 150 instructions in Go. Beyond the caches 128 bytes are fetched and written,
// 20 fetched twice.
func BenchmarkDequantizeQ4_0(b *testing.B) {
	out, blocks := q4Floats(), make([]byte, tensorq.Q4_0Size(beyond/4))
	if _, err := tensorq.QuantizeQ4_0(blocks, out); err != nil {
		b.Fatal(err)
	}
	b.Run("S4.23", func(b *testing.B) {
		speeds(b, q4Bar, func(n int) {
			if err := tensorq.DequantizeQ4_0(blocks[:tensorq.Q4_0Size(n/4)], out[:n/4]); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// q4Floats are as many floats as beyond has room for.
func q4Floats() []float32 {
	r := rand.New(rand.NewPCG(10, 3))
	values := make([]float32, beyond/4)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return values
}

// plain is the largest magnitude as one writes it.
func plain(values []float32) float32 {
	most := float32(0)
	for _, v := range values {
		if v = float32(math.Abs(float64(v))); v > most {
			most = v
		}
	}
	return most
}

var sink float32

// BenchmarkMaxAbs holds the vectors to three times the plain loop.
//
// Bound: two loads a cycle of 8 floats (AVX2) or 16 (AVX-512) in cache, while the plain loop
// waits for each maximum.
func BenchmarkMaxAbs(b *testing.B) {
	defer codec.Use(cpu.Used())
	r := rand.New(rand.NewPCG(9, 3))
	values := make([]float32, 1<<16)
	for i := range values {
		values[i] = float32(math.Exp(r.NormFloat64()) * r.NormFloat64())
	}
	for _, n := range []int{512, 4096, 65536} {
		b.Run(fmt.Sprintf("S3.22/%d", n), func(b *testing.B) {
			times := 1 << 20 / n
			sides := []func(){func() {
				for range times {
					sink += plain(values[:n])
				}
			}}
			for _, level := range levels() {
				sides = append(sides, func() {
					codec.Use(level)
					for range times {
						sink += codec.MaxAbs(values[:n])
					}
				})
			}
			var took []time.Duration
			for b.Loop() {
				took = paired.Times(time.Second, sides...)
			}
			b.ReportMetric(float64(took[0])/(1<<20), "ns/value_plain")
			for i, level := range levels() {
				ratio := float64(took[0]) / float64(took[1+i])
				b.ReportMetric(ratio, "x_"+level.String())
				if level > cpu.Generic && ratio < 3 {
					b.Errorf("%v: %.2f times as fast as the plain loop, want 3", level, ratio)
				}
			}
		})
	}
}
