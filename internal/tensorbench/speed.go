package tensorbench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"boost/internal/cpu"
	"boost/internal/kernel/codec"
	"boost/internal/paired"
	"boost/tensorq"
)

const (
	perStream = 64 << 10 // codes, which stay in cache with their bytes
	perTurn   = 16       // streams
	bar       = 2.0      // GB of codes a second
	// WebAssembly's engines run the portable code at 0.66 times its speed here and more
	// (docs/performance.md, "Kernels"), so twice their bar is on the safe side.
	webAssemblyBar, portableBar = 0.5, 1.0
)

var streamBits = []int{3, 5, 7, 8}

// packing returns what packs streams of each width, and what unpacks them.
func packing() (pack, unpack []func(), err error) {
	for _, bits := range streamBits {
		in, out := codes(perStream, bits), make([]int8, perStream)
		data := make([]byte, tensorq.PackedSize(perStream, bits))
		if _, err := tensorq.PackBits(in, bits, data); err != nil {
			return nil, nil, err
		}
		if _, err := tensorq.UnpackBits(data, bits, out); err != nil {
			return nil, nil, err
		}
		// Neither can fail now.
		pack = append(pack, func() {
			for range perTurn {
				_, _ = tensorq.PackBits(in, bits, data)
			}
		})
		unpack = append(unpack, func() {
			for range perTurn {
				_, _ = tensorq.UnpackBits(data, bits, out)
			}
		})
	}
	return pack, unpack, nil
}

// rates says how many GB of codes a second each side takes, and returns the least.
func rates(budget time.Duration, sides []func()) (text string, least float64) {
	least = math.Inf(1)
	var parts []string
	for i, took := range paired.Times(budget, sides...) {
		rate := perStream * perTurn / float64(max(took.Nanoseconds(), 1))
		least = min(least, rate)
		parts = append(parts, fmt.Sprintf("%.1f at %d bits", rate, streamBits[i]))
	}
	return strings.Join(parts, ", "), least
}

func packSpeed(o Options) (string, bool, error) {
	pack, _, err := packing()
	if err != nil {
		return "", false, err
	}
	text, least := rates(o.Budget, pack)
	return text, least >= bar, nil
}

func unpackSpeed(o Options) (string, bool, error) {
	_, unpack, err := packing()
	if err != nil {
		return "", false, err
	}
	text, least := rates(o.Budget, unpack)
	return text, least >= bar, nil
}

// webAssemblySpeed measures the code that WebAssembly runs: under WebAssembly itself, or here
// against a higher bar.
func webAssemblySpeed(o Options) (text string, ok bool, err error) {
	pack, unpack, err := packing()
	if err != nil {
		return "", false, err
	}
	codec.Portable(func() {
		_, packed := rates(o.Budget/2, pack)
		_, unpacked := rates(o.Budget/2, unpack)
		if runtime.GOARCH == "wasm" {
			text, ok = fmt.Sprintf("%.1f and %.1f at the slowest width", packed, unpacked), min(packed, unpacked) >= webAssemblyBar
			return
		}
		text = fmt.Sprintf("its code, the portable one, %.1f and %.1f outside of it, where %.0f is asked for (make wasm measures engines)", packed, unpacked, portableBar)
		ok = min(packed, unpacked) >= portableBar
	})
	return text, ok, nil
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

func maxAbsSpeed(o Options) (string, bool, error) {
	const ratio = 3
	values := drawn(8, 1<<16, func(r *rand.Rand) float64 { return r.NormFloat64() })
	sink, least := float32(0), math.Inf(1)
	var parts []string
	for _, n := range []int{512, 4096, 65536} {
		repeat := func(of func([]float32) float32) func() {
			return func() {
				for range len(values) / n {
					sink += of(values[:n])
				}
			}
		}
		x := paired.Ratio(o.Budget/3, repeat(plain), repeat(tensorq.MaxAbs))
		least = min(least, x)
		parts = append(parts, fmt.Sprintf("%.1f times of %d", x, n))
	}
	text := strings.Join(parts, ", ")
	if cpu.Used() == cpu.Generic {
		text += ", without vectors"
	}
	runtime.KeepAlive(sink)
	return text, least >= ratio, nil
}

// allocations counts what the calls take from the heap. Other goroutines may take something
// at any time, so the least of several counts is theirs.
func allocations(Options) (string, bool, error) {
	pack, unpack, err := packing()
	if err != nil {
		return "", false, err
	}
	values := drawn(9, 4096, func(r *rand.Rand) float64 { return r.NormFloat64() })
	sink := float32(0)
	all, least, calls := slices.Concat(pack, unpack), uint64(math.MaxUint64), 0
	var before, after runtime.MemStats
	for range 5 {
		calls = 0
		runtime.ReadMemStats(&before)
		for _, do := range all {
			do()
			calls += perTurn
		}
		for range 1000 {
			sink += tensorq.MaxAbs(values)
			calls++
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.Mallocs-before.Mallocs)
	}
	runtime.KeepAlive(sink)
	return fmt.Sprintf("%d allocations in %d calls", least, calls), least == 0, nil
}
