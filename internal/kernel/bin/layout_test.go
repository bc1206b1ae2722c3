package bin

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
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
	for rows := range 40 {
		const stride = 13
		var columns [8][]uint8
		for i := range columns {
			columns[i] = make([]uint8, rows)
			for r := range columns[i] {
				columns[i][r] = uint8(rng.Uint32())
			}
		}
		for _, width := range []int{4, 8} {
			got := bytes.Repeat([]byte{0xEE}, rows*stride+8)
			if width == 8 {
				Transpose8(got, stride, &columns)
			} else {
				Transpose4(got, stride, (*[4][]uint8)(columns[:4]))
			}
			want := bytes.Repeat([]byte{0xEE}, rows*stride+8)
			for r := range rows {
				for i := range width {
					want[r*stride+i] = columns[i][r]
				}
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%d rows of %d: got % x, want % x", rows, width, got, want)
			}
		}
	}
}
