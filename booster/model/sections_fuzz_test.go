package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// smallFile returns the parts of testdata/v1.boost.
func smallFile(t testing.TB) (text string, sections []section) {
	t.Helper()
	data, err := os.ReadFile("testdata/v1.boost")
	if err != nil {
		t.Fatal(err)
	}
	_, man, err := openContainer(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openParts(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range sectionNames {
		sections = append(sections, section{name, p.sections[i]})
	}
	return string(man), sections
}

const tableMark = `"@sections"`

// tryDecode decodes a file made of any manifest, in which tableMark stands for the
// section table, and any sections, with all checksums right.
func tryDecode(t *testing.T, text string, sections []section) {
	t.Helper()
	data := assemble(sections, func(table []sectionEntry) []byte {
		return []byte(strings.Replace(text, tableMark, string(appendJSON(nil, list(table, sectionForm))), 1))
	})
	m, err := Decode(data)
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

func FuzzSections(f *testing.F) {
	_, sections := smallFile(f)
	for i, s := range sections {
		f.Add(uint8(i), s.data)
	}
	f.Add(uint8(2), make([]byte, structureHead))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		text, sections := smallFile(t)
		var object map[string]any
		if err := decodeNumbers([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		object["sections"] = strings.Trim(tableMark, `"`)
		sections[int(which)%len(sections)].data = data
		tryDecode(t, string(appendJSON(nil, object)), sections)
	})
}

func FuzzManifest(f *testing.F) {
	text, _ := smallFile(f)
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		f.Fatal(err)
	}
	f.Add(strings.Replace(text, string(object["sections"]), tableMark, 1))
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
