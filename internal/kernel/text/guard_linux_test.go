package text

import (
	"testing"

	"boost/internal/cpu"
	"boost/internal/testenv"
)

// A read past either end of the text kills the test: windows at its beginning and at its
// end, with cells as long as numbers get, and lengths up to several vectors.
func TestWindowStaysInItsText(t *testing.T) {
	testenv.Vectors(t, cpu.AVX512)
	const cells = "-123456.7890123,5\n,1.5,12345678901234567890,"
	for n := 1; n < 300; n++ {
		for _, text := range [][]byte{testenv.FencedFirst[byte](t, n), testenv.FencedLast[byte](t, n)} {
			for i := range text {
				text[i] = cells[i%len(cells)]
			}
			for _, at := range []int{0, 1, n / 2, max(n-70, 0), max(n-17, 0), n - 1} {
				var w Window
				w.Read(text, at, ',', '.')
				if w.Seek(at) {
					if _, ends := w.Numbers(); len(ends) > 0 && int(ends[len(ends)-1]) > n {
						t.Fatalf("%d bytes: a cell ends at %d", n, ends[len(ends)-1])
					}
				}
			}
		}
	}
}

// Ends writes behind what it found, and never behind its list: texts of separators alone
// fill that to the last element.
func TestEndsStayInTheirList(t *testing.T) {
	testenv.Vectors(t, cpu.AVX512)
	for n := 64; n < 300; n++ {
		for every := 1; every < 5; every++ {
			b, list := testenv.FencedLast[byte](t, 512), testenv.FencedLast[int32](t, n)
			for i := range b {
				b[i] = "x;"[min(1, i%every/max(every-1, 1))]
			}
			for _, at := range []int{0, 1, 63, 64, 448} {
				Ends(list, b, at, ';')
			}
		}
	}
}
