package csv

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// textOf returns random text of few characters, so that quotes stand everywhere.
func textOf(draw *rand.Rand, most int) []byte {
	const usual = "ab,\n"
	const odd = "\"\"\"\" \t\r;"
	text := make([]byte, draw.IntN(most))
	often := draw.IntN(4)
	if draw.IntN(3) == 0 { // mostly cells with quotes, as they are written
		var b []byte
		for len(b) < len(text) {
			b = append(b, []string{`"a",`, `"a` + "\n" + `b",`, `"a""b",`, `"",`, `"a"` + "\n", `ab,`, "\n", `"a,""",`, `"a" ,`, ` "a",`, `a"b,`, `"a"b,`}[draw.IntN(8+often)]...)
		}
		return b
	}
	for i := range text {
		from := usual
		if draw.IntN(4) < often {
			from = odd
		}
		text[i] = from[draw.IntN(len(from))]
	}
	return text
}

// Where ranks find that records begin, they do for a reader of the whole text.
func TestRecordsBegin(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		text := textOf(draw, 400)
		if draw.IntN(200) == 0 {
			text = textOf(draw, 5*crossed)
		}
		r := &CellReader{Sep: ",;\t"[draw.IntN(3)]}
		begins := []int64{0}
		for padded, i := append(slices.Clone(text), '\n'), 0; i < len(text); {
			i, _ = r.recordEnd(padded, i)
			begins = append(begins, int64(min(i, len(text))))
		}
		cuts := []int64{0}
		for range draw.IntN(8) {
			cuts = append(cuts, int64(draw.IntN(len(text)+1)))
		}
		slices.Sort(cuts)
		var of []stretch
		for k, from := range cuts {
			to := int64(len(text))
			if k+1 < len(cuts) {
				to = cuts[k+1]
			}
			of = append(of, stretch{From: from, Crossing: r.cross(text[from:to], from)})
		}
		got := recordsBegin(of, int64(len(text)))
		for k, from := range append(cuts, int64(len(text))) {
			at, _ := slices.BinarySearch(begins, from)
			if want := begins[at]; got[k] != want {
				t.Fatalf("%q, separator %q, cut at %d: part %d begins at %d, want %d", text, r.Sep, cuts, k, got[k], want)
			}
		}
	}
}

// BenchmarkCross tells how fast text is crossed: without quotes, with a few, and with all cells in quotes.
func BenchmarkCross(b *testing.B) {
	for name, cell := range map[string]string{"none": "0.1234,-1.5\n", "few": "0.1234,-1.5,0.7773,12.25,-0.3333,\"a, b\"\n", "all": "\"red\",\"2024-01-02\",\"0.25\"\n"} {
		b.Run(name, func(b *testing.B) {
			text := bytes.Repeat([]byte(cell), 1<<20/len(cell))
			b.SetBytes(int64(len(text)))
			r := &CellReader{Sep: ','}
			for b.Loop() {
				r.cross(text, 0)
			}
		})
	}
}
