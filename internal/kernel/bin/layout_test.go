package bin

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"boost/internal/cpu"
	"boost/internal/paired"
)

func TestNibbles(t *testing.T) {
	t.Run("S0.17/golden", func(t *testing.T) {
		got := make([]byte, 2)
		if bad := PackNibbles(got, []uint8{1, 2, 3}); bad != -1 || !bytes.Equal(got, []byte{0x21, 0x03}) {
			t.Errorf("pack [1 2 3] = % x (bad %d), want 21 03", got, bad)
		}
		if bad := PackNibbles(nil, nil); bad != -1 {
			t.Errorf("pack [] reports code %d", bad)
		}
	})
	t.Run("S0.17/code_above_15", func(t *testing.T) {
		for _, c := range []struct {
			codes []uint8
			want  int
		}{{[]uint8{15, 15, 15}, -1}, {[]uint8{16}, 0}, {[]uint8{0, 1, 255, 16}, 2}, {[]uint8{0, 1, 2, 3, 16}, 4}} {
			if got := PackNibbles(make([]byte, 3), c.codes); got != c.want {
				t.Errorf("PackNibbles(%v) reports %d, want %d", c.codes, got, c.want)
			}
		}
	})
	t.Run("S0.17/round_trip", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for n := range 66 {
			codes := make([]uint8, n)
			for i := range codes {
				codes[i] = uint8(rng.IntN(16))
			}
			packed := bytes.Repeat([]byte{0xEE}, (n+1)/2+4)
			if bad := PackNibbles(packed, codes); bad != -1 {
				t.Fatalf("length %d: code %d reported", n, bad)
			}
			if !bytes.Equal(packed[(n+1)/2:], []byte{0xEE, 0xEE, 0xEE, 0xEE}) {
				t.Fatalf("length %d: wrote beyond ⌈n/2⌉ bytes", n)
			}
			if n&1 == 1 && packed[n/2]>>4 != 0 {
				t.Fatalf("length %d: spare nibble is %x", n, packed[n/2]>>4)
			}
			got := make([]uint8, n)
			UnpackNibbles(got, packed)
			if !slices.Equal(got, codes) {
				t.Fatalf("length %d: got %v, want %v", n, got, codes)
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for rows := range 131 {
		for _, stride := range []int{8, 13, 64} {
			for _, level := range levels() {
				checkTranspose(t, rng, rows, stride, level)
			}
		}
	}
}

func checkTranspose(t *testing.T, rng *rand.Rand, rows, stride int, level cpu.Level) {
	t.Helper()
	var columns [8][]uint8
	for i := range columns {
		offset := rng.IntN(16)
		columns[i] = make([]uint8, offset+rows)[offset:]
		for r := range columns[i] {
			columns[i][r] = uint8(rng.Uint32())
		}
	}
	for _, width := range []int{4, 8} {
		got := bytes.Repeat([]byte{0xEE}, rows*stride+8)
		if width == 8 {
			transpose8(got, stride, &columns, vectorRows8(got, stride, &columns, level))
		} else {
			four := (*[4][]uint8)(columns[:4])
			transpose4(got, stride, four, vectorRows4(got, stride, four, level))
		}
		want := bytes.Repeat([]byte{0xEE}, rows*stride+8)
		for r := range rows {
			for i := range width {
				want[r*stride+i] = columns[i][r]
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%s: %d rows of %d: got % x, want % x", level, rows, width, got, want)
		}
	}
}

// BenchmarkTranspose sets the vectors beside the Go form. Bound: a store of 8 codes a
// cycle, and 24 joins of two vectors for 16 rows.
func BenchmarkTranspose(b *testing.B) {
	const rows, stride = 2048, 28
	var columns [8][]uint8
	for i := range columns {
		columns[i] = make([]uint8, rows)
	}
	four := (*[4][]uint8)(columns[:4])
	dst := make([]byte, rows*stride)
	for _, width := range []int{4, 8} {
		b.Run(fmt.Sprintf("columns=%d", width), func(b *testing.B) {
			side := func(level cpu.Level) func() {
				if width == 4 {
					return func() { transpose4(dst, stride, four, vectorRows4(dst, stride, four, level)) }
				}
				return func() { transpose8(dst, stride, &columns, vectorRows8(dst, stride, &columns, level)) }
			}
			for b.Loop() {
				t := paired.Times(50*time.Millisecond, side(cpu.Generic), side(cpu.Used()))
				b.ReportMetric(float64(t[0].Nanoseconds())/rows/float64(width), "ns/code_go")
				b.ReportMetric(float64(t[1].Nanoseconds())/rows/float64(width), "ns/code")
			}
		})
	}
}
