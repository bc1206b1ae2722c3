package crossed

import (
	"cmp"
	"slices"
)

// Level is a level of a column whose table is read in pieces.
type Level struct {
	Name  string
	First int // row that it is first in
	Rows  int // that it is in
}

// Union collects the levels of a column over the pieces of a table.
type Union struct {
	levels []Level
	index  map[string]int
}

// LevelsOf returns the levels of a piece that begins with row first.
func LevelsOf(of []Values, first int) []Level {
	codes, firsts := numbered(of)
	levels := make([]Level, len(firsts))
	for i, row := range firsts {
		levels[i] = Level{Name: nameOf(of, row), First: first + int(row)}
	}
	for _, code := range codes {
		levels[code].Rows++
	}
	return levels
}

// Add adds the levels of a piece.
func (u *Union) Add(levels []Level) {
	if u.index == nil {
		u.index = map[string]int{}
	}
	for _, l := range levels {
		at, known := u.index[l.Name]
		if !known {
			u.index[l.Name] = len(u.levels)
			u.levels = append(u.levels, l)
			continue
		}
		u.levels[at].First = min(u.levels[at].First, l.First)
		u.levels[at].Rows += l.Rows
	}
}

// Levels returns what was found, in the order of Fit of the whole table.
func (u *Union) Levels() []Level {
	return slices.SortedFunc(slices.Values(u.levels), func(a, b Level) int { return cmp.Compare(a.First, b.First) })
}
