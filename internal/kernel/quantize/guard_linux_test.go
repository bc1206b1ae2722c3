package quantize_test

import (
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/quantize"
	"boost/internal/testenv"
)

// memory gives slices that begin, or end, where memory may not be touched.
type memory struct {
	name   string
	floats func(n int) []float32
	signed func(n int) []int16
	words  func(n int) []uint16
	bytes  func(n int) []uint8
}

func fences(t *testing.T) []memory {
	return []memory{
		{
			"first",
			func(n int) []float32 { return testenv.FencedFirst[float32](t, n) }, func(n int) []int16 { return testenv.FencedFirst[int16](t, n) },
			func(n int) []uint16 { return testenv.FencedFirst[uint16](t, n) }, func(n int) []uint8 { return testenv.FencedFirst[uint8](t, n) },
		},
		{
			"last",
			func(n int) []float32 { return testenv.FencedLast[float32](t, n) }, func(n int) []int16 { return testenv.FencedLast[int16](t, n) },
			func(n int) []uint16 { return testenv.FencedLast[uint16](t, n) }, func(n int) []uint8 { return testenv.FencedLast[uint8](t, n) },
		},
	}
}

// A read or a write past either end of the gradients, of their codes, or of a list of rows
// kills the test.
func TestStaysInItsMemory(t *testing.T) {
	defer quantize.Use(cpu.Used())
	for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		if level <= cpu.Used() {
			quantize.Use(level)
			testMemory(t, level.String())
		}
	}
}

// testMemory makes codes in memory between pages that may not be touched.
func testMemory(t *testing.T, vectors string) {
	for n := 1; n < 100; n++ {
		for _, m := range fences(t) {
			grad, hess, gc, hc := m.floats(n), m.floats(n), m.signed(n), m.words(n)
			rows, words, bytes := m.words(n), m.words(n), m.bytes(n)
			for i := range n {
				grad[i], hess[i], rows[i] = float32(i-n/2), float32(i), uint16(i)
			}
			quantize.Scan(grad, hess)
			quantize.ScanRows(grad, hess, rows)
			if low, high := quantize.Span(grad); low != grad[0] || high != grad[n-1] {
				t.Fatalf("%d rows, %v: span from %v to %v, want %v to %v", n, vectors, low, high, grad[0], grad[n-1])
			}
			quantize.SpanRows(grad, rows)
			for _, rule := range wholeNumbers {
				want := n - 1 - n/2 - int(rule.GradOffset)
				check := func(form string) {
					if int(gc[n-1]) != want || int(hc[n-1]) != n-1 {
						t.Fatalf("%d rows %s, %v, %+v: the last codes are (%d, %d), want (%d, %d)", n, form, vectors, rule, gc[n-1], hc[n-1], want, n-1)
					}
					clear(gc)
					clear(hc)
				}
				quantize.Make(gc, hc, grad, hess, 0, rule)
				check("in order")
				quantize.MakeListed(gc, hc, grad, hess, 0, rows, rule)
				check("brought together")
				quantize.MakeRows(gc, hc, grad, hess, 0, rows, rule)
				check("listed")
				for _, listed := range []bool{false, true} {
					quantize.Pack8(words, grad, hess, 0, rows, listed, rule)
					quantize.Pack4(bytes, grad, hess, 0, rows, listed, rule)
					gc[n-1], hc[n-1] = quantize.Unpack8(words[n-1])
					check("packed")
				}
			}
			quantize.Join8(words, gc, hc)
			quantize.Join4(bytes, gc, hc)
		}
	}
}

// Neither are codes of 32 bits read or written past their ends.
func TestWideCodesStayInTheirMemory(t *testing.T) {
	defer quantize.Use(cpu.Used())
	for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		if !quantize.Use(level) {
			continue
		}
		for n := 1; n < 100; n++ {
			for i, m := range fences(t) {
				grad, hess := m.floats(n), m.floats(n)
				signed, words := testenv.FencedFirst[int32], testenv.FencedFirst[uint32]
				if i == 1 {
					signed, words = testenv.FencedLast[int32], testenv.FencedLast[uint32]
				}
				gc, hc := signed(t, n), words(t, n)
				for i := range n {
					grad[i], hess[i] = float32(i-n/2), float32(i)
				}
				quantize.Codes(gc, hc, grad, hess, 1, 1, 1<<31-1, 1<<32-1)
				for i := range n {
					if int(gc[i]) != i-n/2 || int(hc[i]) != i {
						t.Fatalf("%v, %s: row %d of %d has codes (%d, %d), want (%d, %d)", level, m.name, i, n, gc[i], hc[i], i-n/2, i)
					}
				}
			}
		}
	}
}
