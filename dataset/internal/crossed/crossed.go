// Package crossed makes a column of levels of one or two others: a level is a value, or a pair of values.
//
// In: levels or numbers. Out: codes and names of values and pairs. It must not know tables.
package crossed

import (
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// Sign stands between the names of two columns, and between the values of a pair.
const Sign = "×"

// Missing stands for a missing value in the name of a pair.
const Missing = Sign

// Text is how a value stands in the name of a pair: signs within it are doubled. So no other pair has the name: the runs
// of signs within values are of even length, that between them and that of a missing one are not.
func Text(value string) string { return strings.ReplaceAll(value, Sign, Sign+Sign) }

// Name returns the name of values that are Text or Missing each.
func Name(values ...string) string { return strings.Join(values, " "+Sign+" ") }

// Column is a column that is made of others.
type Column struct {
	Name string   // dataset.CrossedName or dataset.OrderedName
	Of   []string // names of one feature or two
}

// Check makes sure that columns have names that no other has.
func Check(columns []Column, taken func(name string) bool) error {
	made := map[string]bool{}
	for _, c := range columns {
		if made[c.Name] || taken(c.Name) {
			return chunk.Errorf("column %q has the name of what is made of %q: rename it, or leave categorical.combinations and categorical.counts out", c.Name, c.Of)
		}
		made[c.Name] = true
	}
	return nil
}

// Values are those of one column: for each row the number of its value.
type Values struct {
	Codes  []int32
	N      int      // different ones
	levels []string // what Text is to be taken of, without the missing one, which is the last
	names  []string // of numbers
}

// Levels are the values of a column with so many missing ones, whose codes are below 0.
func Levels(codes []int32, levels []string, missing int) Values {
	if missing == 0 {
		return Values{Codes: codes, N: len(levels), levels: levels}
	}
	v := Values{Codes: make([]int32, len(codes)), N: len(levels) + 1, levels: levels}
	for row, code := range codes {
		if v.Codes[row] = code; code < 0 {
			v.Codes[row] = int32(len(levels))
		}
	}
	return v
}

// name returns how a value stands in the name of a pair.
func (v *Values) name(code int32) string {
	switch {
	case v.names != nil:
		return v.names[code]
	case int(code) == len(v.levels):
		return Missing
	}
	return Text(v.levels[code])
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
				missing = int32(len(v.names))
				v.names = append(v.names, Missing)
			}
			v.Codes[row] = missing
			continue
		}
		code, known := index[x]
		if !known {
			if len(index) == most && most > 0 {
				return Values{}, false
			}
			code = int32(len(v.names))
			index[x] = code
			v.names = append(v.names, plain.FormatNumber(x))
		}
		v.Codes[row] = code
	}
	v.N = len(v.names)
	return v, true
}

// Columns remembers the values of columns that are crossed.
type Columns struct {
	read  func(column string) Values
	known map[string]Values
}

// NewColumns returns the columns of a table, of which read gives one.
func NewColumns(read func(column string) Values) *Columns {
	return &Columns{read, map[string]Values{}}
}

// Of returns the values of some columns.
func (c *Columns) Of(names []string) []Values {
	of := make([]Values, len(names))
	for i, name := range names {
		values, ok := c.known[name]
		if !ok {
			values = c.read(name)
			c.known[name] = values
		}
		of[i] = values
	}
	return of
}

// numbered returns for each row the number of its level, in the order of first appearance, and the first row of each.
func numbered(of []Values) (codes, first []int32) {
	codes, keys := make([]int32, len(of[0].Codes)), int64(1)
	for _, v := range of {
		keys *= int64(v.N)
	}
	seen := newNumbers(keys, len(codes))
	for row := range codes {
		key := int64(0)
		for _, v := range of {
			key = key*int64(v.N) + int64(v.Codes[row])
		}
		code, fresh := seen.of(key)
		if fresh {
			first = append(first, int32(row))
		}
		codes[row] = code
	}
	return codes, first
}

// numbers numbers keys in the order in which they come.
type numbers struct {
	table []int32 // by key, the number and one; nil for a map
	index map[int64]int32
	next  int32
}

// newNumbers is for so many keys, of which at most some come. A table is faster than a map, and here no larger.
func newNumbers(keys int64, some int) *numbers {
	if keys <= 4*int64(some)+1<<16 {
		return &numbers{table: make([]int32, keys)}
	}
	return &numbers{index: map[int64]int32{}}
}

func (n *numbers) of(key int64) (number int32, fresh bool) {
	if n.table != nil {
		if n.table[key] == 0 {
			n.next++
			n.table[key], fresh = n.next, true
		}
		return n.table[key] - 1, fresh
	}
	number, known := n.index[key]
	if !known {
		number = n.next
		n.index[key] = number
		n.next++
	}
	return number, !known
}

// Fit returns the column of one column's values, or of two columns' pairs.
func Fit(of []Values) (codes []int32, levels []string) {
	codes, first := numbered(of)
	levels = make([]string, len(first))
	for i, row := range first {
		levels[i] = nameOf(of, row)
	}
	return codes, levels
}

// Index finds levels by their names.
type Index map[string]int32

// NewIndex returns the codes of levels.
func NewIndex(levels []string) Index {
	index := make(Index, len(levels))
	for i, level := range levels {
		index[level] = int32(i)
	}
	return index
}

// As returns the column of Fit with only these levels. Others are missing.
func As(of []Values, index Index) (codes []int32) {
	if len(index) == 0 {
		return slices.Repeat([]int32{chunk.MissingCode}, len(of[0].Codes))
	}
	codes, first := numbered(of)
	known := make([]int32, len(first))
	for i, row := range first {
		code, ok := index[nameOf(of, row)]
		if !ok {
			code = chunk.MissingCode
		}
		known[i] = code
	}
	for row, code := range codes {
		codes[row] = known[code]
	}
	return codes
}

func nameOf(of []Values, row int32) string {
	texts := make([]string, len(of))
	for i := range of {
		v := &of[i]
		texts[i] = v.name(v.Codes[row])
	}
	return Name(texts...)
}
