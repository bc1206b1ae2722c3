package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"boost/booster/model/internal/format"
	"boost/booster/model/internal/jsonform"
	"boost/internal/testenv"
)

// smallFile returns the parts of testdata/v1.boost.
func smallFile(t testing.TB) (text string, sections []format.Section) {
	t.Helper()
	data, err := os.ReadFile("testdata/v1.boost")
	if err != nil {
		t.Fatal(err)
	}
	_, man, err := format.OpenContainer(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openParts(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range format.SectionNames {
		sections = append(sections, format.Section{Name: name, Data: p.sections[i]})
	}
	return string(man), sections
}

const tableMark = `"@sections"`

// tryDecode decodes a file made of any manifest, in which tableMark stands for the
// section table, and any sections, with all checksums right.
func tryDecode(t *testing.T, text string, sections []format.Section) {
	t.Helper()
	data := format.Assemble(FormatVersion, sections, len(text), func(b []byte, table []format.SectionEntry) []byte {
		return append(b, strings.Replace(text, tableMark, string(jsonform.Append(nil, jsonform.List(table, format.SectionForm))), 1)...)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Decode(data)
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(64*len(data)+1<<20); got > most {
		t.Fatalf("Decode of %d bytes allocated %d bytes, at most %d allowed", len(data), got, most)
	}
	if err != nil {
		if !errors.Is(err, ErrModel) {
			t.Fatalf("Decode = %v, want ErrModel", err)
		}
		return
	}
	if again, _ := m.Encode(); !bytes.Equal(again, data) {
		t.Fatal("Decode took bytes that Encode does not write")
	}
}

// withMark returns the manifest with tableMark in place of its section table.
func withMark(t testing.TB, text string) string {
	t.Helper()
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		t.Fatal(err)
	}
	object := map[string]any{}
	for key, value := range parts {
		object[key] = value
	}
	object["sections"] = strings.Trim(tableMark, `"`)
	return string(jsonform.Append(nil, object))
}

// Behind checksums that are right, a flipped bit is caught by what it says, or makes
// another sound model, and never costs memory out of proportion.
func TestFlippedBitsInside(t *testing.T) {
	testenv.Unraced(t)
	text, sections := smallFile(t)
	text = withMark(t, text)
	// Steps that share no factor with 8 reach every bit of some byte; 3 hits each byte.
	step := 3
	if testing.Short() {
		step = 13
	}
	for i := range sections {
		t.Run("S4.29/"+sections[i].Name, func(t *testing.T) {
			sound := sections[i].Data
			for bit := 0; bit < 8*len(sound); bit += step {
				sections[i].Data = bytes.Clone(sound)
				sections[i].Data[bit/8] ^= 1 << (bit % 8)
				tryDecode(t, text, sections)
			}
			for n := range sound {
				sections[i].Data = sound[:n]
				tryDecode(t, text, sections)
			}
			sections[i].Data = sound
		})
	}
	t.Run("S4.29/manifest", func(t *testing.T) {
		for bit := 0; bit < 8*len(text); bit += step {
			spoiled := []byte(text)
			spoiled[bit/8] ^= 1 << (bit % 8)
			tryDecode(t, string(spoiled), sections)
		}
	})
}

func FuzzSections(f *testing.F) {
	_, sections := smallFile(f)
	for i, s := range sections {
		f.Add(uint8(i), s.Data)
	}
	f.Add(uint8(2), make([]byte, format.StructureHead))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		text, sections := smallFile(t)
		sections[int(which)%len(sections)].Data = data
		tryDecode(t, withMark(t, text), sections)
	})
}

func FuzzManifest(f *testing.F) {
	text, _ := smallFile(f)
	f.Add(withMark(f, text))
	sum := strings.Repeat("00", 32)
	f.Add(strings.Replace(withMark(f, text), `{"`, `{"after":7,"`, 1))
	f.Add(strings.Replace(withMark(f, text), `"outputs"`, `"origin":{"how":"continued","models":["`+sum+`"],"rounds":1},"outputs"`, 1))
	f.Add(strings.Replace(withMark(f, text), `"valid_`, `"segments":[{"params":{"train.learning_rate":null},"rounds":2}],"valid_`, 1))
	f.Add(`{"sections":"@sections"}`)
	f.Add(`{"classes":[{"hex":"zz"}],"sections":"@sections"}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		_, sections := smallFile(t)
		if strings.Count(text, tableMark) > 1 {
			return
		}
		tryDecode(t, text, sections)
	})
}
