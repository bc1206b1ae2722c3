package chunk

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MostColumns bounds what a damaged file can make the reader allocate.
const MostColumns = 1 << 20

// Mentions reports whether the caller named a column so.
func Mentions(o *Options, name string) bool {
	for _, list := range [][]string{{o.Weight, o.Group, o.Event, o.Upper}, o.Labels, o.InitScores, o.IDs, o.Ignore, o.Categorical} {
		for _, given := range list {
			if given != "" && given == strings.TrimSpace(name) {
				return true
			}
		}
	}
	return o.Schema != nil && o.Schema.named(strings.TrimSpace(name)) != nil
}

// LongestRecord is the number of bytes after which a record that does not end is
// given up: it is a quote that nobody closed, or no table at all.
const LongestRecord = 64 << 20

// SameColumns makes sure that a file has the first one's columns.
func SameColumns(name string, names []string, first string, wanted []string) error {
	if slices.Equal(names, wanted) {
		return nil
	}
	differs := fmt.Sprintf("%s has the columns of %s in another order", name, first)
	lacking, extra := without(wanted, names), without(names, wanted)
	switch {
	case len(lacking) > 0 && len(extra) > 0:
		differs = fmt.Sprintf("%s has %s where %s has %s", name, columnList(extra), first, columnList(lacking))
	case len(lacking) > 0:
		differs = fmt.Sprintf("%s lacks %s, which %s has", name, columnList(lacking), first)
	case len(extra) > 0:
		differs = fmt.Sprintf("%s has %s, which %s lacks", name, columnList(extra), first)
	}
	order := ""
	if len(lacking)+len(extra) == 0 {
		order = " in the same order"
	}
	return Errorf("%s; files that are read as one need the same columns%s", differs, order)
}

// ColumnOrder returns for each column of a file which of the first file's columns it is, nil where the order is the
// same. A column that only one of the files has is an error.
func ColumnOrder(name string, names []string, first string, wanted []string) ([]int, error) {
	err := SameColumns(name, names, first, wanted)
	if err == nil || len(names) != len(wanted) {
		return nil, err
	}
	places := make(map[string]int, len(wanted))
	for i, name := range wanted {
		places[name] = i
	}
	order, seen := make([]int, len(names)), make([]bool, len(names))
	for i, name := range names {
		place, known := places[name]
		if !known || seen[place] {
			return nil, err
		}
		order[i], seen[place] = place, true
	}
	return order, nil
}

// without returns the names that are not among the others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// columnList writes names after their noun: columns "a", "b".
func columnList(names []string) string {
	return Plural(len(names), "column") + " " + NameList(names, 10)
}

// QuickReach is the number of bytes from the beginning of a cell on that the quick
// paths look at: quotes, sign, integer part, point, three words of fraction, an
// exponent of three digits, CRLF.
const QuickReach = 2 + 1 + 8 + 1 + 3*8 + 5 + 2

// Sizes are limits and block sizes of reading, in bytes and rows.
type Sizes struct {
	// MostRows is the most rows of a table: an int32 numbers them.
	MostRows int
	// MostShared is the largest memory that columns share. All of it stays while
	// one of them does, and the room that turns out not to be needed takes memory as well.
	MostShared int
	// LeastOwn is the size from which large pages pay for a column of its own: one
	// at least lies within it.
	LeastOwn int
	// LeastUnpacked is what a packed file may always hold.
	LeastUnpacked int64
}

// DefaultSizes returns the sizes that options begin with.
func DefaultSizes() Sizes { return Sizes{math.MaxInt32, 32 << 20, 4 << 20, LargestPage} }
