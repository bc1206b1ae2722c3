package codec_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/codec"
	"boost/internal/testenv"
)

// size is that of a stream.
func size(n, bits int) int { return (n*bits + 7) / 8 }

func signedCodes(r *rand.Rand, n, bits int) []int8 {
	most := 1<<(bits-1) - 1
	codes := make([]int8, n)
	for i := range codes {
		codes[i] = int8(r.IntN(2*most+1) - most)
	}
	return codes
}

func unsignedCodes(r *rand.Rand, n, bits int) []uint8 {
	codes := make([]uint8, n)
	for i := range codes {
		codes[i] = uint8(r.IntN(1 << bits))
	}
	return codes
}

// onEach runs a test with the Go forms and with each instruction set.
func onEach(t *testing.T, test func(t *testing.T)) {
	for _, level := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(level.String(), func(t *testing.T) {
			testenv.Vectors(t, level)
			defer codec.Use(cpu.Used())
			codec.Use(level)
			test(t)
		})
	}
}

// lengths are all up to several vectors and some that take more than one call.
func lengths() []int {
	var all []int
	for n := range 400 {
		all = append(all, n)
	}
	return append(all, 1<<14-1, 1<<14+33, 1<<18-1, 1<<18+1, 1<<18+95)
}

// Every instruction set writes the stream that the definition describes, and reads it.
func TestStreams(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			t.Run(fmt.Sprintf("S3.2/S3.7/bits=%d", bits), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, uint64(bits)))
				for _, n := range lengths() {
					testStream(t, r, n, bits)
				}
			})
		}
	})
}

func testStream(t *testing.T, r *rand.Rand, n, bits int) {
	t.Helper()
	const room = 70
	signed, unsigned := signedCodes(r, n, bits), unsignedCodes(r, n, bits)
	for _, c := range []struct {
		name string
		at   func(i int) int
		pack func(out []byte)
		back func(data []byte) (same, clean bool)
	}{
		{
			"signed", func(i int) int { return int(signed[i]) + 1<<(bits-1) - 1 },
			func(out []byte) { codec.Pack(out, signed, bits) },
			func(data []byte) (bool, bool) {
				all := slices.Repeat([]int8{-77}, n+2*room)
				codec.Unpack(all[room:room+n], data, bits)
				return slices.Equal(all[room:room+n], signed), fenced(all, room, -77)
			},
		},
		{
			"unsigned", func(i int) int { return int(unsigned[i]) },
			func(out []byte) { codec.PackUnsigned(out, unsigned, bits) },
			func(data []byte) (bool, bool) {
				all := slices.Repeat([]uint8{77}, n+2*room)
				codec.UnpackUnsigned(all[room:room+n], data, bits)
				return slices.Equal(all[room:room+n], unsigned), fenced(all, room, 77)
			},
		},
	} {
		want := make([]byte, size(n, bits)+1)
		for i := range n { // a code lies in two bytes at most
			w := c.at(i) << (i * bits % 8)
			want[i*bits/8] |= byte(w)
			want[i*bits/8+1] |= byte(w >> 8)
		}
		want = want[:size(n, bits)]
		all := bytes.Repeat([]byte{0xa5}, len(want)+2*room)
		out := all[room : room+len(want)]
		c.pack(out)
		if !bytes.Equal(out, want) {
			t.Fatalf("%d %s codes of %d bits: % x, want % x", n, c.name, bits, clip(out), clip(want))
		}
		if !fenced(all, room, 0xa5) {
			t.Fatalf("%d %s codes of %d bits: written outside of the stream", n, c.name, bits)
		}
		// What lies around the stream is read by nobody: it would change codes.
		same, clean := c.back(out)
		if !same || !clean {
			t.Fatalf("%d %s codes of %d bits come back the same: %v, nothing written outside: %v", n, c.name, bits, same, clean)
		}
	}
}

func clip(b []byte) []byte { return b[:min(len(b), 100)] }

// fenced reports whether the first and last elements are still what they were.
func fenced[E comparable](all []E, room int, was E) bool {
	for i := range room {
		if all[i] != was || all[len(all)-1-i] != was {
			return false
		}
	}
	return true
}

// A code that does not belong there is found wherever it is, the first of several.
func TestChecks(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			t.Run(fmt.Sprintf("S3.4/bits=%d", bits), func(t *testing.T) {
				r := rand.New(rand.NewPCG(2, uint64(bits)))
				most := 1<<(bits-1) - 1
				for _, n := range []int{0, 1, 7, 8, 9, 31, 64, 65, 100, 127, 193, 300, 1<<14 + 200} {
					codes, unsigned := signedCodes(r, n, bits), unsignedCodes(r, n, bits)
					data := make([]byte, size(n, bits))
					codec.Pack(data, codes, bits)
					if a, b, c := codec.OutOfRange(codes, bits), codec.TooLarge(unsigned, bits), codec.NeverWritten(data, n, bits); a != -1 || b != -1 || c != -1 {
						t.Fatalf("%d good codes: %d, %d, %d", n, a, b, c)
					}
					for at := 0; at < n; at += 1 + at/300*97 {
						// Every value that is none, in turn; all bits set to 1 in the stream.
						good := codes[at]
						values := 255 - 2*most
						bad := int8((most + 1 + at%values) & 0xff)
						codes[at] = bad
						if got := codec.OutOfRange(codes, bits); got != at {
							t.Fatalf("%d codes of %d bits, %d at %d: found at %d", n, bits, bad, at, got)
						}
						last := codes[n-1]
						codes[n-1] = int8(-most - 1)
						if got := codec.OutOfRange(codes, bits); got != at {
							t.Fatalf("%d codes of %d bits, %d at %d and at the end: found at %d", n, bits, bad, at, got)
						}
						codes[n-1] = last
						codes[at] = good

						if bits < 8 {
							good := unsigned[at]
							unsigned[at] = uint8(1<<bits + at%(256-1<<bits))
							if got := codec.TooLarge(unsigned, bits); got != at {
								t.Fatalf("%d codes of %d bits, %d at %d: found at %d", n, bits, unsigned[at], at, got)
							}
							unsigned[at] = good
						}

						broken := slices.Clone(data)
						for j := at * bits; j < (at+1)*bits; j++ {
							broken[j/8] |= 1 << (j % 8)
						}
						if got := codec.NeverWritten(broken, n, bits); got != at {
							t.Fatalf("%d codes of %d bits, all bits set at %d: found at %d", n, bits, at, got)
						}
					}
				}
			})
		}
	})
}

// Each of the 256 values is judged right at each place of two vectors and a rest.
func TestEveryValue(t *testing.T) {
	onEach(t, func(t *testing.T) {
		for bits := 1; bits <= 8; bits++ {
			t.Run(fmt.Sprintf("S3.4/bits=%d", bits), func(t *testing.T) {
				most := 1<<(bits-1) - 1
				codes, unsigned := make([]int8, 141), make([]uint8, 141)
				for at := range codes {
					for v := -128; v < 128; v++ {
						codes[at], unsigned[at] = int8(v), uint8(v)
						want, wantUnsigned := -1, -1
						if v < -most || v > most {
							want = at
						}
						if int(uint8(v)) >= 1<<bits {
							wantUnsigned = at
						}
						if a, b := codec.OutOfRange(codes, bits), codec.TooLarge(unsigned, bits); a != want || b != wantUnsigned {
							t.Fatalf("%d at %d: %d and %d, want %d and %d", v, at, a, b, want, wantUnsigned)
						}
					}
					codes[at], unsigned[at] = 0, 0
				}
			})
		}
	})
}

// The largest magnitude is the same with every instruction set, bit for bit.
func TestMaxAbsVectors(t *testing.T) {
	onEach(t, func(t *testing.T) {
		t.Run("S3.21", func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 3))
			for _, n := range lengths() {
				values := make([]float32, n)
				for i := range values {
					values[i] = math.Float32frombits(r.Uint32() & 0x80ffffff) // up to 2⁻¹²⁵, subnormal numbers among them
				}
				check := func(want float32) {
					t.Helper()
					if got := codec.MaxAbs(values); math.Float32bits(got) != math.Float32bits(want) {
						t.Fatalf("%d values: %v, want %v", n, got, want)
					}
				}
				most := uint32(0)
				for _, v := range values {
					most = max(most, math.Float32bits(v)&0x7fffffff)
				}
				check(math.Float32frombits(most))
				for at := 0; at < n; at += 1 + at/130*997 {
					was := values[at]
					for v, want := range map[uint32]float32{
						0x3f800000: 1, 0xbf800000: 1, 0x7f7fffff: math.MaxFloat32, 0xff7fffff: math.MaxFloat32,
						0x7f800000: float32(math.Inf(1)), 0xff800000: float32(math.Inf(1)),
						0x7f800001: float32(math.NaN()), 0xff800001: float32(math.NaN()), 0xffffffff: float32(math.NaN()), 0x7fc00000: float32(math.NaN()),
					} {
						values[at] = math.Float32frombits(v)
						check(want)
					}
					values[at] = was
				}
			}
		})
	})
}
