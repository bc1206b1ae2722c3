// Package crossed makes one column of levels of two columns: a level is a pair of their values.
//
// In: the levels or numbers of two columns. Out: codes and names of pairs. It must not know tables.
package crossed

import (
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
)

// Sign stands between the names of two columns, and between the values of a pair.
const Sign = "×"

// Missing stands for a missing value in the name of a pair.
const Missing = Sign

// Text is how a value stands in the name of a pair: signs within it are doubled. So no other pair has the name: the runs
// of signs within values are of even length, that between them and that of a missing one are not.
func Text(value string) string { return strings.ReplaceAll(value, Sign, Sign+Sign) }

// Name returns the name of a pair of which each value is a Text or Missing.
func Name(a, b string) string { return a + " " + Sign + " " + b }

// Values are those of one column: for each row an index into Names.
type Values struct {
	Codes []int32
	Names []string
}

// Levels are the values of a column with so many missing ones, whose codes are below 0.
func Levels(codes []int32, levels []string, missing int) Values {
	if missing == 0 {
		return Values{codes, texts(levels)}
	}
	v := Values{make([]int32, len(codes)), append(texts(levels), Missing)}
	for row, code := range codes {
		if v.Codes[row] = code; code < 0 {
			v.Codes[row] = int32(len(levels))
		}
	}
	return v
}

func texts(levels []string) []string {
	texts := make([]string, len(levels))
	for i, level := range levels {
		texts[i] = Text(level)
	}
	return texts
}

// Numbers names numbers by their shortest decimal form. More than most different ones are ok = false; 0 is no limit.
// Missing ones are equal.
func Numbers(n int, at func(row int) float64, most int) (v Values, ok bool) {
	v.Codes = make([]int32, n)
	index, missing := map[float64]int32{}, int32(-1)
	for row := range v.Codes {
		x := at(row)
		if x != x {
			if missing < 0 {
				missing = int32(len(v.Names))
				v.Names = append(v.Names, Missing)
			}
			v.Codes[row] = missing
			continue
		}
		code, known := index[x]
		if !known {
			if len(index) == most && most > 0 {
				return Values{}, false
			}
			code = int32(len(v.Names))
			index[x] = code
			v.Names = append(v.Names, chunk.FormatNumber(x))
		}
		v.Codes[row] = code
	}
	return v, true
}

// Pairs returns for each row the number of its pair, in the order of first appearance, and the first row of each pair.
func Pairs(a, b Values) (codes, first []int32) {
	codes = make([]int32, len(a.Codes))
	width := len(b.Names)
	if cells := len(a.Names) * width; cells <= 4*len(codes)+1<<16 { // a table is faster, and no larger than a map
		seen := make([]int32, cells)
		for row := range codes {
			at := &seen[int(a.Codes[row])*width+int(b.Codes[row])]
			if *at == 0 {
				first = append(first, int32(row))
				*at = int32(len(first))
			}
			codes[row] = *at - 1
		}
		return codes, first
	}
	seen := map[[2]int32]int32{}
	for row := range codes {
		pair := [2]int32{a.Codes[row], b.Codes[row]}
		code, known := seen[pair]
		if !known {
			code = int32(len(first))
			seen[pair] = code
			first = append(first, int32(row))
		}
		codes[row] = code
	}
	return codes, first
}

// Fit returns the column of pairs.
func Fit(a, b Values) (codes []int32, levels []string) {
	codes, first := Pairs(a, b)
	levels = make([]string, len(first))
	for pair, row := range first {
		levels[pair] = nameOf(a, b, row)
	}
	return codes, levels
}

// As returns the column of pairs whose names are among levels. Others are missing.
func As(a, b Values, levels []string) (codes []int32) {
	if len(levels) == 0 {
		return slices.Repeat([]int32{chunk.MissingCode}, len(a.Codes))
	}
	codes, first := Pairs(a, b)
	index := make(map[string]int32, len(levels))
	for i, level := range levels {
		index[level] = int32(i)
	}
	known := make([]int32, len(first))
	for pair, row := range first {
		code, ok := index[nameOf(a, b, row)]
		if !ok {
			code = chunk.MissingCode
		}
		known[pair] = code
	}
	for row, pair := range codes {
		codes[row] = known[pair]
	}
	return codes
}

func nameOf(a, b Values, row int32) string { return Name(a.Names[a.Codes[row]], b.Names[b.Codes[row]]) }
