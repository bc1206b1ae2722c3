package binning_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"boost/binning"
)

// randomCodes draws columns of codes, one per number of codes.
func randomCodes(rng *rand.Rand, rows int, nCodes []uint32) [][]uint32 {
	columns := make([][]uint32, len(nCodes))
	for f, n := range nCodes {
		columns[f] = make([]uint32, rows)
		for row := range columns[f] {
			columns[f][row] = uint32(rng.Uint64N(uint64(n)))
		}
	}
	return columns
}

func fromCodes(t testing.TB, columns [][]uint32, nCodes []uint32, storage string) *binning.Matrix {
	t.Helper()
	m, err := binning.FromCodes(columns, nCodes, storage)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		nCodes uint32
		want   binning.Width
	}{
		{1, binning.U4}, {2, binning.U4}, {15, binning.U4}, {16, binning.U4}, {17, binning.U8}, {256, binning.U8},
		{257, binning.U16}, {65536, binning.U16}, {65537, binning.U32}, {1<<32 - 1, binning.U32},
	} {
		for _, id := range []string{"S0.13", "S1.2"} {
			t.Run(fmt.Sprintf("%s/codes=%d", id, c.nCodes), func(t *testing.T) {
				m := fromCodes(t, [][]uint32{{0}}, []uint32{c.nCodes}, "adaptive")
				if got := m.FeatureInfo(0); binning.WidthOf(c.nCodes) != c.want || got.Bits != c.want || got.NBins != c.nCodes {
					t.Errorf("stored as %+v, want %v", got, c.want)
				}
			})
		}
	}
	t.Run("S0.14/uniform", func(t *testing.T) {
		for _, c := range []struct {
			nCodes []uint32
			want   binning.Width
		}{{[]uint32{2, 3}, binning.U8}, {[]uint32{2, 256}, binning.U8}, {[]uint32{257, 2}, binning.U16}, {[]uint32{3, 65537, 9}, binning.U32}} {
			columns := make([][]uint32, len(c.nCodes))
			for f := range columns {
				columns[f] = []uint32{0, 1}
			}
			m := fromCodes(t, columns, c.nCodes, "uniform")
			for f := range c.nCodes {
				if got := m.FeatureInfo(f).Bits; got != c.want {
					t.Errorf("codes %v, feature %d: %v, want %v", c.nCodes, f, got, c.want)
				}
			}
		}
	})
}

func TestMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	nCodes := []uint32{16, 2, 256, 17, 65536, 300, 65537, 1, 1 << 24, 3}
	each := func(check func(m *binning.Matrix, columns [][]uint32, storage string)) {
		for _, storage := range []string{"adaptive", "uniform"} {
			for rows := range 66 {
				columns := randomCodes(rng, rows, nCodes)
				check(fromCodes(t, columns, nCodes, storage), columns, storage)
			}
		}
	}
	t.Run("S0.11/columns_are_contiguous_and_aligned", func(t *testing.T) {
		each(func(m *binning.Matrix, columns [][]uint32, _ string) {
			checkColumns(t, m, len(columns[0]), len(columns))
		})
	})
	t.Run("S0.12/offsets_cover_the_data", func(t *testing.T) {
		each(func(m *binning.Matrix, _ [][]uint32, storage string) { checkInfos(t, m, nCodes, storage) })
	})
	t.Run("S0.16/column_equals_naive_matrix", func(t *testing.T) {
		each(func(m *binning.Matrix, columns [][]uint32, storage string) {
			for f, codes := range columns {
				column := m.Column(f)
				if column.N != len(codes) {
					t.Fatalf("%s: %d rows, want %d", storage, column.N, len(codes))
				}
				for row, want := range codes {
					if m.Bin(f, row) != want || column.At(row) != want {
						t.Fatalf("%s, %d rows: code of (%d, %d) is %d and %d, want %d", storage, len(codes), row, f, m.Bin(f, row), column.At(row), want)
					}
				}
			}
		})
	})
	t.Run("S0.15/accessors", func(t *testing.T) {
		columns := randomCodes(rng, 33, nCodes)
		m := fromCodes(t, columns, nCodes, "adaptive")
		for f := range columns {
			equal(t, fmt.Sprint("feature ", f), codesOf(m, f), columns[f])
			for _, row := range []int{-1, 33, 34} {
				if !panics(func() { m.Bin(f, row) }) {
					t.Errorf("Bin(%d, %d) of 33 rows (%v) does not panic", f, row, m.FeatureInfo(f).Bits)
				}
			}
		}
		for _, f := range []int{-1, len(columns)} {
			if !panics(func() { m.Bin(f, 0) }) || !panics(func() { m.Column(f) }) || !panics(func() { m.FeatureInfo(f) }) {
				t.Errorf("feature %d of %d does not panic", f, len(columns))
			}
		}
	})
	t.Run("S0.16/raw_columns", func(t *testing.T) {
		m := fromCodes(t, [][]uint32{{1, 2, 3}, {100, 200, 255}, {300, 2, 1}, {70000, 1, 2}}, []uint32{4, 256, 301, 70001}, "adaptive")
		equal(t, "U4", m.Column(0).U4(), []byte{0x21, 0x03})
		equal(t, "U8", m.Column(1).U8(), []uint8{100, 200, 255})
		equal(t, "U16", m.Column(2).U16(), []uint16{300, 2, 1})
		equal(t, "U32", m.Column(3).U32(), []uint32{70000, 1, 2})
	})
	t.Run("S0.17/u4_is_low_nibble_first", func(t *testing.T) {
		m := fromCodes(t, [][]uint32{{1, 2, 3}, {}}[:1], []uint32{16}, "adaptive")
		equal(t, "bytes", m.Column(0).U4(), []byte{0x21, 0x03})
		m = fromCodes(t, [][]uint32{{}}, []uint32{16}, "adaptive")
		equal(t, "no rows", m.Column(0).U4(), []byte{})
	})
	t.Run("S1.11/offsets", func(t *testing.T) {
		m := fromCodes(t, [][]uint32{{0}, {2}, {1}}, []uint32{3, 4, 3}, "adaptive")
		equal(t, "offsets", m.Offsets(), []uint32{0, 3, 7, 10})
		if got := m.Offsets()[1] + m.Bin(1, 0); got != 5 {
			t.Errorf("global index of feature 1, code 2 is %d, want 5", got)
		}
		if f, code := m.Local(5); f != 1 || code != 2 {
			t.Errorf("global index 5 is feature %d, code %d, want 1 and 2", f, code)
		}
		for _, layout := range []string{"col", "csr"} { // features of a single code among the others
			nCodes := []uint32{1, 3, 1, 1, 300, 2, 1}
			codes, err := fromCodes(t, randomCodes(rng, 5, nCodes), nCodes, "adaptive").Codes(make([]bool, 7))
			if err != nil {
				t.Fatal(err)
			}
			m, err := codes.Matrix(t.Context(), params(func(p *binning.Params) { p.Layout = layout }), pool(t, 1))
			if err != nil {
				t.Fatal(err)
			}
			global := uint32(0)
			for f, n := range nCodes {
				for code := range n {
					if gotF, gotCode := m.Local(global); gotF != f || gotCode != code {
						t.Fatalf("%s: global index %d is feature %d, code %d, want %d and %d", layout, global, gotF, gotCode, f, code)
					}
					global++
				}
			}
			if !panics(func() { m.Local(global) }) {
				t.Errorf("%s: global index %d of %d codes does not panic", layout, global, global)
			}
		}
	})
	t.Run("bad_codes", func(t *testing.T) {
		for want, give := range map[string]func() error{
			"feature 0, row 1: code 3 is not below 3": func() error { _, err := binning.FromCodes([][]uint32{{0, 3}}, []uint32{3}, "adaptive"); return err },
			"feature 1 has 1 rows, feature 0 has 2": func() error {
				_, err := binning.FromCodes([][]uint32{{0, 0}, {0}}, []uint32{3, 3}, "adaptive")
				return err
			},
			"1 columns of codes come with 2 numbers": func() error { _, err := binning.FromCodes([][]uint32{{0}}, []uint32{3, 3}, "adaptive"); return err },
		} {
			if err := give(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	})
	t.Run("S0.20/share_of_widths_is_printed", func(t *testing.T) {
		m := fromCodes(t, randomCodes(rng, 1000, []uint32{2, 16, 17, 256, 257, 1 << 20}), []uint32{2, 16, 17, 256, 257, 1 << 20}, "adaptive")
		if got, want := m.String(), "1000 × 6 codes: 2 U4, 2 U8, 1 U16, 1 U32, 8.9 KiB"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// checkColumns: every column has an entry per row (two in a byte of U4) and starts at
// a multiple of 64 bytes in memory.
func checkColumns(t *testing.T, m *binning.Matrix, rows, features int) {
	t.Helper()
	if m.NRows() != rows || m.NFeatures() != features {
		t.Fatalf("%d × %d, want %d × %d", m.NRows(), m.NFeatures(), rows, features)
	}
	for f := range features {
		column := m.Column(f)
		entries := rows
		if column.Bits == binning.U4 {
			entries = (rows + 1) / 2
		}
		if got := len(column.U4()) + len(column.U8()) + len(column.U16()) + len(column.U32()); got != entries {
			t.Fatalf("feature %d (%v) has %d entries for %d rows", f, column.Bits, got, rows)
		}
		if rows > 0 && address(column)%64 != 0 {
			t.Fatalf("feature %d (%v) starts at address %x", f, column.Bits, address(column))
		}
		if first := m.Column(0); rows > 0 && address(column)-address(first) != uintptr(m.FeatureInfo(f).Offset) {
			t.Fatalf("feature %d starts %d bytes after feature 0, its offset is %d", f, address(column)-address(first), m.FeatureInfo(f).Offset)
		}
	}
}

// checkInfos: columns follow one another from 0, each padded to 64 bytes, to the end.
func checkInfos(t *testing.T, m *binning.Matrix, nCodes []uint32, storage string) {
	t.Helper()
	end := uint64(0)
	for f, n := range nCodes {
		info := m.FeatureInfo(f)
		if info.Offset != end || info.NBins != n {
			t.Fatalf("feature %d at %d with %d codes, want %d with %d", f, info.Offset, info.NBins, end, n)
		}
		end += (uint64(m.NRows())*uint64(info.Bits) + 511) / 512 * 64
	}
	if m.Bytes() != end || binning.EstimateBytes(m.NRows(), nCodes, storage) != end {
		t.Fatalf("%d bytes, estimated %d, columns cover %d", m.Bytes(), binning.EstimateBytes(m.NRows(), nCodes, storage), end)
	}
}

func address(c binning.Column) uintptr {
	switch c.Bits {
	case binning.U4:
		return uintptr(unsafe.Pointer(unsafe.SliceData(c.U4())))
	case binning.U8:
		return uintptr(unsafe.Pointer(unsafe.SliceData(c.U8())))
	case binning.U16:
		return uintptr(unsafe.Pointer(unsafe.SliceData(c.U16())))
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(c.U32())))
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

func repeat(n int, count uint32) []uint32 {
	nCodes := make([]uint32, n)
	for i := range nCodes {
		nCodes[i] = count
	}
	return nCodes
}

func TestEstimate(t *testing.T) {
	const rows = 1_000_000
	t.Run("S0.21/1Mx100", func(t *testing.T) {
		if got := binning.EstimateBytes(rows, repeat(100, 255), "adaptive"); got != 100_000_000 {
			t.Errorf("U8: %d bytes, want 100,000,000", got)
		}
		nCodes := repeat(100, 255)
		if n := testing.AllocsPerRun(10, func() { binning.EstimateBytes(rows, nCodes, "adaptive") }); n != 0 {
			t.Errorf("the estimate allocates %v times", n)
		}
	})
	t.Run("S0.20/half_u4", func(t *testing.T) {
		all := binning.EstimateBytes(rows, repeat(100, 256), "adaptive")
		half := binning.EstimateBytes(rows, append(repeat(50, 16), repeat(50, 256)...), "adaptive")
		// 75.0 % up to 63 bytes of alignment for each of the 50 columns.
		if want := all * 3 / 4; half < want || half > want+50*63 {
			t.Errorf("%d bytes, want 75 %% of %d = %d", half, all, want)
		}
	})
}

func TestRowMajor(t *testing.T) {
	t.Run("S1.3/golden", func(t *testing.T) {
		m := fromCodes(t, [][]uint32{{1, 4}, {2, 5}, {3, 6}}, []uint32{7, 7, 7}, "adaptive")
		r := binning.NewRowMajor(m, []int{0, 1, 2}, pool(t, 1))
		if r.Stride != 4 {
			t.Fatalf("stride %d, want 4", r.Stride)
		}
		equal(t, "data", r.Data[:8], []byte{1, 2, 3, 0, 4, 5, 6, 0})
	})
	t.Run("S1.3/equals_column_major", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(6, 1))
		for range cases(300) {
			rows, width := rng.IntN(200), rng.IntN(20)
			if rng.IntN(4) == 0 {
				width = rng.IntN(140)
			}
			if rng.IntN(20) == 0 {
				rows += 4100
			}
			nCodes := make([]uint32, width+1)
			for f := range nCodes {
				nCodes[f] = []uint32{2, 16, 17, 255, 256}[rng.IntN(5)]
			}
			nCodes[width] = []uint32{3, 300, 70_000}[rng.IntN(3)] // under uniform storage this widens the others
			storage := []string{"adaptive", "uniform"}[rng.IntN(2)]
			m := fromCodes(t, randomCodes(rng, rows, nCodes), nCodes, storage)
			features := rng.Perm(width)
			features = features[:rng.IntN(width+1)]
			checkRowMajor(t, m, binning.NewRowMajor(m, features, pool(t, 1+rng.IntN(3))), features)
		}
	})
	t.Run("S1.3/packed_groups", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(6, 2))
		for range cases(200) {
			rows, nCodes := rng.IntN(30_000), make([]uint32, rng.IntN(30))
			for f := range nCodes {
				nCodes[f] = []uint32{2, 2, 3, 5, 16, 17, 64, 128, 255, 256}[rng.IntN(10)]
			}
			codes := randomCodes(rng, rows, nCodes)
			m := fromCodes(t, codes, nCodes, []string{"adaptive", "uniform"}[rng.IntN(2)])
			features := rng.Perm(len(nCodes))[:rng.IntN(len(nCodes)+1)]
			packed := binning.PackGroups(m, features)
			checkPackedGroups(t, packed, nCodes, features, rows)
			r := binning.NewPackedRowMajor(m, packed, pool(t, 1+rng.IntN(3)))
			for row := 0; row < rows; row += 1 + rng.IntN(50) {
				for i, j := range packed {
					want, times := uint32(0), uint32(1)
					for _, u := range j.Members {
						want, times = want+codes[u][row]*times, times*nCodes[u]
					}
					if got := uint32(r.Data[row*r.Stride+i]); got != want {
						t.Fatalf("row %d, columns %v: %d, want %d", row, j.Members, got, want)
					}
				}
			}
		}
	})
	t.Run("S1.3/too_many_codes", func(t *testing.T) {
		m := fromCodes(t, [][]uint32{{1}}, []uint32{257}, "adaptive")
		if !panics(func() { binning.NewRowMajor(m, []int{0}, pool(t, 1)) }) {
			t.Error("a feature of 257 codes is taken")
		}
	})
}

// checkJoints holds packed groups to what they are for: every feature is in one, in order; the codes
// of several fit a byte and have 32 rows each; and no two packed groups could be one.
func checkPackedGroups(t *testing.T, packed []binning.PackedGroup, nCodes []uint32, features []int, rows int) {
	t.Helper()
	var all []int
	for i, j := range packed {
		product := uint32(1)
		for _, u := range j.Members {
			product *= nCodes[u]
		}
		if j.NBins != product || len(j.Members) > 1 && (product > 256 || int(product)*32 > rows) {
			t.Fatalf("%d rows: columns %v have %d codes, said to be %d", rows, j.Members, product, j.NBins)
		}
		for _, other := range packed[:i] {
			if together := int(j.NBins * other.NBins); together <= 256 && together*32 <= rows {
				t.Fatalf("columns %v and %v could share a code", other.Members, j.Members)
			}
		}
		if !slices.IsSorted(j.Members) || i > 0 && packed[i-1].Members[0] >= j.Members[0] {
			t.Fatalf("columns %v are out of order", j.Members)
		}
		all = append(all, j.Members...)
	}
	slices.Sort(all)
	if want := slices.Sorted(slices.Values(features)); !slices.Equal(all, want) {
		t.Fatalf("columns %v, want %v", all, want)
	}
}

func checkRowMajor(t *testing.T, m *binning.Matrix, r *binning.RowMajor, features []int) {
	t.Helper()
	if n := len(features); r.Stride%4 != 0 || r.Stride < n || r.Stride > max((n+3)/4*4, n+n/3) || len(r.Data) != m.NRows()*r.Stride+64 {
		t.Fatalf("%d features, %d rows: stride %d, %d bytes", len(features), m.NRows(), r.Stride, len(r.Data))
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(r.Data)))%64 != 0 {
		t.Fatal("data is not aligned")
	}
	for row := range m.NRows() {
		for i := range r.Stride {
			want := uint32(0)
			if i < len(features) {
				want = m.Bin(features[i], row)
			}
			if got := uint32(r.Data[row*r.Stride+i]); got != want {
				t.Fatalf("row %d, byte %d of %d features: %d, want %d", row, i, len(features), got, want)
			}
		}
	}
	for i, b := range r.Data[m.NRows()*r.Stride:] {
		if b != 0 {
			t.Fatalf("byte %d after the last row is %d", i, b)
		}
	}
}

// Where a third of the bytes at most brings rows to fewer cache lines, they have that distance:
// 25 codes lie in one line each at 32, 90 in two at 96. Rows of 100 would at 128, where all of them
// ask for the same half of a cache.
func TestRowMajorStrides(t *testing.T) {
	for n, want := range map[int]int{1: 4, 12: 16, 25: 32, 50: 64, 60: 64, 90: 96, 100: 100, 128: 128, 170: 192} {
		nCodes := slices.Repeat([]uint32{255}, n)
		m := fromCodes(t, make([][]uint32, n), nCodes, "adaptive")
		features := make([]int, n)
		for f := range features {
			features[f] = f
		}
		if r := binning.NewRowMajor(m, features, pool(t, 1)); r.Stride != want {
			t.Errorf("%d codes: rows lie %d bytes apart, want %d", n, r.Stride, want)
		}
	}
}
