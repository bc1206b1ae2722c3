package model_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
	"boost/tree"
)

var update = flag.Bool("update", false, "write testdata/v1.boost anew")

func TestFile(t *testing.T) {
	data := encode(t, newSmall(t))
	t.Run("S4.29/golden header", func(t *testing.T) {
		want := []byte{
			0x42, 0x4f, 0x4f, 0x53, 0x54, 0x0d, 0x0a, 0x1a, // magic
			1, 0, // version
			0, 0, // flags
			5, 0, 0, 0, // sections
			0xa0, 0x04, 0, 0, 0, 0, 0, 0, // manifest of 1,184 bytes
			0x58, 0x06, 0, 0, 0, 0, 0, 0, // file of 1,624 bytes
		}
		if !bytes.Equal(data[:32], want) {
			t.Errorf("header\n% x, want\n% x", data[:32], want)
		}
		if len(data) != 1624 {
			t.Errorf("the file has %d bytes, the header says 1624", len(data))
		}
		const manifest = 1184
		if !json.Valid(data[32 : 32+manifest]) {
			t.Errorf("manifest is not JSON: %s", data[32:32+manifest])
		}
	})
	t.Run("S4.29/crc32c", func(t *testing.T) {
		table := crc32.MakeTable(crc32.Castagnoli)
		if got := crc32.Checksum([]byte("123456789"), table); got != 0xe3069283 {
			t.Errorf("CRC32C(123456789) = %08x, want e3069283", got)
		}
		end := len(data) - 4
		if got, want := crc32.Checksum(data[:end], table), binary.LittleEndian.Uint32(data[end:]); got != want {
			t.Errorf("CRC32C of everything before the last 4 bytes is %08x, they hold %08x", got, want)
		}
	})
	t.Run("S4.29/sections", func(t *testing.T) {
		var manifest struct {
			Sections []struct {
				Name           string
				Offset, Length uint64
				CRC32C         string
			}
		}
		length := binary.LittleEndian.Uint64(data[16:])
		if err := json.Unmarshal(data[32:32+length], &manifest); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range manifest.Sections {
			names = append(names, s.Name)
			if s.Offset%64 != 0 {
				t.Errorf("section %s begins at %d, not at a multiple of 64", s.Name, s.Offset)
			}
			sum := crc32.Checksum(data[s.Offset:s.Offset+s.Length], crc32.MakeTable(crc32.Castagnoli))
			if got := strings.TrimLeft(s.CRC32C, "0"); got != strings.TrimLeft(hex32(sum), "0") {
				t.Errorf("section %s: checksum %s, want %08x", s.Name, s.CRC32C, sum)
			}
		}
		if want := []string{"cuts", "dictionaries", "structure", "leaves", "statistics"}; !slices.Equal(names, want) {
			t.Errorf("sections %v, want %v", names, want)
		}
	})
}

func hex32(v uint32) string {
	b := binary.BigEndian.AppendUint32(nil, v)
	const digits = "0123456789abcdef"
	s := ""
	for _, x := range b {
		s += string(digits[x>>4]) + string(digits[x&15])
	}
	return s
}

// The sections of the small model, byte by byte from the drawn layouts.
func TestSectionGoldens(t *testing.T) {
	data := encode(t, newSmall(t))
	for _, c := range []struct {
		name string
		want []byte
	}{
		{"cuts", []byte{
			3, 0, 0, 0,
			0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0,
			1, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
			2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
			0, 0, 0xc0, 0x3f, 0, 0, 0x20, 0x40, // 1.5, 2.5
			0, 0, 0, 0, 0, 0, 0x24, 0x40, // 10
			0, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
		}},
		{"dictionaries", []byte("\x02\x00\x00\x00\x03\x00\x00\x00\x02\x00\x00\x00yesno" +
			"\x03\x00\x00\x00\x03\x00\x00\x00\x05\x00\x00\x00\x04\x00\x00\x00redgreenblue")},
		{"structure", []byte{
			3, 0, 0, 0, 1, 1, 1, 1,
			3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
			2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
			0, 3, 2, // flags
			0, 2, 1, // feature
			0, 0, 0, // code
			1, 3, 1, // left: leaf 0, leaf 1, leaf 0
			2, 5, 3, // right: node 1, leaf 2, leaf 1
			1, 0, 0, 0, // one code in the set
			1,
		}},
		{"leaves", []byte{
			0, 0, 0, 0, 0, 0, 0xf0, 0xbf, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0x40, // -1 0.5 2
			0, 0, 0, 0, 0, 0, 0xd0, 0x3f, 0, 0, 0, 0, 0, 0, 0xe8, 0xbf, // 0.25 -0.75
			0, 0, 0, 0, 0, 0, 0xc0, 0x3f, // 0.125
		}},
	} {
		t.Run("S4.29/"+c.name, func(t *testing.T) {
			at := bytes.Index(data, c.want)
			if at < 0 || at%64 != 0 {
				t.Errorf("the bytes of section %s are not in the file at a multiple of 64 (found at %d)", c.name, at)
			}
		})
	}
}

func TestRoundTrip(t *testing.T) {
	testenv.Unraced(t)
	m := newSmall(t)
	data := encode(t, m)
	back, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want, got := m.Contents(), back.Contents()
	if !reflect.DeepEqual(got.Trees[0], want.Trees[0]) {
		t.Errorf("tree 0 = %+v, want %+v", got.Trees[0], want.Trees[0])
	}
	if !reflect.DeepEqual(got.Schema.Columns[3], want.Schema.Columns[3]) || !reflect.DeepEqual(got.Classes, want.Classes) ||
		!reflect.DeepEqual(got.Cuts, want.Cuts) || !reflect.DeepEqual(got.History, want.History) {
		t.Errorf("contents came back as %+v, want %+v", got, want)
	}
	if again := encode(t, back); !bytes.Equal(again, data) {
		t.Error("the loaded model encodes to other bytes")
	}
	one, err := m.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	if other, _ := back.SHA256(); one != other || len(one) != 64 {
		t.Errorf("sha256 %s and %s", one, other)
	}
	saved, err := model.Decode(data) // whose digest is known from saving it
	if err != nil || saved.Save(filepath.Join(t.TempDir(), "m.boost")) != nil {
		t.Fatal(err)
	}
	if other, _ := saved.SHA256(); one != other {
		t.Errorf("sha256 %s, once saved %s", one, other)
	}
}

// Names of any bytes, empty names, and names that JSON must escape come back as they were.
func TestOddNames(t *testing.T) {
	c := smallContents()
	odd := []string{"", "\xff\xfe", "tab\t\"quote\" \\ \u2028 é \x00"}
	c.Classes = odd[1:]
	c.Schema.Columns[0].Name, c.Cuts.Features[0].Name = odd[1], odd[1]
	c.Schema.Columns[1].Name = odd[2]
	c.Schema.Columns[3].Levels = odd
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	back, err := model.Decode(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.Classes(), odd[1:]) {
		t.Errorf("classes = %q, want %q", back.Classes(), odd[1:])
	}
	for i, want := range []string{odd[1], odd[2]} {
		if got := back.Schema().Columns[i].Name; got != want {
			t.Errorf("column %d = %q, want %q", i, got, want)
		}
	}
	if got := back.Schema().Columns[3].Levels; !slices.Equal(got, odd) {
		t.Errorf("levels = %q, want %q", got, odd)
	}
}

// Regression with several outputs, no features used, no history, wide numbers.
func TestRoundTripShapes(t *testing.T) {
	c := smallContents()
	c.Objective, c.Link, c.Classes, c.Outputs, c.BaseScore = "regression", objectives.Identity, nil, 3, []float64{0, 1e300, -0.1}
	c.BestRound, c.History, c.WideRounds, c.ValidPrints = 1, nil, nil, nil
	empty, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	none := c
	none.Trees, none.BestRound = nil, 0
	noTrees, err := model.New(none)
	if err != nil {
		t.Fatal(err)
	}
	wide := smallContents()
	const levels = 70_000
	wide.Schema.Columns[3] = dataset.ColumnSchema{Name: "color", Kind: dataset.Category, Levels: make([]string, levels), NumericLevels: true}
	wide.Cuts.Features[2].Regular, wide.Cuts.Features[2].Codes = levels, make([]uint32, levels)
	for i := range levels {
		wide.Schema.Columns[3].Levels[i] = string(binary.BigEndian.AppendUint32(nil, uint32(i)))
		wide.Cuts.Features[2].Codes[i] = uint32(i)
	}
	wide.Trees[0].Sets = []uint32{0, 300, 69_999}
	wide.Trees[0].SetPtrs = []uint32{0, 3}
	big, err := model.New(wide)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*model.Model{empty, noTrees, big} {
		back, err := model.Decode(encode(t, m))
		if err != nil {
			t.Fatal(err)
		}
		if len(back.Contents().Trees) != m.NumTrees() {
			t.Errorf("%d trees came back of %d", len(back.Contents().Trees), m.NumTrees())
		}
	}
	back, _ := model.Decode(encode(t, big))
	if got := back.Contents().Trees[0].Sets; !slices.Equal(got, []uint32{0, 300, 69_999}) {
		t.Errorf("set = %v", got)
	}
}

// testdata/v1.boost was written when version 1 was new; it must open for ever, and be
// what the small model still encodes to.
func TestVersion1(t *testing.T) {
	path := filepath.Join("testdata", "v1.boost")
	data := encode(t, newSmall(t))
	if *update {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := model.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rounds() != 3 || m.Contents().Trees[0].Leaf[2] != 2 || m.Schema().Columns[3].Levels[1] != "green" {
		t.Errorf("version 1 reads as %+v", m.Contents())
	}
	if want, _ := os.ReadFile(path); !bytes.Equal(data, want) {
		t.Error("the small model no longer encodes to testdata/v1.boost: a change of format needs a new version")
	}
}

func TestEveryFlippedBit(t *testing.T) {
	data := encode(t, newSmall(t))
	t.Run("S4.29/flipped bit", func(t *testing.T) {
		for i := range data {
			for bit := range 8 {
				if testing.Short() && (i+bit)%8 != 0 {
					continue
				}
				data[i] ^= 1 << bit
				if _, err := model.Decode(data); !errors.Is(err, model.ErrModel) {
					t.Fatalf("byte %d, bit %d flipped: Decode = %v, want ErrModel", i, bit, err)
				}
				data[i] ^= 1 << bit
			}
		}
	})
}

func TestEveryTruncation(t *testing.T) {
	data := encode(t, newSmall(t))
	t.Run("S4.29/truncated", func(t *testing.T) {
		for n := range data {
			_, err := model.Decode(data[:n])
			if !errors.Is(err, model.ErrModel) {
				t.Fatalf("first %d bytes: Decode = %v, want ErrModel", n, err)
			}
			if n > 0 && !strings.Contains(err.Error(), "cut short") {
				t.Fatalf("first %d bytes: %v, want it to say that the model is cut short", n, err)
			}
		}
		if _, err := model.Decode(append(data, 0)); !errors.Is(err, model.ErrModel) {
			t.Errorf("one byte too many: Decode = %v, want ErrModel", err)
		}
	})
}

// reseal gives damaged bytes a header and a checksum that fit, so that what lies
// behind these two is put to the test.
func reseal(b []byte) []byte {
	binary.LittleEndian.PutUint64(b[24:], uint64(len(b)))
	end := len(b) - 4
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(b []byte)
	}{
		{"newer version", "use a newer boost", func(b []byte) { b[8] = 3 }},
		{"version 0", "no boost has written", func(b []byte) { b[8] = 0 }},
		{"flags", "use a newer boost", func(b []byte) { b[10] = 2 }},
		{"section count", "sections", func(b []byte) { b[12] = 6 }},
		{"manifest too long", "does not fit", func(b []byte) { b[23] = 0xff }},
		{"manifest cut", "manifest cannot be read", func(b []byte) { b[16]-- }},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := encode(t, newSmall(t))
			c.spoil(data)
			_, err := model.Decode(reseal(data))
			if !errors.Is(err, model.ErrModel) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Decode = %v, want ErrModel with %q", err, c.want)
			}
		})
	}
}

// With a whole checksum that fits, a flipped bit must still be caught or give a
// model that encodes to these very bytes, and may not cost memory out of proportion.
func TestFlippedBitsResealed(t *testing.T) {
	testenv.Unraced(t)
	data := encode(t, newSmall(t))
	step := 3
	if testing.Short() {
		step = 8
	}
	for i := range len(data) - 4 {
		for bit := i % step; bit < 8; bit += step {
			spoiled := slices.Clone(data)
			spoiled[i] ^= 1 << bit
			decodeAny(t, reseal(spoiled))
		}
	}
}

// decodeAny decodes whatever it gets and holds Decode to its promises. The coders that files share may have
// been collected, and under the race detector pools lose them at random: what it takes is the least of a few.
func decodeAny(t *testing.T, data []byte) {
	t.Helper()
	var m *model.Model
	var err error
	most := uint64(64*len(data) + 1<<20)
	took := ^uint64(0)
	for range 8 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err = model.Decode(data)
		runtime.ReadMemStats(&after)
		if took = min(took, after.TotalAlloc-before.TotalAlloc); took <= most {
			break
		}
	}
	if took > most {
		t.Fatalf("Decode of %d bytes allocated %d bytes, at most %d allowed", len(data), took, most)
	}
	if err != nil {
		if !errors.Is(err, model.ErrModel) {
			t.Fatalf("Decode = %v, want ErrModel", err)
		}
		return
	}
	if again := encode(t, m); !bytes.Equal(again, data) {
		t.Fatal("Decode took bytes that Encode does not write")
	}
}

func FuzzDecode(f *testing.F) {
	m := newSmall(f)
	data := encode(f, m)
	f.Add(data, false)
	f.Add(data[:100], true)
	c := smallContents()
	c.Trees, c.BestRound = []tree.Tree{}, 0
	if m, err := model.New(c); err == nil {
		f.Add(encode(f, m), true)
	}
	ofClasses, ofNumbers := fullTrusts()
	f.Add(encode(f, trusting(f, m, ofClasses)), true)
	f.Add(encode(f, trusting(f, newSmallNumbers(f), ofNumbers)), true)
	f.Add([]byte("{\"learner\""), false)
	f.Fuzz(func(t *testing.T, data []byte, fit bool) {
		if fit && len(data) >= 36 {
			data = reseal(slices.Clone(data))
		}
		decodeAny(t, data)
	})
}
