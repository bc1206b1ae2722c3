package dataset_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"boost/dataset"
)

func TestLastRecordEnd(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 0, "a\n": 2, "a\nb": 2, "a,\"b\nc": 0, "a,\"b\nc\"\nd": 8, "\"\"\"\n\"\n": 6, "a\n\"b": 2,
		"5\"\nx": 3, "a, \"x\ny\"\n": 9, "\"a\"b\"\nc": 6, "\"a\n\"\"": 0, "a\"b\n\"c\nd": 4, "\"a\" \"b\n": 7,
	} {
		// Records of 13 bytes before it move the text to all places of words of 64 bytes.
		for records := range 12 {
			before := strings.Repeat("\"a\n\"\"b\",cde\n", records)
			if got := dataset.LastRecordEnd([]byte(before+text), ','); got != len(before)+want {
				t.Errorf("%q behind %d records: %d, want %d", text, records, got-len(before), want)
			}
		}
	}
}

// TestLastRecordEndOfRandomText compares with reading one character after another.
func TestLastRecordEndOfRandomText(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	parts := []string{"a", "word", ",", ",\"", "\",", "\n", "\n", "\"\n", "\r\n", "\"x,y\"", "\"x\n\"\"", "\t\"", " ", "\""}
	for n := range 20_000 {
		usual := len(parts) - n%len(parts) // the later parts are the harder ones
		var b strings.Builder
		for range r.IntN(200) {
			b.WriteString(parts[r.IntN(usual)])
		}
		text := b.String()
		if got, want := dataset.LastRecordEnd([]byte(text), ','), lastRecordEnd(text); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	}
}

// lastRecordEnd reads cell by cell: a quote behind blanks opens a cell, in which two
// quotes are one, and any other quote is a character.
func lastRecordEnd(text string) (last int) {
	i := 0
	for i < len(text) {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if i < len(text) && text[i] == '"' {
			for i++; i < len(text); i++ {
				if text[i] != '"' {
					continue
				}
				if i++; i == len(text) || text[i] != '"' {
					break
				}
			}
		}
		for i < len(text) && text[i] != ',' && text[i] != '\n' {
			i++
		}
		if i++; i <= len(text) && text[i-1] == '\n' {
			last = i
		}
	}
	return last
}
