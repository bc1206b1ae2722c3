package model

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"boost/booster/model/internal/format"
	"boost/booster/model/internal/packed"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/ptq"
)

// smallCompressed returns the model of testdata/v1.boost in a form.
func smallCompressed(t testing.TB, form ptq.Form, grouping string, statistics bool) *Model {
	t.Helper()
	full, err := Load("testdata/v1.boost")
	if err != nil {
		t.Fatal(err)
	}
	m, err := full.Narrowed(KnownNames)
	if err != nil {
		t.Fatal(err)
	}
	counts := format.LeafCounts(m.contents.Trees)
	bounds, err := Groups(GroupTree, counts, m.Outputs())
	if err != nil {
		t.Fatal(err)
	}
	var k ptq.Calibration
	if _, typed := form.DType(); typed {
		if k.Groups, err = Groups(grouping, counts, m.Outputs()); err != nil {
			t.Fatal(err)
		}
	}
	leaves, err := ptq.Encode(form, k, m.Leaves(), bounds)
	if err != nil {
		t.Fatal(err)
	}
	m, err = m.Compress(Compression{
		Leaves: leaves, Grouping: grouping, Statistics: statistics, Source: strings.Repeat("0f", 32), Certificate: []byte(`{"raw_bound":[0.5]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// partsOf returns the sections of a compressed model's file.
func partsOf(t testing.TB, m *Model) []format.Section {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	h, text, err := format.OpenContainer(data)
	if err != nil {
		t.Fatal(err)
	}
	named, err := format.PackedSections(data, h, text)
	if err != nil {
		t.Fatal(err)
	}
	var sections []format.Section
	for _, name := range format.CompressedNames {
		if b, is := named[name]; is {
			sections = append(sections, format.Section{Name: name, Data: bytes.Clone(b)})
		}
	}
	if !bytes.Equal(joined(sections), data) {
		t.Fatal("the sections do not make the file that they were taken from")
	}
	return sections
}

// spelled spells the last length, 0 for want of statistics, in two bytes.
func spelled(t *testing.T, whole []byte) []byte {
	t.Helper()
	at := 0
	for range len(format.CompressedNames) - 1 {
		_, n := binary.Uvarint(whole[at:])
		at += n
	}
	if whole[at] != 0 {
		t.Fatalf("the last length is %d", whole[at])
	}
	return slices.Concat(whole[:at], []byte{128, 0}, whole[at+1:])
}

// joined makes a file of any parts, with all checksums right.
func joined(sections []format.Section) []byte { return framed(format.JoinParts(sections)) }

// framed makes a file of what its section holds.
func framed(joined []byte) []byte {
	return format.Assemble(format.CompressedVersion, []format.Section{{Name: format.PackedSection, Data: joined}}, 0, format.SectionTable)
}

// tryCompressed reads a file behind right checksums: both loads give the same error, or a
// model that has these bytes and predicts, in memory and time that the bytes justify.
func tryCompressed(t *testing.T, sections []format.Section) (sound bool) {
	t.Helper()
	data := joined(sections)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	m, err := Decode(data)
	// A second is what the slowest of such files take a thousand times over.
	if took := time.Since(begin); took > 20*time.Second {
		t.Fatalf("Decode of %d bytes took %v", len(data), took)
	}
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(1024*len(data)+8<<20); got > most {
		t.Fatalf("Decode of %d bytes allocated %d bytes, at most %d allowed", len(data), got, most)
	}
	compact, again := DecodeCompact(data)
	if (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
		t.Fatalf("Decode = %v, DecodeCompact = %v", err, again)
	}
	if err != nil {
		if !errors.Is(err, ErrModel) || strings.Contains(err.Error(), "checksum") {
			t.Fatalf("Decode = %v, want ErrModel for what the bytes say", err)
		}
		return false
	}
	if written, err := m.Encode(); err != nil || !bytes.Equal(written, data) {
		t.Fatalf("Decode took bytes that Encode does not write: %v", err)
	}
	predictAnything(t, m, compact)
	return true
}

// predictAnything has both loads predict rows of every kind; they agree to the bit.
func predictAnything(t *testing.T, m *Model, compact *Compact) {
	t.Helper()
	var columns []dataset.ColumnData
	for _, c := range m.Schema().Columns {
		switch {
		case c.Role != dataset.Feature:
		case c.Kind == dataset.Category:
			values := []string{"", "never seen", "1", "", ""}
			copy(values[3:], c.Levels)
			columns = append(columns, dataset.ColumnData{Name: c.Name, Values: values})
		default:
			columns = append(columns, dataset.ColumnData{Name: c.Name, Values: []float64{math.NaN(), math.Inf(-1), 0, 2, 1e300}})
		}
	}
	table, err := dataset.FromColumns(columns, dataset.As(m.Schema()))
	if err != nil {
		return // names that no table has
	}
	want, err := m.PredictRaw(context.Background(), table)
	got, again := compact.PredictRaw(context.Background(), table)
	if (err == nil) != (again == nil) {
		t.Fatalf("the loads predict %v and %v", err, again)
	}
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
		t.Fatalf("the loads predict %v and %v", want, got)
	}
}

// fuzzedForms are forms that take different ways through the reader: packed codes, scales in
// every grouping, floats, bits and blocks.
var fuzzedForms = []struct {
	name       string
	form       ptq.Form
	grouping   string
	statistics bool
}{
	{"F32", ptq.FormOf(ptq.F32), GroupModel, false},
	{"I16", ptq.FormOf(ptq.I16), GroupOutput, false},
	{"U4", ptq.FormOf(ptq.U4), GroupBlock, true},
	{"FP8E4M3", ptq.FormOf(ptq.FP8E4M3), GroupTree, false},
	{"Binary", ptq.FormOf(ptq.Binary), GroupTree, false},
	{"Q4_0", ptq.FormQ4_0, GroupBlock, false},
	{"cold2", ptq.FormCold2, GroupBlock, true},
}

// Behind checksums that are right, a flipped bit of any section is caught by what it says, or
// makes another sound model.
func TestFlippedBitsInsideCompressed(t *testing.T) {
	testenv.Unraced(t)
	step := testenv.ByLength(1, 15, 61) // shares no factor with 8, so that bits of every place are flipped
	for _, form := range fuzzedForms {
		sections := partsOf(t, smallCompressed(t, form.form, form.grouping, form.statistics))
		for i := range sections {
			t.Run("S4.29/"+form.name+"/"+sections[i].Name, func(t *testing.T) {
				whole := sections[i].Data
				defer func() { sections[i].Data = whole }()
				for bit := 0; bit < 8*len(whole); bit += step {
					sections[i].Data = bytes.Clone(whole)
					sections[i].Data[bit/8] ^= 1 << (bit % 8)
					tryCompressed(t, sections)
				}
				r := rand.New(rand.NewPCG(uint64(i), 1))
				for n := 0; n < len(whole); n += step {
					sections[i].Data = bytes.Clone(whole)
					for range 2 + r.IntN(6) {
						sections[i].Data[r.IntN(len(whole))] ^= byte(1 + r.IntN(255))
					}
					tryCompressed(t, sections)
					sections[i].Data = whole[:n]
					tryCompressed(t, sections)
				}
			})
		}
	}
	// What the about section says, and what is missing or changes places.
	sections := partsOf(t, smallCompressed(t, ptq.FormOf(ptq.I8), GroupTree, false))
	about := sections[0].Data
	text, err := packed.UnpackAbout(about)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("S4.29/manifest", func(t *testing.T) {
		sound := 0
		for bit := 0; bit < 8*len(text); bit += step {
			spoiled := bytes.Clone(text)
			spoiled[bit/8] ^= 1 << (bit % 8)
			sections[0].Data = packed.PackAbout(spoiled)
			if tryCompressed(t, sections) {
				sound++
			}
		}
		// Another digit of a parameter or another letter of a name is another model.
		if sound == 0 || sound > len(text)*8/step {
			t.Errorf("%d of %d changes make a sound model", sound, 8*len(text)/step)
		}
	})
	sections[0].Data = about
	t.Run("S4.29/sections", func(t *testing.T) {
		for i := range sections {
			without := slices.Delete(slices.Clone(sections), i, i+1)
			if tryCompressed(t, without) {
				t.Errorf("it is read without %s", sections[i].Name)
			}
			swapped := slices.Clone(sections)
			swapped[i].Data, swapped[0].Data = swapped[0].Data, swapped[i].Data
			if i > 0 && tryCompressed(t, swapped) {
				t.Errorf("it is read with %s first", sections[i].Name)
			}
		}
	})
	t.Run("S4.29/lengths", func(t *testing.T) {
		whole := format.JoinParts(sections)
		for name, b := range map[string][]byte{
			"nothing": {}, "a byte more": append(bytes.Clone(whole), 0), "a byte less": whole[:len(whole)-1], "no parts": make([]byte, len(format.CompressedNames)),
			// The last length is 0: in two bytes it is what it was.
			"a length of two bytes": spelled(t, whole),
			"a length too long":     append(bytes.Repeat([]byte{255}, 12), whole...),
		} {
			if _, err := Decode(framed(b)); !errors.Is(err, ErrModel) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := openParts(framed(b)); !errors.Is(err, ErrModel) && name != "no parts" {
				t.Errorf("%s: to be described, %v", name, err)
			}
		}
	})
}

// Small files with some of their bytes changed are refused, whatever the change.
func TestEveryFlippedBitCompressed(t *testing.T) {
	for _, form := range fuzzedForms {
		t.Run("S4.29/"+form.name, func(t *testing.T) {
			data, err := smallCompressed(t, form.form, form.grouping, form.statistics).Encode()
			if err != nil {
				t.Fatal(err)
			}
			refused := func(what string, place int) {
				t.Helper()
				if _, err := Decode(data); !errors.Is(err, ErrModel) {
					t.Fatalf("byte %d, %s: Decode = %v, want ErrModel", place, what, err)
				}
				if _, err := DecodeCompact(data); !errors.Is(err, ErrModel) {
					t.Fatalf("byte %d, %s: DecodeCompact = %v, want ErrModel", place, what, err)
				}
			}
			r := rand.New(rand.NewPCG(7, 7))
			for i := range data {
				for bit := range 8 {
					if testing.Short() && (i+bit)%8 != 0 {
						continue
					}
					data[i] ^= 1 << bit
					refused("a bit flipped", i)
					data[i] ^= 1 << bit
				}
				whole := bytes.Clone(data)
				for range 2 + r.IntN(20) {
					data[min(i+r.IntN(64), len(data)-1)] ^= byte(1 + r.IntN(255))
				}
				if !bytes.Equal(whole, data) {
					refused("some around it changed", i)
				}
				copy(data, whole)
			}
		})
	}
}

// FuzzCompressedSectionsS4_29 puts any bytes in the place of a section, behind right checksums.
func FuzzCompressedSectionsS4_29(f *testing.F) {
	var all [][]format.Section
	for i, form := range fuzzedForms {
		all = append(all, partsOf(f, smallCompressed(f, form.form, form.grouping, form.statistics)))
		for k, s := range all[i] {
			f.Add(uint8(i), uint8(k), s.Data)
		}
	}
	f.Fuzz(func(t *testing.T, form, which uint8, data []byte) {
		sections := slices.Clone(all[int(form)%len(all)])
		sections[int(which)%len(sections)].Data = data
		tryCompressed(t, sections)
	})
}

// FuzzCompressedPartsS4_29 has any bytes for lengths and parts: those that are split are joined to the same.
func FuzzCompressedPartsS4_29(f *testing.F) {
	f.Add(format.JoinParts(partsOf(f, smallCompressed(f, ptq.FormOf(ptq.I8), GroupTree, true))))
	f.Add(make([]byte, len(format.CompressedNames)))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		parts, err := format.SplitParts(b)
		if err != nil {
			return
		}
		if again := format.JoinParts(parts); !bytes.Equal(again, b) {
			t.Fatalf("%x was split, and joined is %x", b, again)
		}
	})
}

// FuzzCompressedAboutS4_29 has any text for the about section.
func FuzzCompressedAboutS4_29(f *testing.F) {
	var all [][]format.Section
	for i, form := range fuzzedForms {
		all = append(all, partsOf(f, smallCompressed(f, form.form, form.grouping, form.statistics)))
		text, err := packed.UnpackAbout(all[i][0].Data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), text)
	}
	f.Add(uint8(0), []byte(`{"compression":{}}`))
	f.Add(uint8(0), []byte(`{"compression":null,"sections":[]}`))
	f.Fuzz(func(t *testing.T, form uint8, text []byte) {
		sections := slices.Clone(all[int(form)%len(all)])
		sections[0].Data = packed.PackAbout(text)
		tryCompressed(t, sections)
	})
}

// FuzzPackedTextS4_29 reads packed texts from any bytes: what comes out is written and read again.
func FuzzPackedTextS4_29(f *testing.F) {
	for _, text := range []string{"", "a", "{\"a\":1}", strings.Repeat("0", 500)} {
		f.Add(packed.PackText([]byte(text)))
	}
	f.Add(bytes.Repeat([]byte{255}, 40))
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := packed.UnpackText(b)
		if err != nil {
			return
		}
		if len(text) > packed.TextPerByte*len(b)+packed.TextRoom {
			t.Fatalf("%d bytes of text in %d", len(text), len(b))
		}
		if again, err := packed.UnpackText(packed.PackText(text)); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%q, written and read again, is %q, %v", text, again, err)
		}
	})
}

// fuzzColumns makes columns of bytes: the low bits are the kind, the others the number of levels.
func fuzzColumns(list []byte) []*dataset.ColumnSchema {
	columns := make([]*dataset.ColumnSchema, min(len(list), 50))
	for i := range columns {
		columns[i] = &dataset.ColumnSchema{Name: "f", Kind: dataset.Float32}
		switch list[i] % 3 {
		case 1:
			columns[i].Kind = dataset.Float64
		case 2:
			columns[i].Kind, columns[i].Levels = dataset.Category, make([]string, list[i]/3)
		}
	}
	return columns
}

// FuzzPackedCutsS4_29 reads packed cuts from any bytes: what comes out, written and read again,
// is the same, in memory that the bytes justify.
func FuzzPackedCutsS4_29(f *testing.F) {
	for _, s := range partsOf(f, smallCompressed(f, ptq.FormOf(ptq.F32), GroupModel, false)) {
		if s.Name == format.CutsSection {
			f.Add([]byte{0, 1, 11}, s.Data)
		}
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 8 {
		b := make([]byte, 60)
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		f.Add([]byte{1, 0, 1, 0, 14, 1}, b)
	}
	f.Fuzz(func(t *testing.T, list, b []byte) {
		columns := fuzzColumns(list)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := packed.UnpackCuts(b, columns)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(4096*(len(b)+len(list))+8<<20); got > most {
			t.Fatalf("cuts in %d bytes allocated %d bytes, at most %d allowed", len(b), got, most)
		}
		if err != nil {
			return
		}
		again, err := packed.UnpackCuts(packed.PackCuts(c), columns)
		if err != nil || !slices.Equal(again.Ptrs, c.Ptrs) || !slices.Equal(again.Ptrs64, c.Ptrs64) {
			t.Fatalf("written and read again: %v", err)
		}
		for i, x := range c.Values {
			if math.Float32bits(again.Values[i]) != math.Float32bits(x) {
				t.Fatalf("cut %d is %v, written and read again %v", i, x, again.Values[i])
			}
		}
		for i, x := range c.Values64 {
			if math.Float64bits(again.Values64[i]) != math.Float64bits(x) {
				t.Fatalf("cut %d is %v, written and read again %v", i, x, again.Values64[i])
			}
		}
		for i := range c.Features {
			a, b := &c.Features[i], &again.Features[i]
			if a.HasMissing != b.HasMissing || a.Regular != b.Regular || !slices.Equal(a.Codes, b.Codes) {
				t.Fatalf("feature %d is %+v, written and read again %+v", i, a, b)
			}
		}
	})
}

// FuzzPackedLeavesS4_29 reads packed leaf values from any bytes, for trees with so many leaves.
func FuzzPackedLeavesS4_29(f *testing.F) {
	types := []ptq.DType{ptq.I16, ptq.I8, ptq.I4, ptq.I2, ptq.Ternary}
	r := rand.New(rand.NewPCG(6, 6))
	for i, d := range types {
		values := make([]float64, 40)
		for k := range values {
			values[k] = r.NormFloat64()
		}
		v, err := ptq.Quantize(d, ptq.Calibration{}, values)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), uint8(1+i%2), []byte{10, 1, 9, 20}, packed.PackLeaves(v, []int{10, 1, 9, 20}, 1+i%2))
	}
	f.Fuzz(func(t *testing.T, which, outputs uint8, counts, b []byte) {
		d, k, total := types[int(which)%len(types)], max(int(outputs), 1), 0
		leaves := make([]int, min(len(counts), 1000))
		for i := range leaves {
			leaves[i] = int(counts[i])
			total += leaves[i]
		}
		native, err := packed.UnpackLeaves(b, d, leaves, k)
		if err != nil {
			return
		}
		v, err := ptq.Restore(ptq.Stored{DType: d, Len: total, Scales: []float64{0.5}, Native: native})
		if err != nil {
			return
		}
		if again, err := packed.UnpackLeaves(packed.PackLeaves(v, leaves, k), d, leaves, k); err != nil || !bytes.Equal(again, native) {
			t.Fatalf("%x, written and read again, is %x, %v", native, again, err)
		}
	})
}

// FuzzDictionariesS4_29 reads dictionaries from any text.
func FuzzDictionariesS4_29(f *testing.F) {
	f.Add([]byte("2\na\nb\n0\n"))
	f.Add([]byte("1\na\\\nb\\\\\n1\n\n"))
	f.Add([]byte("99999999999999999999\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		schema := func() dataset.Schema {
			return dataset.Schema{Columns: []dataset.ColumnSchema{{Name: "a", Kind: dataset.Category}, {Name: "b", Kind: dataset.Float32}, {Name: "c", Kind: dataset.Category}}}
		}
		s := schema()
		if packed.UnpackDictionaries(packed.PackText(text), s) != nil {
			return
		}
		again := schema()
		if err := packed.UnpackDictionaries(packed.PackDictionaries(s), again); err != nil {
			t.Fatal(err)
		}
		for i := range s.Columns {
			if !slices.Equal(s.Columns[i].Levels, again.Columns[i].Levels) {
				t.Fatalf("levels %q, written and read again %q", s.Columns[i].Levels, again.Columns[i].Levels)
			}
		}
	})
}

// testdata/v2.boost was written when version 2 was new; it must open for ever, and be what the
// small model is still compressed to.
func TestVersion2(t *testing.T) {
	m := smallCompressed(t, ptq.FormOf(ptq.I4), GroupTree, true)
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/v2.boost")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, want) {
		t.Error("the small model is no longer compressed to testdata/v2.boost: a change of format needs a new version")
	}
	kept, err := Decode(want)
	if err != nil {
		t.Fatal(err)
	}
	// The leaves of the first tree are −1, 0.5 and 2: by a scale of 2/7, codes −4 (−3.5, away from
	// 0), 2 (1.75) and 7; of the second 0.25 and −0.75: by 0.75/7 codes 2 and −7.
	scale, second := 2.0/7, 0.75/7
	for i, w := range []float64{-4 * scale, 2 * scale, 7 * scale, 2 * second, -7 * second} {
		if got := kept.Leaves()[i]; got != w {
			t.Errorf("leaf %d is %v, want %v", i, got, w)
		}
	}
	if kept.Rounds() != 3 || kept.Schema().Columns[3].Levels[0] != "red" || !kept.HasStatistics() {
		t.Errorf("version 2 reads as %+v", kept.Contents())
	}
}
