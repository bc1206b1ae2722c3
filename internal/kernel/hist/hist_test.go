package hist_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/cpu"
	"boost/internal/kernel/hist"
	"boost/internal/testenv"
)

// sum is one slot of the reference histogram.
type sum struct {
	grad int64
	hess uint64
	rows uint64
}

// block is one block's rows in every form that a kernel reads.
type block struct {
	rows   []uint16 // the node's, ascending
	grad   []int16
	hess   []uint16
	grad32 []int32
	hess32 []uint32
	gradF  []float32
	hessF  []float32
	codes  [][]uint32 // by feature
}

// randomBlock draws a block of n rows of which a share is in the node.
func randomBlock(r *rand.Rand, n, features int, nCodes uint32, share float64) *block {
	b := &block{
		grad: make([]int16, n), hess: make([]uint16, n), grad32: make([]int32, n), hess32: make([]uint32, n),
		gradF: make([]float32, n), hessF: make([]float32, n), codes: make([][]uint32, features),
	}
	for i := range n {
		b.grad[i], b.hess[i] = int16(r.Uint32()), uint16(r.Uint32())
		b.grad32[i], b.hess32[i] = int32(r.Uint32()), r.Uint32()
		b.gradF[i], b.hessF[i] = float32(r.NormFloat64()), r.Float32()
		if r.Float64() < share {
			b.rows = append(b.rows, uint16(i))
		}
	}
	for f := range b.codes {
		b.codes[f] = make([]uint32, n)
		for i := range n {
			b.codes[f][i] = r.Uint32N(nCodes)
		}
	}
	return b
}

func (b *block) entries() []uint64 {
	e := make([]uint64, len(b.rows))
	hist.PackRows(e, b.rows, b.grad, b.hess)
	return e
}

// naive is the histogram of one feature as a map.
func (b *block) naive(feature int) map[uint32]sum {
	m := map[uint32]sum{}
	for _, row := range b.rows {
		s := m[b.codes[feature][row]]
		s.grad += int64(b.grad[row])
		s.hess += uint64(b.hess[row])
		s.rows++
		m[b.codes[feature][row]] = s
	}
	return m
}

// narrow returns codes in a narrower type.
func narrow[C hist.Code](codes []uint32) []C {
	out := make([]C, len(codes))
	for i, c := range codes {
		out[i] = C(c)
	}
	return out
}

func nibbles(codes []uint32) []byte {
	out := make([]byte, (len(codes)+1)/2)
	for i, c := range codes {
		out[i/2] |= byte(c) << (4 * (i & 1))
	}
	return out
}

// checkPacked compares packed sums with the reference.
func checkPacked(t *testing.T, what string, packed []uint64, want map[uint32]sum) {
	t.Helper()
	grad, hess := make([]int64, len(packed)), make([]uint64, len(packed))
	hist.Unpack(grad, hess, packed)
	for c := range grad {
		w := want[uint32(c)]
		if grad[c] != w.grad || hess[c] != w.hess {
			t.Fatalf("%s: code %d sums to (%d, %d), want (%d, %d)", what, c, grad[c], hess[c], w.grad, w.hess)
		}
		if packed[c] != 0 {
			t.Fatalf("%s: Unpack leaves %x in slot %d", what, packed[c], c)
		}
	}
}

func TestEntries(t *testing.T) {
	for _, grad := range []int16{math.MinInt16, -32767, -1, 0, 1, math.MaxInt16} {
		for _, hess := range []uint16{0, 1, 0x8000, math.MaxUint16} {
			for _, row := range []uint16{0, 1, 0x8000, math.MaxUint16} {
				e := hist.Entry(grad, hess, row)
				g, h := hist.Total([]uint64{e})
				if hist.Row(e) != row || g != int64(grad) || h != uint64(hess) {
					t.Errorf("Entry(%d, %d, %d) reads back as (%d, %d, %d)", grad, hess, row, g, h, hist.Row(e))
				}
			}
		}
	}
	b := randomBlock(rand.New(rand.NewPCG(1, 0)), 1000, 0, 1, 1)
	byRows, all, index, indexAll := b.entries(), make([]uint64, 1000), make([]uint64, 1000), make([]uint64, 1000)
	hist.Pack(all, b.grad, b.hess)
	if !slices.Equal(byRows, all) {
		t.Error("Pack and PackRows of all rows differ")
	}
	hist.PackIndex(index, b.rows)
	hist.PackIndex(indexAll, nil)
	if !slices.Equal(index, indexAll) {
		t.Error("PackIndex of all rows and of nil differ")
	}
	for i, e := range index {
		if g, h := hist.Total([]uint64{e}); int(hist.Row(e)) != i || g != 0 || h != 0 {
			t.Fatalf("PackIndex: entry %d is row %d with codes (%d, %d)", i, hist.Row(e), g, h)
		}
	}
}

// Entries without codes have the rows of a list, or all; the codes of their rows add up to the same in
// every form.
func TestTotalCodes(t *testing.T) { everySet(t, totalCodes) }

func totalCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 0))
	for try := range 400 {
		n := 1 + r.IntN(200)
		b := randomBlock(r, n, 0, 1, []float64{0, 0.1, 0.9}[r.IntN(3)])
		if from := r.IntN(n); try%3 == 0 { // rows that follow each other
			b.rows = b.rows[:0]
			for row := from; row < n-r.IntN(n-from); row++ {
				b.rows = append(b.rows, uint16(row))
			}
		}
		if try%5 == 0 { // extreme codes
			for i := range n {
				b.grad[i], b.hess[i], b.grad32[i], b.hess32[i] = math.MinInt16, math.MaxUint16, math.MinInt32, math.MaxUint32
			}
		}
		var want16, want32 sum
		for _, row := range b.rows {
			want16.grad, want16.hess = want16.grad+int64(b.grad[row]), want16.hess+uint64(b.hess[row])
			want32.grad, want32.hess = want32.grad+int64(b.grad32[row]), want32.hess+uint64(b.hess32[row])
		}
		entries, all := make([]uint64, len(b.rows)), make([]uint64, n)
		hist.PackIndex(entries, b.rows)
		for i, e := range entries {
			if e != hist.Entry(0, 0, b.rows[i]) {
				t.Fatalf("entry %d of row %d is %#x", i, b.rows[i], e)
			}
		}
		hist.PackIndex(all, nil)
		for i, e := range all {
			if e != hist.Entry(0, 0, uint16(i)) {
				t.Fatalf("entry %d of all is %#x", i, e)
			}
		}
		grad, hess := hist.TotalCodes(entries, b.grad, b.hess)
		if got := (sum{grad: grad, hess: hess}); got != want16 {
			t.Errorf("%d rows of %d, codes of 16 bits: %+v, want %+v", len(entries), n, got, want16)
		}
		grad, hess = hist.TotalCodes(entries, b.grad32, b.hess32)
		if got := (sum{grad: grad, hess: hess}); got != want32 {
			t.Errorf("%d rows of %d, codes of 32 bits: %+v, want %+v", len(entries), n, got, want32)
		}
	}
}

// everySet runs a test with every instruction set that sums are subtracted with, and entries
// made, added up and taken apart.
func everySet(t *testing.T, test func(t *testing.T)) {
	defer hist.Use(cpu.Used())
	for _, set := range []cpu.Level{cpu.Generic, cpu.AVX2, cpu.AVX512} {
		t.Run(set.String(), func(t *testing.T) {
			testenv.Vectors(t, set)
			hist.Use(set)
			test(t)
		})
	}
}

func TestKernelsEqualNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for try := range 300 {
		n := 1 + r.IntN(700)
		nCodes := []uint32{1, 2, 15, 16, 200, 256, 300, 70000}[r.IntN(8)]
		features := 1 + r.IntN(9)
		b := randomBlock(r, n, features, nCodes, []float64{0, 0.03, 0.5, 1}[r.IntN(4)])
		name := fmt.Sprintf("try %d: %d rows, %d codes, %d features", try, n, nCodes, features)
		checkOneWord(t, name, b, nCodes)
		checkTwoWord(t, name, b, nCodes)
	}
}

func checkOneWord(t *testing.T, name string, b *block, nCodes uint32) {
	t.Helper()
	entries := b.entries()
	for f, codes := range b.codes {
		want := b.naive(f)
		sums := make([]uint64, max(nCodes, 16))
		counts := make([]uint32, max(nCodes, 16))
		hist.OneWordColumn(sums, codes, entries)
		checkPacked(t, name+": U32", sums, want)
		if nCodes <= 1<<16 {
			hist.EachForm(func(form string) {
				hist.OneWordWords(sums, narrow[uint16](codes), entries)
				checkPacked(t, name+": U16 "+form, sums, want)
			})
		}
		if nCodes <= 256 {
			hist.OneWordColumn(sums, narrow[uint8](codes), entries)
			checkPacked(t, name+": U8", sums, want)
			hist.CountColumn(counts, narrow[uint8](codes), entries)
			checkCounts(t, name+": U8", counts, want)
		}
		if nCodes <= 16 {
			hist.OneWordNibbles(sums, nibbles(codes), entries)
			checkPacked(t, name+": U4", sums, want)
			hist.CountNibbles(counts, nibbles(codes), entries)
			checkCounts(t, name+": U4", counts, want)
		}
		hist.CountColumn(counts, codes, entries)
		checkCounts(t, name+": U32", counts, want)
	}
	if len(b.codes) >= 4 && nCodes <= 256 {
		var sums [4][]uint64
		var codes [4][]uint8
		for f := range 4 {
			sums[f], codes[f] = make([]uint64, nCodes), narrow[uint8](b.codes[f])
		}
		hist.OneWordColumns4(&sums, &codes, entries)
		for f := range 4 {
			checkPacked(t, name+": four columns", sums[f], b.naive(f))
		}
		var byBytes [4 * hist.Slots]uint64
		hist.OneWordBytes4(&byBytes, &codes, entries)
		for f := range 4 {
			checkPacked(t, name+": four columns of bytes", byBytes[hist.Slots*f:][:256], b.naive(f))
		}
	}
	if len(b.codes) >= 4 && nCodes <= 16 {
		var sums [64]uint64
		var codes [4][]byte
		for f := range 4 {
			codes[f] = nibbles(b.codes[f])
		}
		hist.OneWordNibbles4(&sums, &codes, entries)
		for f := range 4 {
			checkPacked(t, name+": four columns of nibbles", sums[16*f:16*f+16], b.naive(f))
		}
	}
}

func checkCounts(t *testing.T, name string, counts []uint32, want map[uint32]sum) {
	t.Helper()
	for c, n := range counts {
		if uint64(n) != want[uint32(c)].rows {
			t.Fatalf("%s: code %d counts %d rows, want %d", name, c, n, want[uint32(c)].rows)
		}
	}
	clear(counts)
}

func checkTwoWord(t *testing.T, name string, b *block, nCodes uint32) {
	t.Helper()
	entries := make([]uint64, len(b.rows))
	hist.PackIndex(entries, b.rows)
	for f, codes := range b.codes {
		wide := make([]hist.Slot[int64, uint64], max(nCodes, 16))
		float := make([]hist.Slot[float64, float64], max(nCodes, 16))
		counts, gotCounts := make([]uint32, len(wide)), make([]uint32, len(wide))
		for _, row := range b.rows {
			w, x := &wide[codes[row]], &float[codes[row]]
			w.Grad, w.Hess = w.Grad+int64(b.grad32[row]), w.Hess+uint64(b.hess32[row])
			x.Grad, x.Hess = x.Grad+float64(b.gradF[row]), x.Hess+float64(b.hessF[row])
			counts[codes[row]]++
		}
		got, gotF := make([]hist.Slot[int64, uint64], len(wide)), make([]hist.Slot[float64, float64], len(wide))
		check := func(width string) {
			if !slices.Equal(got, wide) || !slices.Equal(gotF, float) || !slices.Equal(gotCounts, counts) {
				t.Fatalf("%s: %s: two-word sums of feature %d differ from the plain ones", name, width, f)
			}
			clear(got)
			clear(gotF)
			clear(gotCounts)
		}
		hist.TwoWordColumn(got, nil, codes, b.grad32, b.hess32, entries)
		hist.TwoWordColumn(gotF, gotCounts, codes, b.gradF, b.hessF, entries)
		check("U32")
		if nCodes <= 256 {
			hist.TwoWordColumn(got, nil, narrow[uint8](codes), b.grad32, b.hess32, entries)
			hist.TwoWordColumn(gotF, gotCounts, narrow[uint8](codes), b.gradF, b.hessF, entries)
			check("U8")
		}
		if nCodes <= 16 {
			hist.TwoWordNibbles(got, nil, nibbles(codes), b.grad32, b.hess32, entries)
			hist.TwoWordNibbles(gotF, gotCounts, nibbles(codes), b.gradF, b.hessF, entries)
			check("U4")
		}
	}
}

func TestRowMajor(t *testing.T) {
	t.Run("S1.14/equals_naive", func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 0))
		for range 200 {
			features := []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 25, 28, 31, 32, 33, 63, 64, 65, 130}[r.IntN(21)]
			b := randomBlock(r, 1+r.IntN(300), features, 256, []float64{0, 0.1, 1}[r.IntN(3)])
			stride := (features+3)&^3 + 4*r.IntN(3)
			checkRowMajor(t, b, stride, make([]byte, len(b.grad)*stride))
		}
	})
	t.Run("S1.14/in_several_calls", func(t *testing.T) { // of the assembly, of 2,048 entries each
		r := rand.New(rand.NewPCG(36, 0))
		for _, features := range []int{9, 17, 130} {
			for _, more := range []int{0, 1, 2, 3, 31, 32, 33, 2048 + 1} {
				b := randomBlock(r, 2048+more, features, 256, 0)
				b.rows = b.rows[:0]
				for row := range 2048 + more {
					b.rows = append(b.rows, uint16(row))
				}
				checkRowMajor(t, b, features, make([]byte, len(b.grad)*features))
			}
		}
	})
}

// checkRowMajor writes the block's codes by rows into data and compares all row-major
// kernels with the plain sums. Words before and behind the sums must stay as they are.
func checkRowMajor(t *testing.T, b *block, stride int, data []byte) {
	t.Helper()
	features := len(b.codes)
	for f, codes := range b.codes {
		for row, c := range codes {
			data[row*stride+f] = byte(c)
		}
	}
	const guard, canary = 300, 0xdeadbeefdeadbeef
	n := features * hist.Slots
	room := make([]uint64, n+2*guard)
	for i := range room {
		room[i] = canary
	}
	sums := room[guard : guard+n : guard+n]
	hist.EachForm(func(form string) {
		for _, scattered := range []bool{false, true} {
			clear(sums)
			hist.OneWordRows(sums, data, stride, features, b.entries(), scattered)
			for i, w := range room {
				if (i < guard || i >= guard+n) && w != canary {
					t.Fatalf("OneWordRows %s wrote word %d of a room of %d with %d in use", form, i-guard, len(room), n)
				}
			}
			for f := range features {
				checkPacked(t, fmt.Sprintf("OneWordRows(scattered %v) %s, feature %d of %d", scattered, form, f, features),
					sums[f*hist.Slots:(f+1)*hist.Slots], b.naive(f))
			}
		}
	})
	entries := make([]uint64, len(b.rows))
	hist.PackIndex(entries, b.rows)
	wideRoom := make([]hist.Slot[int64, uint64], n+2*guard)
	canarySlot := hist.Slot[int64, uint64]{Grad: -1, Hess: canary}
	for i := range wideRoom {
		wideRoom[i] = canarySlot
	}
	wide := wideRoom[guard : guard+n : guard+n]
	hist.EachForm(func(form string) {
		for _, used := range []int{0, features, 130 * features, 256 * features} {
			clear(wide)
			hist.TwoWordRows(wide, nil, data, stride, features, used, b.grad32, b.hess32, entries)
			for i, s := range wideRoom {
				if (i < guard || i >= guard+n) && s != canarySlot {
					t.Fatalf("TwoWordRows %s wrote slot %d of a room of %d with %d in use", form, i-guard, len(wideRoom), n)
				}
			}
			for f := range features {
				want := make([]hist.Slot[int64, uint64], hist.Slots)
				hist.TwoWordColumn(want, nil, b.codes[f], b.grad32, b.hess32, entries)
				if !slices.Equal(wide[f*hist.Slots:(f+1)*hist.Slots], want) {
					t.Fatalf("TwoWordRows %s: feature %d of %d, of %d slots, differs from the column", form, f, features, used)
				}
			}
		}
	})
}

// Every row has an extreme code: the sums of a whole block must not carry from one
// half of the word into the other.
func TestExtremeCodes(t *testing.T) {
	t.Run("S2.16/kernels_65536_rows", func(t *testing.T) {
		const n = hist.BlockRows
		grad, hess, codes, entries := make([]int16, n), make([]uint16, n), make([]uint8, n), make([]uint64, n)
		for _, g := range []int16{math.MinInt16, math.MaxInt16} {
			for i := range n {
				grad[i], hess[i] = g, math.MaxUint16
			}
			hist.Pack(entries, grad, hess)
			want := map[uint32]sum{0: {int64(g) * n, math.MaxUint16 * n, n}}
			sums := make([]uint64, 16)
			hist.OneWordColumn(sums, codes, entries)
			checkPacked(t, "column", sums, want)
			hist.OneWordNibbles(sums, codes[:n/2], entries)
			checkPacked(t, "nibbles", sums, want)
			hist.EachForm(func(form string) {
				rows := make([]uint64, hist.Slots)
				hist.OneWordRows(rows, codes, 1, 1, entries, true)
				checkPacked(t, "rows "+form, rows, want)
			})
			if gradSum, hessSum := hist.Total(entries); gradSum != want[0].grad || hessSum != want[0].hess {
				t.Errorf("Total = (%d, %d), want (%d, %d)", gradSum, hessSum, want[0].grad, want[0].hess)
			}
		}
	})
}

func TestRowsCheckTheirSlices(t *testing.T) {
	entries := []uint64{hist.Entry(1, 1, 9)}
	one := func(sums, codes int) func() {
		return func() {
			hist.OneWordRows(make([]uint64, sums), make([]uint8, codes), 8, 5, entries, false)
		}
	}
	two := func(sums, codes, grad, hess int) func() {
		return func() {
			slots := make([]hist.Slot[int64, uint64], sums)
			hist.TwoWordRows(slots, nil, make([]uint8, codes), 8, 5, 5, make([]int32, grad), make([]uint32, hess), entries)
		}
	}
	const slots = 5 * hist.Slots
	hist.EachForm(func(form string) {
		for _, c := range []struct {
			name   string
			panics bool
			call   func()
		}{
			{"one word", false, one(slots, 9*8+5)},
			{"one word, codes too short", true, one(slots, 9*8+4)},
			{"one word, sums too short", true, one(slots-1, 80)},
			{"two words", false, two(slots, 9*8+5, 10, 10)},
			{"two words, codes too short", true, two(slots, 9*8+4, 10, 10)},
			{"two words, sums too short", true, two(4*hist.Slots, 80, 10, 10)},
			{"two words, gradients too short", true, two(slots, 80, 9, 10)},
			{"two words, hessians too short", true, two(slots, 80, 10, 9)},
		} {
			if got := panics(c.call); got != c.panics {
				t.Errorf("%s, %s: panics %v, want %v", form, c.name, got, c.panics)
			}
		}
	})
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, uint8(3), uint8(7))
	f.Add([]byte{255, 255, 128, 0, 0, 0, 255, 127}, uint8(9), uint8(255))
	f.Fuzz(func(t *testing.T, data []byte, features, mask uint8) {
		nf := int(features%40) + 1
		b := &block{codes: make([][]uint32, nf)}
		next := func() byte {
			if len(data) == 0 {
				return mask
			}
			c := data[0]
			data = data[1:]
			return c
		}
		n := min(1+len(data)/4, 1000)
		for i := range n {
			b.grad = append(b.grad, int16(uint16(next())<<8|uint16(next())))
			b.hess = append(b.hess, uint16(next())<<8|uint16(next()))
			b.grad32, b.hess32 = append(b.grad32, int32(b.grad[i])<<16), append(b.hess32, uint32(b.hess[i])<<16)
			b.gradF, b.hessF = append(b.gradF, float32(b.grad[i])), append(b.hessF, float32(b.hess[i]))
			if (int(b.hess[i])^i)&int(mask) != 0 {
				b.rows = append(b.rows, uint16(i))
			}
			for c := range b.codes {
				b.codes[c] = append(b.codes[c], uint32(uint8(int(b.hess[i])>>3+31*c+i)))
			}
		}
		checkOneWord(t, "fuzz", b, 256)
		checkTwoWord(t, "fuzz", b, 256)
		stride := (nf + 3) &^ 3
		checkRowMajor(t, b, stride, make([]byte, n*stride))
	})
}

// A column's cells add up to the codes of their rows, where these are among the entries.
func TestSumColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for range 50 {
		rows := 1 + r.IntN(500)
		words, want := make([]uint64, rows), make([]hist.CountedSlot, 9)
		var entries []uint64
		var cells []int32
		var codes []uint8
		for row := range rows {
			grad, hess, code := int16(r.Uint32()), uint16(r.Uint32()), uint8(r.IntN(9))
			in, stored := r.IntN(3) > 0, r.IntN(2) > 0
			if in {
				entries = append(entries, hist.Entry(grad, hess, uint16(row)))
			}
			if stored {
				cells, codes = append(cells, int32(row)), append(codes, code)
			}
			if in && stored {
				want[code].Grad += int64(grad)
				want[code].Hess += uint64(hess)
				want[code].Rows++
			}
		}
		got := make([]hist.CountedSlot, 9)
		hist.Spread(words, entries)
		hist.SumColumn(got, cells, codes, words, 1)
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		hist.SumColumn(got, cells, codes, words, -1)
		if !slices.Equal(got, make([]hist.CountedSlot, 9)) {
			t.Fatalf("%v is left when all is taken away", got)
		}
	}
}
