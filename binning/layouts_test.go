package binning

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"boost/internal/kernel/hist"
	"boost/internal/testenv"
	"boost/parallel"
)

// codesTable is a table of codes, feature by feature.
type codesTable struct {
	columns    [][]uint32
	nCodes     []uint32
	hasMissing []bool
}

func (c *codesTable) plain(t testing.TB, storage string) *Matrix {
	t.Helper()
	m, err := FromCodes(c.columns, c.nCodes, storage)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (c *codesTable) as(t testing.TB, p Params, threads int) *Matrix {
	t.Helper()
	pool := parallel.NewPool(threads)
	defer pool.Close()
	codes, err := c.plain(t, p.Storage).Codes(c.hasMissing)
	if err != nil {
		t.Fatal(err)
	}
	m, err := codes.Matrix(context.Background(), p, pool)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// random makes features of all widths and densities.
func random(r *rand.Rand, rows, features int) *codesTable {
	c := &codesTable{}
	for range features {
		n := []uint32{1, 2, 5, 16, 17, 200, 256, 257, 3000, 65_536, 65_537, 90_000}[r.IntN(12)]
		hasMissing := n > 1 && r.IntN(2) == 0
		defaultBin, share := uint32(r.IntN(int(n))), []float64{0, 0.02, 0.3, 1}[r.IntN(4)]
		column := make([]uint32, rows)
		for row := range column {
			if column[row] = defaultBin; r.Float64() < share {
				column[row] = uint32(r.IntN(int(n)))
			}
		}
		c.columns, c.nCodes, c.hasMissing = append(c.columns, column), append(c.nCodes, n), append(c.hasMissing, hasMissing)
	}
	return c
}

// words lists parameters of every layout.
func words() []Params {
	var all []Params
	for _, layout := range Layouts() {
		for _, missing := range []string{Sentinel, Mask} {
			for _, bundle := range []string{Auto, BundleOn, BundleOff} {
				for _, storage := range []string{Adaptive, Uniform} {
					p := Params{Layout: layout, MissingAs: missing, Bundle: bundle, Storage: storage}
					if p.checkLayout() == nil {
						all = append(all, p)
					}
				}
			}
		}
	}
	return all
}

func TestLayoutsHoldTheSameCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		rows := []int{1, 2, 65, 700}[round%4]
		c := random(r, rows, 1+r.IntN(20))
		for _, p := range words() {
			m := c.as(t, p, 1+round%3)
			name := fmt.Sprintf("%d rows, %+v", rows, p)
			if m.Bytes() == 0 && rows > 0 {
				t.Fatalf("%s: no bytes", name)
			}
			for f, column := range c.columns {
				for row, want := range column {
					if got := m.Bin(f, row); got != want {
						t.Fatalf("S1.3/S1.5/S1.16: %s: row %d, feature %d of %d codes: %d, want %d", name, row, f, c.nCodes[f], got, want)
					}
				}
				if got := m.Column(f); got.N != rows || got.At(rows-1) != column[rows-1] {
					t.Fatalf("%s: feature %d: column of %d rows", name, f, got.N)
				}
			}
			checkExpand(t, name, m, c, r)
		}
	}
}

func checkExpand(t *testing.T, name string, m *Matrix, c *codesTable, r *rand.Rand) {
	t.Helper()
	features := []int32{0, int32(r.IntN(len(c.columns))), 0}
	lo := r.IntN(m.rows)
	var e Expansion
	m.Expand(features, lo, m.rows, nil, &e)
	for i, f := range features {
		for row := lo; row < m.rows; row++ {
			if got, want := e.Columns[i].At(row-lo), c.columns[f][row]; got != want {
				t.Fatalf("%s: expanded row %d, feature %d: %d, want %d", name, row, f, got, want)
			}
		}
	}
	rows := []uint32{uint32(r.IntN(m.rows)), uint32(r.IntN(m.rows))}
	m.Expand(features, 0, 0, rows, &e)
	for i, f := range features {
		for k, row := range rows {
			if got, want := e.Columns[i].At(k), c.columns[f][row]; got != want {
				t.Fatalf("%s: listed row %d, feature %d: %d, want %d", name, row, f, got, want)
			}
		}
	}
}

// Three rows of three features, of which row 0 lacks feature 1, row 1 has feature 1
// only, and row 2 has all: S1.4.
func TestCSR(t *testing.T) {
	c := &codesTable{
		columns:    [][]uint32{{1, 3, 0}, {3, 2, 1}, {2, 3, 1}},
		nCodes:     []uint32{4, 4, 4},
		hasMissing: []bool{true, true, true},
	}
	t.Run("S1.4/golden", func(t *testing.T) {
		m := c.as(t, Params{Layout: LayoutCSR}, 1)
		csr := m.CSR()
		if !slices.Equal(csr.RowPtr, []uint32{0, 2, 3, 6}) || csr.RowPtr64 != nil {
			t.Errorf("row pointers %v", csr.RowPtr)
		}
		if !slices.Equal(csr.ColIdx.U8(), []uint8{0, 2, 1, 0, 1, 2}) {
			t.Errorf("columns %v", csr.ColIdx.U8())
		}
		if !slices.Equal(csr.Values.U8(), []uint8{1, 2, 2, 0, 1, 1}) {
			t.Errorf("codes %v", csr.Values.U8())
		}
	})
	t.Run("S1.4/pointers_of_64_bits", func(t *testing.T) {
		defer func(most uint64) { maxRowPtr = most }(maxRowPtr)
		maxRowPtr = 5
		csr := c.as(t, Params{Layout: LayoutCSR}, 2).CSR()
		if !slices.Equal(csr.RowPtr64, []uint64{0, 2, 3, 6}) || csr.RowPtr != nil {
			t.Errorf("row pointers %v", csr.RowPtr64)
		}
		if got := csrBytes(3, 3, 6, 4); got != csr.Bytes() || got != 4*8+6*2 {
			t.Errorf("%d bytes, estimated %d", csr.Bytes(), got)
		}
	})
	t.Run("S1.4/S1.2/widths", func(t *testing.T) {
		for _, c := range []struct {
			features int
			codes    uint32
			columns  Width
			values   Width
		}{{255, 256, U8, U8}, {256, 257, U8, U16}, {257, 65_536, U16, U16}, {65_537, 65_537, U32, U32}} {
			table := &codesTable{hasMissing: make([]bool, c.features)}
			for range c.features {
				table.columns, table.nCodes = append(table.columns, []uint32{0, 1}), append(table.nCodes, 2)
			}
			table.nCodes[0] = c.codes
			csr := table.as(t, Params{Layout: LayoutCSR}, 2).CSR()
			if csr.ColIdx.Bits != c.columns || csr.Values.Bits != c.values {
				t.Errorf("%d features, %d codes: %v columns, %v codes", c.features, c.codes, csr.ColIdx.Bits, csr.Values.Bits)
			}
		}
	})
	t.Run("S1.5/no_cell_has_the_rest_code", func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 30 {
			c := random(r, 1+r.IntN(300), 1+r.IntN(12))
			m := c.as(t, Params{Layout: LayoutCSR}, 1)
			csr := m.CSR()
			for row := range m.NRows() {
				lo, hi := csr.row(row)
				before := -1
				for i := lo; i < hi; i++ {
					f := int(csr.ColIdx.At(int(i)))
					if defaultBin, ok := m.DefaultBin(f); !ok || csr.Values.At(int(i)) == defaultBin || f <= before {
						t.Fatalf("row %d, feature %d after %d: code %d, default bin %d", row, f, before, csr.Values.At(int(i)), defaultBin)
					}
					before = f
				}
			}
		}
	})
	t.Run("S1.5/rest_code", func(t *testing.T) {
		for _, c := range []struct {
			counts     []uint32
			hasMissing bool
			want       uint32
		}{
			{[]uint32{3, 3, 2}, false, 0},   // the lower of the most frequent ones
			{[]uint32{3, 4, 2}, true, 2},    // the missing code, though another is more frequent
			{[]uint32{1, 97, 2}, true, 1},   // unless that holds more than half
			{[]uint32{0, 50, 50}, true, 2},  // half is not more than half
			{[]uint32{1, 0, 99}, true, 2},   // both
			{[]uint32{1, 0, 99}, false, 2},  // most frequent
			{[]uint32{100}, false, 0},       // constant
			{[]uint32{0, 100}, true, 1},     // all missing
			{[]uint32{60, 0, 0}, true, 0},   // a missing code without rows
			{[]uint32{10, 10, 10}, true, 2}, // tie
		} {
			rows := 0
			for _, n := range c.counts {
				rows += int(n)
			}
			if got := defaultBinOf(c.counts, c.hasMissing, rows); got.code != c.want || got.others != rows-int(c.counts[c.want]) {
				t.Errorf("%v, missing %v: %+v, want code %d", c.counts, c.hasMissing, got, c.want)
			}
		}
	})
}

// stored returns all bytes and numbers of a matrix's layout.
func stored(m *Matrix) string {
	h := sha256.New()
	fmt.Fprint(h, m.offsets, m.locations, m.groups)
	h.Write(m.data)
	h.Write(m.mask)
	if m.byRow != nil {
		h.Write(m.byRow.Data)
	}
	if m.csr != nil {
		fmt.Fprint(h, *m.csr)
	}
	if m.ellpack != nil {
		fmt.Fprint(h, m.ellpack.RowStride, m.ellpack.SymbolBits, m.ellpack.Null)
		h.Write(m.ellpack.data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Every layout is made of the same bytes by 1 to 16 threads; the rows are more than one
// task's part of any of them.
func TestLayoutsByThreads(t *testing.T) {
	c := random(rand.New(rand.NewPCG(5, 6)), 2*csrBlock+700, 4)
	for _, p := range words() {
		if p.Bundle == Auto && p.Layout != Auto {
			continue // as with bundles
		}
		t.Run(fmt.Sprintf("S1.13/%s/%s/bundle=%s/%s", p.Layout, p.MissingAs, p.Bundle, p.Storage), func(t *testing.T) {
			one := stored(c.as(t, p, 1))
			for threads := 2; threads <= 16; threads += testenv.ByLength(1, 3, 7) {
				if stored(c.as(t, p, threads)) != one {
					t.Errorf("%d threads: other bytes than by one", threads)
				}
			}
		})
	}
}

// The missing cells of features with gaps are not stored, the others are.
func TestImplicitMissing(t *testing.T) {
	t.Run("S1.17/cells", func(t *testing.T) {
		// Columns of 4 codes, the last one for missing, held by 2, 3 and 0 of 5 rows: 10 present cells.
		// The third feature has gaps in training and none here.
		c := &codesTable{
			columns:    [][]uint32{{3, 0, 1, 3, 2}, {3, 3, 0, 3, 1}, {0, 1, 2, 1, 0}},
			nCodes:     []uint32{4, 4, 4},
			hasMissing: []bool{true, true, true},
		}
		csr := c.as(t, Params{Layout: LayoutCSR}, 1).CSR()
		if csr.Entries() != 10 || !slices.Equal(csr.RowPtr, []uint32{0, 1, 3, 6, 7, 10}) || !slices.Equal(csr.Counts, []uint32{3, 2, 5}) {
			t.Errorf("%d cells, row pointers %v, cells by feature %v", csr.Entries(), csr.RowPtr, csr.Counts)
		}
		if !slices.Equal(csr.ColIdx.U8(), []uint8{2, 0, 2, 0, 1, 2, 2, 0, 1, 2}) || !slices.Equal(csr.Values.U8(), []uint8{0, 0, 1, 1, 0, 2, 1, 2, 1, 0}) {
			t.Errorf("columns %v, codes %v", csr.ColIdx.U8(), csr.Values.U8())
		}
		// Global codes are 4·feature + code, 12 is null.
		e := c.as(t, Params{Layout: LayoutEllpack}, 1).Ellpack()
		want := [][]uint32{{8, 12, 12}, {0, 9, 12}, {1, 4, 10}, {9, 12, 12}, {2, 5, 8}}
		for row, symbols := range want {
			for i, symbol := range symbols {
				if got := e.Symbol(row, i); e.RowStride != 3 || got != symbol {
					t.Errorf("row %d, symbol %d of %d: %d, want %d", row, i, e.RowStride, got, symbol)
				}
			}
		}
	})
}

func TestEllpack(t *testing.T) {
	// Global codes {1, 9}, {5}, {2, 3, 8} of features with 3, 4 and 3 codes (S1.9).
	csr := &CSR{
		RowPtr: []uint32{0, 2, 3, 6},
		ColIdx: Column{Bits: U8, N: 6, u8: []uint8{0, 2, 1, 0, 1, 2}},
		Values: Column{Bits: U8, N: 6, u8: []uint8{1, 2, 2, 2, 0, 1}},
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	e, err := newEllpack(context.Background(), csr, 3, csr.longestRow(3), []uint32{0, 3, 7, 10}, pool)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("S1.8/stride_and_null", func(t *testing.T) {
		if e.RowStride != 3 || e.Null != 10 || e.SymbolBits != 4 {
			t.Errorf("stride %d, null symbol %d of %d bits", e.RowStride, e.Null, e.SymbolBits)
		}
		// The null symbol counts: 15 codes take 4 bits, 16 take 5.
		for codes, bits := range map[uint32]int{1: 1, 2: 2, 15: 4, 16: 5, 255: 8, 256: 9, 65_535: 16, 65_536: 17} {
			c := &codesTable{columns: [][]uint32{{0, codes - 1, 0}}, nCodes: []uint32{codes}, hasMissing: []bool{false}}
			e := c.as(t, Params{Layout: LayoutEllpack}, 1).Ellpack()
			if e.Null != codes || e.SymbolBits != bits || e.RowStride != int(min(codes-1, 1)) {
				t.Errorf("%d codes: stride %d, null symbol %d of %d bits", codes, e.RowStride, e.Null, e.SymbolBits)
			}
		}
	})
	t.Run("S1.9/golden", func(t *testing.T) {
		if got := hex.EncodeToString(e.Packed()); got != "915aaa3208" {
			t.Errorf("%s", got)
		}
	})
	t.Run("S1.10/golden", func(t *testing.T) {
		got, _, _ := e.SlotMajor()
		want := slices.Repeat([]uint8{10}, 3*32)
		want[0], want[1], want[2] = 1, 5, 2
		want[32], want[34] = 9, 3
		want[66] = 8
		if !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
	})
	t.Run("S1.13/threads", func(t *testing.T) {
		c := random(rand.New(rand.NewPCG(5, 6)), 3*ellpackBlock+1, 5)
		one := c.as(t, Params{Layout: LayoutEllpack}, 1).Ellpack()
		for threads := 2; threads <= 16; threads += 7 {
			if many := c.as(t, Params{Layout: LayoutEllpack}, threads).Ellpack(); !slices.Equal(one.Packed(), many.Packed()) {
				t.Errorf("%d threads: another stream", threads)
			}
		}
	})
	t.Run("S1.9/every_width", func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 9))
		for range 20 {
			c := random(r, 1+r.IntN(70), 1+r.IntN(9))
			m := c.as(t, Params{Layout: LayoutEllpack}, 1)
			e := m.Ellpack()
			if bits := uint64(m.NRows()) * uint64(e.RowStride) * uint64(e.SymbolBits); uint64(len(e.Packed())) != (bits+7)/8 {
				t.Fatalf("%d bytes for %d bits", len(e.Packed()), bits)
			}
			u8, u16, u32 := e.SlotMajor()
			padded := (m.NRows() + 31) / 32 * 32
			for row := range m.NRows() {
				for i := range e.RowStride {
					at, got := i*padded+row, uint32(0)
					switch {
					case u8 != nil:
						got = uint32(u8[at])
					case u16 != nil:
						got = uint32(u16[at])
					default:
						got = u32[at]
					}
					if got != e.Symbol(row, i) {
						t.Fatalf("row %d, symbol %d: %d by slots, %d in the stream", row, i, got, e.Symbol(row, i))
					}
				}
			}
		}
	})
}

func TestMask(t *testing.T) {
	t.Run("S1.16/bits", func(t *testing.T) {
		// Row 2 of feature 0 and rows 0 and 4 of feature 1 of 5 rows: bits 2, 5 and 9.
		c := &codesTable{
			columns: [][]uint32{{0, 1, 2, 1, 0}, {3, 0, 1, 2, 3}}, nCodes: []uint32{3, 4}, hasMissing: []bool{true, true},
		}
		m := c.as(t, Params{Layout: LayoutCol, MissingAs: Mask}, 1)
		if !slices.Equal(m.mask, []byte{1<<2 | 1<<5, 1 << 1}) {
			t.Errorf("%08b", m.mask)
		}
	})
	t.Run("S1.16/257_codes_fit_a_byte", func(t *testing.T) {
		const rows = 6400
		c := &codesTable{columns: [][]uint32{make([]uint32, rows)}, nCodes: []uint32{257}, hasMissing: []bool{true}}
		for row := range rows {
			c.columns[0][row] = uint32(row % 257)
		}
		m := c.as(t, Params{Layout: LayoutCol, MissingAs: Mask}, 1)
		if info := m.FeatureInfo(0); info.Bits != U8 || info.NBins != 257 {
			t.Errorf("%+v", info)
		}
		if m.Bytes() != rows+rows/8 {
			t.Errorf("%d bytes, want 1.125 for each of %d rows", m.Bytes(), rows)
		}
	})
}

func TestRowMajorWidths(t *testing.T) {
	for _, c := range []struct {
		codes uint32
		want  Width
	}{{256, U8}, {257, U16}, {65_536, U16}, {65_537, U32}} {
		t.Run(fmt.Sprintf("S1.2/%d_codes", c.codes), func(t *testing.T) {
			table := &codesTable{columns: [][]uint32{{0, 1}, {c.codes - 1, 0}}, nCodes: []uint32{2, c.codes}, hasMissing: make([]bool, 2)}
			r := table.as(t, Params{Layout: LayoutRow, Bundle: BundleOff}, 1).ByRow()
			if r.Bits != c.want || r.at(0, 1) != c.codes-1 || r.at(1, 0) != 1 {
				t.Errorf("%v, %d, %d", r.Bits, r.at(0, 1), r.at(1, 0))
			}
		})
	}
}

// Bundles never hold two features that are off their default bins in one row, and one-hot
// columns come together again.
func TestBundles(t *testing.T) {
	oneHot := func(rows, groups, levels int, conflict func(row int) bool) *codesTable {
		r := rand.New(rand.NewPCG(4, 4))
		c := &codesTable{}
		for g := range groups {
			columns := make([][]uint32, levels)
			for l := range columns {
				columns[l] = make([]uint32, rows)
			}
			for row := range rows {
				l := r.IntN(levels)
				columns[l][row] = 1
				if g == 0 && conflict(row) {
					columns[(l+1)%levels][row] = 1
				}
			}
			c.columns = append(c.columns, columns...)
		}
		c.nCodes, c.hasMissing = slices.Repeat([]uint32{2}, groups*levels), make([]bool, groups*levels)
		return c
	}
	never := func(int) bool { return false }
	t.Run("one_hot", func(t *testing.T) {
		c := oneHot(4000, 5, 30, never)
		m := c.as(t, Params{Layout: LayoutCol, Bundle: BundleOn}, 2)
		if n := len(m.FeatureGroups()); n != 5 {
			t.Fatalf("%d columns, want one for each of 5 groups", n)
		}
		for _, group := range m.FeatureGroups() {
			if len(group.Features) != 30 || group.NBins != 31 || group.Features[29]-group.Features[0] != 29 {
				t.Errorf("%+v", group)
			}
		}
	})
	t.Run("conflicts", func(t *testing.T) {
		c := oneHot(4000, 1, 10, func(row int) bool { return row%200 == 7 }) // 0.5 %
		strict := c.as(t, Params{Layout: LayoutCol, Bundle: BundleOn}, 1)
		if len(strict.FeatureGroups()) < 2 {
			t.Fatal("features that conflict share a column")
		}
		loose := c.as(t, Params{Layout: LayoutCol, Bundle: BundleOn, BundleConflicts: 0.01}, 1)
		if len(loose.FeatureGroups()) != 1 {
			t.Fatalf("%d columns though 1 %% of the rows may conflict", len(loose.FeatureGroups()))
		}
		lost := 0
		for f, column := range c.columns {
			for row, code := range column {
				if loose.Bin(f, row) != code {
					lost++
				}
			}
		}
		if lost != 20 {
			t.Errorf("%d cells lost their code, want one in each of 20 rows", lost)
		}
	})
	t.Run("a_byte_holds_256_codes", func(t *testing.T) {
		c := oneHot(9000, 1, 300, never)
		m := c.as(t, Params{Layout: LayoutCol, Bundle: BundleOn}, 1)
		if groups := m.FeatureGroups(); len(groups) != 2 || groups[0].NBins > 256 || groups[1].NBins > 256 {
			t.Errorf("%d columns", len(groups))
		}
	})
}

func TestLayoutChoice(t *testing.T) {
	testenv.Unraced(t)
	// `others` of each 1000 rows are outside the default bin.
	table := func(rows, features, others int, nCodes uint32) *codesTable {
		c := &codesTable{hasMissing: make([]bool, features)}
		for f := range features {
			column := make([]uint32, rows)
			for i := range others * rows / 1000 {
				column[(i*7+f)%rows] = 1 + uint32(i)%(nCodes-1)
			}
			c.columns, c.nCodes = append(c.columns, column), append(c.nCodes, nCodes)
		}
		return c
	}
	for _, c := range []struct {
		features, others int
		codes            uint32
		want             string
	}{
		// Codes of two bytes: CSR takes 3 bytes a cell, fewer in all below two thirds, but
		// half of the cells must be default bins.
		{200, 510, 300, LayoutCol}, {200, 500, 300, LayoutCol}, {200, 490, 300, LayoutCSR},
		// One byte of column index: CSR takes 4 + 2·0.49·features bytes a row, columns 1·features.
		{200, 510, 200, LayoutCol}, {200, 500, 200, LayoutCol}, {200, 490, 200, LayoutCol}, // more bytes
		{200, 480, 200, LayoutCSR},
		// Two bytes: below a third.
		{300, 340, 200, LayoutCol}, {300, 320, 200, LayoutCSR},
		// Two codes in half a byte: below a quarter less the row pointers.
		{200, 245, 2, LayoutCol}, {200, 220, 2, LayoutCSR},
		// The last number of features that two bytes index, and four bytes: below a fifth.
		{65_536, 350, 200, LayoutCol}, {65_536, 310, 200, LayoutCSR}, {65_537, 310, 200, LayoutCol},
		{65_537, 210, 200, LayoutCol}, {65_537, 190, 200, LayoutCSR},
	} {
		t.Run(fmt.Sprintf("S1.7/S1.23/%d_features_of_%d_codes_%d_promille", c.features, c.codes, c.others), func(t *testing.T) {
			rows := 1600 // so few that histograms cost more than they do
			if c.codes == 2 {
				rows = 640
			}
			if c.features > 1000 {
				rows = 64
			}
			m := table(rows, c.features, c.others, c.codes).as(t, Params{Layout: Auto, Bundle: BundleOff}, 1)
			if m.Layout() != c.want {
				t.Errorf("layout %q, want %q: %s", m.Layout(), c.want, m.Reason())
			}
			for _, word := range []string{"CSR takes", "columns", "% of the cells"} {
				if !strings.Contains(m.Reason(), word) {
					t.Errorf("reason %q does not say %q", m.Reason(), word)
				}
			}
		})
	}
	t.Run("S1.7/S1.23/sums_of_cells_that_cost_more", func(t *testing.T) {
		for _, c := range []struct {
			rows, features, others int
			codes                  uint32
			limit                  uint64
			want, says             string
		}{
			{3680, 57, 223, 144, 0, LayoutCol, "cells cost more than histograms of"},       // as spambase
			{5000, 93, 210, 30, 0, LayoutCol, "cells cost more than histograms of"},        // counts
			{1000, 1000, 20, 20, 0, LayoutCSR, "histograms of 20000 codes cost more than"}, // as words in texts
			// Columns and their copy by rows take 950 kB.
			{5000, 93, 210, 30, 1_910_000, LayoutCol, "cells cost more than histograms of"},
			{5000, 93, 210, 30, 1_800_000, LayoutCSR, "with a copy by rows are more than half of"},
		} {
			made := table(c.rows, c.features, c.others, c.codes)
			codes, err := made.plain(t, Adaptive).Codes(made.hasMissing)
			if err != nil {
				t.Fatal(err)
			}
			codes.Limit(c.limit)
			pool := parallel.NewPool(2)
			defer pool.Close()
			m, err := codes.Matrix(t.Context(), Params{Layout: Auto, Bundle: BundleOff}, pool)
			if err != nil {
				t.Fatal(err)
			}
			if m.Layout() != c.want || !strings.Contains(m.Reason(), c.says) {
				t.Errorf("%+v: layout %q, reason %q", c, m.Layout(), m.Reason())
			}
		}
	})
	t.Run("S1.23/unknown_layout", func(t *testing.T) {
		p := Defaults()
		p.Layout = "rows"
		err := p.Validate()
		for _, layout := range Layouts() {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", layout)) {
				t.Errorf("%v does not list %q", err, layout)
			}
		}
	})
}

func TestLayoutBytes(t *testing.T) {
	t.Run("S1.19/table", func(t *testing.T) {
		const rows = 1_000_000
		for _, c := range []struct {
			name     string
			features int
			layout   string
			want     float64 // MB
		}{
			{"columns", 100, LayoutCol, 100}, {"csr_u8", 100, LayoutCSR, 104}, {"csr_u16", 1000, LayoutCSR, 154}, {"csr_u32", 70_000, LayoutCSR, 254},
		} {
			s := Shape{Rows: rows, NCodes: slices.Repeat([]uint32{255}, c.features), Cells: 50_000_000}
			if got := float64(s.Bytes(Params{Layout: c.layout, Storage: Adaptive})) / 1e6; got < c.want-0.001 || got > c.want+0.001 {
				t.Errorf("%s: %.3f MB, want %.1f", c.name, got, c.want)
			}
		}
		// 25,600 codes and the null symbol need 15 bits: 50 of them a row.
		s := Shape{Rows: rows, NCodes: slices.Repeat([]uint32{256}, 100), RowStride: 50}
		if got := s.Bytes(Params{Layout: LayoutEllpack, Storage: Adaptive}); got != rows*50*15/8+wideLoad {
			t.Errorf("ELLPACK: %d bytes", got)
		}
	})
	t.Run("S1.19/estimates_equal_what_is_made", func(t *testing.T) {
		r := rand.New(rand.NewPCG(21, 22))
		for range 10 {
			c := random(r, 1+r.IntN(500), 1+r.IntN(30))
			csr := c.as(t, Params{Layout: LayoutCSR}, 1)
			shape := Shape{
				Rows: csr.rows, NCodes: c.nCodes, Missing: c.hasMissing, Cells: csr.CSR().Entries(),
				RowStride: c.as(t, Params{Layout: LayoutEllpack}, 1).Ellpack().RowStride,
			}
			for _, p := range words() {
				if p.Layout == Auto || p.Layout == LayoutBoth || p.Bundle != BundleOff {
					continue
				}
				if got, want := shape.Bytes(p), c.as(t, p, 1).Bytes(); got != want {
					t.Errorf("%+v: estimated %d, takes %d", p, got, want)
				}
			}
		}
	})
}

// More codes in all than the global index can number are an error in every layout;
// the limit is lowered, as 2³² codes do not fit a test.
func TestTooManyCodes(t *testing.T) {
	defer func(most uint64) { maxCodes = most }(maxCodes)
	maxCodes = 9
	if _, err := FromCodes([][]uint32{{0}, {0}}, []uint32{5, 5}, Adaptive); err == nil || !strings.Contains(err.Error(), "more than 9 codes") {
		t.Errorf("S1.11: %v", err)
	}
	maxCodes = 10
	m, err := FromCodes([][]uint32{{0}, {0}}, []uint32{5, 5}, Adaptive)
	if err != nil || m.Offsets()[2] != 10 {
		t.Errorf("S1.11: %v", err)
	}
}

// A block's codes are those of its cells whether they are looked up in rows or written
// from the cells by feature.
func TestBlocksFromLists(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	r := rand.New(rand.NewPCG(17, 18))
	for range 20 {
		c := random(r, 1+r.IntN(900), 6)
		codes, err := c.plain(t, Adaptive).Codes(c.hasMissing)
		if err != nil {
			t.Fatal(err)
		}
		codes.KeepLists()
		m, err := codes.Matrix(context.Background(), Params{Layout: LayoutCSR}, pool)
		if err != nil {
			t.Fatal(err)
		}
		lo := 2 * r.IntN(m.rows/2+1)
		for _, share := range []float64{0.002, 0.3, 1} {
			entries := []uint64{}
			for row := range m.rows - lo {
				if r.Float64() < share {
					entries = append(entries, hist.Entry(0, 0, uint16(row)))
				}
			}
			var s Scratch
			for f := range c.columns {
				block := m.Block(f, lo, m.rows, entries, &s)
				for _, e := range entries {
					if got, want := block.At(int(hist.Row(e))), c.columns[f][lo+int(hist.Row(e))]; got != want {
						t.Fatalf("feature %d, row %d: code %d, want %d", f, lo+int(hist.Row(e)), got, want)
					}
				}
				if all := m.Block(f, 0, m.rows, nil, &s); all.At(m.rows-1) != c.columns[f][m.rows-1] {
					t.Fatalf("feature %d: other codes of all rows", f)
				}
			}
		}
	}
}
