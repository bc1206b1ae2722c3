package text

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"boost/internal/cpu"
)

// usual says by the words of Next's comment whether a cell is a number of the usual kind.
func usual(cell string, decimal byte) (float64, bool) {
	digits := 0
	mantissa, point := uint64(0), false
	plain := []byte(cell)
	for i, c := range plain {
		switch {
		case c == '-' && i == 0:
		case c == decimal && !point:
			point = true
			plain[i] = '.'
		case c >= '0' && c <= '9':
			digits++
			mantissa = mantissa*10 + uint64(c-'0')
		default:
			return 0, false
		}
	}
	if len(cell) > 16 || digits == 0 || mantissa >= 1<<53 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(plain), 64)
	return v, err == nil
}

// Every cell in the window is what strconv makes of it, is found where it is, and those
// that are none of the usual kind are said to be none.
func TestWindow(t *testing.T) {
	if cpu.Used() != cpu.AVX512 {
		var w Window
		if n, numbers := w.Read(bytes.Repeat([]byte("1,2\n"), 100), 16, ',', '.'); n != 0 || numbers != 0 || w.Seek(16) {
			t.Fatalf("%d cells without vectors", n)
		}
		return
	}
	rng := rand.New(rand.NewPCG(3, 9))
	odd := []string{"", "-", ".", "-.", "5.", ".5", "-.5", "-5.", "1-2", "--1", "1.2.3", ".1.", "1e5", "nan", " 1", "1 ", "+1", "\xff", "0", "-0",
		"9007199254740991", "9007199254740992", "9999999999999999", "999999999999999", "-999999999999999", "12345678901234567", "0000000000000000", "-00000000000000.",
		"0.00000000000001", ".000000000000001", "-.00000000000001", "12345678.1234567", "1234567.12345678", "123456789.123456", "1234567.8", "12345678.", ".12345678", "1.2345678", "/", ":", "1/", "1:"}
	for _, decimal := range []byte{'.', ','} {
		for round := range 4000 {
			text := []byte("sixteen bytes of anything")
			at := len(text)
			var cells []string
			for range rng.IntN(150) {
				var cell []byte
				if rng.IntN(4) == 0 {
					cell = []byte(odd[rng.IntN(len(odd))])
				} else {
					if rng.IntN(2) == 0 {
						cell = append(cell, '-')
					}
					whole := rng.IntN(9)
					for range whole {
						cell = append(cell, byte('0'+rng.IntN(10)))
					}
					if rng.IntN(3) > 0 {
						cell = append(cell, '.')
						for range rng.IntN(10) {
							cell = append(cell, byte('0'+rng.IntN(10)))
						}
					}
					if rng.IntN(30) == 0 && len(cell) > 0 {
						cell[rng.IntN(len(cell))] = byte(rng.Uint32())
					}
				}
				cell = bytes.Map(func(r rune) rune {
					if r == ';' || r == '\n' {
						return 'x'
					}
					return r
				}, bytes.ReplaceAll(cell, []byte("."), []byte{decimal}))
				cells = append(cells, string(cell))
				text = append(append(text, cell...), ";\n"[rng.IntN(2)])
			}
			padding := rng.IntN(130)
			text = append(text, bytes.Repeat([]byte{'7'}, padding)...)
			var w Window
			n, numbers := w.Read(text, at, ';', decimal)
			if want := min(len(cells), Cells); n > want || padding >= 64 && n < want {
				t.Fatalf("round %d: %d cells of %d, padding %d", round, n, len(cells), padding)
			}
			i := at
			for k, cell := range cells[:n] {
				if !w.Seek(i) {
					t.Fatalf("round %d: cell %d %q at %d is not there", round, k, cell, i)
				}
				want, good := usual(cell, decimal)
				values, ends := w.Numbers()
				if (len(values) > 0) != good || len(ends) != len(values) ||
					good && (math.Float64bits(values[0]) != math.Float64bits(want) || int(ends[0]) != i+len(cell)) {
					t.Fatalf("round %d: cell %d %q at %d is %v, ends at %d; want %v %v", round, k, cell, i, values, ends, want, good)
				}
				if good {
					numbers--
				}
				if more := w.Skip(min(1, len(values))); more != (k+1 < n) && good {
					t.Fatalf("round %d: after cell %d of %d there are more: %v", round, k, n, more)
				}
				i += len(cell) + 1
			}
			if numbers != 0 || w.Seek(i) {
				t.Fatalf("round %d: %d numbers too many, or a cell behind the last", round, numbers)
			}
		}
	}
}
