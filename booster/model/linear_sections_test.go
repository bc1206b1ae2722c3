package model

import (
	"bytes"
	"encoding/hex"
	"os"
	"slices"
	"testing"

	"boost/booster/model/internal/format"
	"boost/internal/testenv"
	"boost/tree"
)

// smallLinear is the model of testdata/v1.boost with linear models in the leaves of its second tree: 0.5 + 2·age − income in the
// first, none in the second.
func smallLinear(t testing.TB) *Model {
	t.Helper()
	data, err := os.ReadFile("testdata/v1.boost")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	c := *m.contents
	c.Trees = slices.Clone(c.Trees)
	c.Trees[1].Linear = &tree.Linear{Ptrs: []uint32{0, 2, 2}, Feature: []int32{0, 1}, Coef: []float64{2, -1}, Const: []float64{0.5, 0}}
	if m, err = New(c); err != nil {
		t.Fatal(err)
	}
	return m
}

func linearParts(t testing.TB, m *Model) (text string, sections []format.Section) {
	t.Helper()
	data, err := m.Encode()
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
	for i, e := range p.entries {
		sections = append(sections, format.Section{Name: e.Name, Data: p.sections[i]})
	}
	return string(man), sections
}

// The section of linear leaves, byte by byte, and what is made of damaged ones.
func TestLinearSection(t *testing.T) {
	testenv.Unraced(t)
	m := smallLinear(t)
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if data[10] != 1 || data[11] != 0 {
		t.Errorf("flags % x, want 01 00", data[10:12])
	}
	text, sections := linearParts(t, m)
	at := len(sections) - 1
	const want = "00000000" + "02000000" + "00000000" + // coefficients of the three trees
		"02000000" + "00000000" + // of the two leaves
		"000000000000e03f" + "0000000000000000" + // constants 0.5 and 0
		"00000000" + "01000000" + // features
		"0000000000000040" + "000000000000f0bf" // 2 and −1
	if got := hex.EncodeToString(sections[at].Data); sections[at].Name != "linear" || got != want {
		t.Errorf("section %s is\n%s, want\n%s", sections[at].Name, got, want)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if encoded, _ := again.Encode(); !bytes.Equal(encoded, data) {
		t.Error("the file that was read is written as another")
	}
	fromText, err := DecodeText(m.EncodeText())
	if err != nil {
		t.Fatal(err)
	}
	if encoded, _ := fromText.Encode(); !bytes.Equal(encoded, data) {
		t.Error("the JSON form is another model")
	}
	text = withMark(t, text)
	sound := sections[at].Data
	for bit := range 8 * len(sound) {
		sections[at].Data = bytes.Clone(sound)
		sections[at].Data[bit/8] ^= 1 << (bit % 8)
		tryDecode(t, text, sections)
	}
	for n := range sound {
		sections[at].Data = sound[:n]
		tryDecode(t, text, sections)
	}
	for _, data := range [][]byte{make([]byte, 12), append(make([]byte, 8), 0xff, 0xff, 0xff, 0xff)} {
		sections[at].Data = data
		tryDecode(t, text, sections)
	}
	sections[at].Data = nil
	tryDecode(t, text, sections)
}

func FuzzLinearSection(f *testing.F) {
	text, sections := linearParts(f, smallLinear(f))
	text = withMark(f, text)
	at := len(sections) - 1
	f.Add(sections[at].Data)
	f.Add(make([]byte, 12))
	f.Fuzz(func(t *testing.T, data []byte) {
		sections := slices.Clone(sections)
		sections[at].Data = data
		tryDecode(t, text, sections)
	})
}
