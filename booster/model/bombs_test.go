package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"boost/booster/model/internal/format"
	"boost/booster/model/internal/jsonform"
	"boost/booster/model/internal/packed"
	"boost/internal/entropy"
	"boost/internal/testenv"
	"boost/ptq"
)

// refusedWithin has a file refused. What is allocated on the way, beside the file, is at most the bytes of the
// file and 16 MiB: so is all that is held at a time.
func refusedWithin(t *testing.T, data []byte, decode func([]byte) (*Model, error)) {
	t.Helper()
	refusedIn(t, 16<<20, data, decode)
}

// refusedIn is refusedWithin with another constant, for bombs of as many elements fewer.
func refusedIn(t *testing.T, constant int, data []byte, decode func([]byte) (*Model, error)) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decode(data)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrModel) || strings.Contains(err.Error(), "checksum") {
		t.Errorf("%v, want ErrModel for what the bytes say", err)
	}
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(len(data)+constant); got > most {
		t.Errorf("%d bytes were refused after %d were allocated, at most %d allowed: %v", len(data), got, most, err)
	}
}

// full makes a file of a manifest, in which tableMark stands for the section table, and sections.
func full(text string, sections []format.Section) []byte {
	return format.Assemble(FormatVersion, sections, len(text), func(b []byte, table []format.SectionEntry) []byte {
		return append(b, strings.Replace(text, tableMark, string(jsonform.Append(nil, jsonform.List(table, format.SectionForm))), 1)...)
	})
}

// put replaces the value of a key of a manifest.
func put(t testing.TB, text, key, value string) string {
	t.Helper()
	begin := strings.Index(text, `"`+key+`":`)
	if begin < 0 {
		t.Fatalf("no key %s", key)
	}
	begin += len(key) + 3
	depth, end := 0, begin
	for ; depth > 0 || text[end] != ',' && text[end] != '}'; end++ {
		switch text[end] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	return text[:begin] + value + text[end:]
}

// many is a list of a million elements.
func many(element string) string { return listOf(element, 1_000_000) }

func listOf(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// Lists of a manifest that are long and say nothing.
func manifestBombs(t *testing.T, text string, n int) map[string]string {
	many := func(element string) string { return listOf(element, n) }
	bombs := map[string]string{
		"outputs":  put(t, text, "outputs", "2147483647"),
		"rounds":   put(t, text, "best_round", "2147483647"),
		"numbers":  put(t, text, "base_score", "[[],"+many("0")[1:]),
		"nested":   put(t, text, "params", strings.Repeat(`{"a":`, 9000)+"0"+strings.Repeat("}", 9000)),
		"settings": put(t, text, "params", `{"b":`+many("0")+`,"a":{"b":0,"a":00}}`),
	}
	for _, key := range []string{"columns", "history", "wide_rounds", "valid_fingerprints"} {
		for name, element := range map[string]string{"objects": "{}", "lists": "[]", "numbers": "0", "nothing": "null"} {
			bombs[key+" of "+name] = put(t, text, key, many(element))
		}
	}
	bombs["classes"] = put(t, text, "classes", many("{}"))
	for name, value := range map[string]string{
		"maps of nothing":      `{"calibration":{"maps":` + many("{}") + `}}`,
		"maps of two numbers":  `{"calibration":{"maps":` + many(`{"coefficients":[0,0]}`) + `}}`,
		"numbers of a map":     `{"calibration":{"maps":[{"coefficients":[0,0],"values":` + many("0") + `}]}}`,
		"numbers of many maps": `{"calibration":{"maps":` + listOf(`{"coefficients":[0,0],"values":`+listOf("0", 100)+`}`, n/100) + `}}`,
		"groups":               `{"intervals":{"groups":` + many(`{"margin":0,"value":""}`) + `}}`,
	} {
		bombs["trust of "+name] = strings.Replace(text, `"valid_fingerprints":`, `"trust":`+value+`,"valid_fingerprints":`, 1)
	}
	return bombs
}

func TestBombs(t *testing.T) {
	testenv.Memory(t)
	text, sections := smallFile(t)
	text = withMark(t, text)
	for name, bomb := range manifestBombs(t, text, 1_000_000) {
		t.Run("S4.29/full/"+name, func(t *testing.T) { refusedWithin(t, full(bomb, sections), Decode) })
	}
	t.Run("S4.29/full/sections", func(t *testing.T) {
		refusedWithin(t, full(put(t, text, "sections", many("{}")), sections), Decode)
	})

	with := func(which int, data []byte) []byte {
		some := append([]format.Section(nil), sections...)
		some[which].Data = data
		return full(text, some)
	}
	count := binary.LittleEndian.AppendUint32
	t.Run("S4.29/full/levels", func(t *testing.T) {
		refusedWithin(t, with(1, append(count(nil, 3_000_000), make([]byte, 12_000_000)...)), Decode)
		refusedWithin(t, with(1, count(nil, math.MaxUint32)), Decode)
	})
	t.Run("S4.29/full/features", func(t *testing.T) {
		refusedWithin(t, with(0, append(count(nil, 1_000_000), make([]byte, 12_000_000)...)), Decode)
		refusedWithin(t, with(0, count(nil, math.MaxUint32)), Decode)
	})
	for name, head := range map[string][4]uint64{
		"trees": {math.MaxUint32, 0, 0, 0}, "nodes": {1, math.MaxUint64, 0, 0}, "sets": {1, 1, 1 << 60, 0}, "codes": {1, 1, 1, 1 << 62},
	} {
		t.Run("S4.29/full/"+name, func(t *testing.T) {
			b := append(count(nil, uint32(head[0])), 1, 1, 1, 1)
			for _, n := range head[1:] {
				b = binary.LittleEndian.AppendUint64(b, n)
			}
			refusedWithin(t, with(2, append(b, make([]byte, 100)...)), Decode)
		})
	}
	t.Run("S4.29/full/trees that are leaves", func(t *testing.T) {
		data := leavesAlone(t, 1_000_000, math.NaN())
		refusedWithin(t, data, Decode)
	})
}

// leavesAlone returns the file of a model of trees without splits. The last of them has the value.
func leavesAlone(t *testing.T, trees int, last float64) []byte {
	t.Helper()
	text, sections := smallFile(t)
	text = put(t, withMark(t, text), "best_round", fmt.Sprint(trees))
	text = put(t, put(t, text, "outputs", "1"), "base_score", "[0]")
	head := append(binary.LittleEndian.AppendUint32(nil, uint32(trees)), 1, 1, 1, 1)
	sections[2].Data = append(head, make([]byte, 24+4*trees)...)
	leaves := make([]byte, 8*trees)
	binary.LittleEndian.PutUint64(leaves[8*(trees-1):], math.Float64bits(last))
	sections[3].Data, sections[4].Data = leaves, nil
	return full(text, sections)
}

// A tree that is a leaf alone takes 12 bytes of a full model's file, and a tree.Tree, of 12 slices, and a number in
// memory: 296 bytes. A sound file of nothing else takes no more than the double, with what loading leaves behind.
func TestMemoryOfLeavesAlone(t *testing.T) {
	testenv.Memory(t)
	const trees = 200_000
	data := leavesAlone(t, trees, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Decode(data)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if m.NumTrees() != trees {
		t.Errorf("%d trees, want %d", m.NumTrees(), trees)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 600*trees+8<<20 {
		t.Errorf("%d bytes for each of %d trees", got/trees, trees)
	}
}

func TestBombsCompressed(t *testing.T) {
	testenv.Memory(t)
	sections := partsOf(t, smallCompressed(t, ptq.FormOf(ptq.Binary), GroupTree, false))
	text, err := packed.UnpackAbout(sections[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	with := func(name string, data []byte) []byte {
		some := append([]format.Section(nil), sections...)
		for i := range some {
			if some[i].Name == name {
				some[i].Data = data
			}
		}
		return joined(some)
	}
	about := func(text string) []byte { return with("about", packed.PackAbout([]byte(text))) }
	t.Run("S4.29/history", func(t *testing.T) {
		refusedWithin(t, about(put(t, string(text), "history", many("{}"))), Decode)
	})
	t.Run("S4.29/trees", func(t *testing.T) {
		for _, trees := range []int{1_000_000, 4_000_000} {
			c := entropy.NewWriter(nil)
			var nodes entropy.Number
			var alike, used entropy.Bit
			nodes.Code(c, 0)
			for range strings.Count(string(text), `"role":"feature"`) {
				used.Code(c, 0)
			}
			c.Bit(1, entropy.One/2)
			for range trees {
				alike.Code(c, 1)
			}
			some := bytes.Clone(c.Close())
			some = append(some, make([]byte, trees/64)...)
			claim := put(t, put(t, put(t, string(text), "best_round", fmt.Sprint(trees)), "outputs", "1"), "base_score", "[0]")
			list := append([]format.Section(nil), sections...)
			for i := range list {
				switch list[i].Name {
				case "about":
					list[i].Data = packed.PackAbout([]byte(claim))
				case "structure":
					list[i].Data = some
				case "leaves":
					list[i].Data = make([]byte, trees/8)
				}
			}
			refusedWithin(t, joined(list), Decode)
			refusedWithin(t, joined(list), func(data []byte) (*Model, error) {
				_, err := DecodeCompact(data)
				return nil, err
			})
		}
	})
	t.Run("S4.29/claims", func(t *testing.T) {
		for _, s := range sections {
			for _, b := range [][]byte{make([]byte, 100_000), bytes.Repeat([]byte{255}, 100_000), {255, 255, 255, 255, 255, 255}} {
				refusedWithin(t, with(s.Name, b), Decode)
			}
		}
	})
}

func TestBombsText(t *testing.T) {
	testenv.Memory(t)
	const n, constant = 250_000, 4 << 20 // a fourth of what the page allows for a fourth of the others' elements
	many := func(element string) string { return listOf(element, n) }
	m, err := Load("testdata/v1.boost")
	if err != nil {
		t.Fatal(err)
	}
	text := string(m.EncodeText())
	decode := func(data []byte) (*Model, error) { return DecodeText(data) }
	for name, bomb := range manifestBombs(t, text, n) {
		t.Run("S4.41/"+name, func(t *testing.T) { refusedIn(t, constant, []byte(bomb), decode) })
	}
	for _, key := range []string{"feature", "split", "missing_left", "left", "right", "leaf", "cover", "leaf_cover", "gain"} {
		for _, element := range []string{"0", "{}", "[]", "true", "null"} {
			trees := `[{"` + key + `":` + many(element) + `}]`
			t.Run("S4.41/"+key+" of "+element, func(t *testing.T) { refusedIn(t, constant, []byte(put(t, text, "trees", trees)), decode) })
		}
	}
	for _, key := range []string{"codes", "marks", "cuts"} {
		for _, element := range []string{"0", "null", `"-inf"`} {
			features := `[{"name":"a","` + key + `":` + many(element) + `}]`
			t.Run("S4.41/"+key+" of "+element, func(t *testing.T) { refusedIn(t, constant, []byte(put(t, text, "features", features)), decode) })
		}
	}
	t.Run("S4.41/keys of parameters", func(t *testing.T) {
		keys := strings.TrimSuffix(strings.Repeat(`"a":0,`, 1_000_000), ",")
		refusedWithin(t, []byte(put(t, text, "params", "{"+keys+"}")), decode)
	})
	for _, key := range []string{"trees", "features", "levels"} {
		for _, element := range []string{"{}", "0", "null"} {
			t.Run("S4.41/"+key+" of "+element, func(t *testing.T) { refusedIn(t, constant, []byte(put(t, text, key, many(element))), decode) })
		}
	}
}

// FuzzClaimsS4_29 begins with sound files, full and compressed. It writes a number anywhere in a section, where counts and
// lengths stand, and puts something many times behind it or into a list of the manifest. Checksums and the table
// of sections are right. What is refused takes 16 MiB and 64 bytes for each of the file.
func FuzzClaimsS4_29(f *testing.F) {
	text, sections := smallFile(f)
	text = withMark(f, text)
	var parts [][]format.Section
	for _, form := range fuzzedForms {
		parts = append(parts, partsOf(f, smallCompressed(f, form.form, form.grouping, form.statistics)))
	}
	lists := []string{"columns", "history", "classes", "base_score", "valid_fingerprints", "wide_rounds", "params"}
	for k := range lists {
		f.Add(uint8(0), uint8(len(sections)+k), uint16(0), uint64(0), uint16(60_000), []byte("{},"))
		f.Add(uint8(1), uint8(len(sections)+k), uint16(0), uint64(0), uint16(60_000), []byte("0,"))
	}
	for i := range sections {
		for at := range uint16(4) {
			f.Add(uint8(0), uint8(i), 8*at, uint64(math.MaxUint32), uint16(1000), make([]byte, 12))
		}
	}
	for i := range parts {
		for k := range parts[i] {
			f.Add(uint8(1+i), uint8(k), uint16(0), uint64(math.MaxUint64), uint16(1000), []byte{0})
		}
	}
	f.Fuzz(func(t *testing.T, which, section uint8, at uint16, value uint64, times uint16, piece []byte) {
		piece = bytes.Repeat(piece, min(int(times), 1<<20/max(len(piece), 1)))
		claim := func(list []format.Section) []format.Section {
			list = append([]format.Section(nil), list...)
			data := bytes.Clone(list[int(section)%len(list)].Data)
			if len(data) >= 8 {
				binary.LittleEndian.PutUint64(data[int(at)%(len(data)-7):], value)
			}
			list[int(section)%len(list)].Data = append(data, piece...)
			return list
		}
		var data []byte
		list := "[" + strings.TrimSuffix(string(piece), ",") + "]"
		switch {
		case which == 0 && int(section) < len(sections):
			data = full(text, claim(sections))
		case which == 0:
			data = full(put(t, text, lists[int(section)%len(lists)], list), sections)
		default:
			data = joined(claim(parts[int(which)%len(parts)]))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(data)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(64*len(data)+16<<20); err != nil && got > most {
			t.Fatalf("%d bytes were refused after %d were allocated, at most %d allowed: %v", len(data), got, most, err)
		}
	})
}
