package synth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// The kinds of tables.
const (
	// Dense resembles HIGGS, with any number of columns; see Generator.
	Dense = "dense"
	// Airline has 8 columns, most of them categorical, of up to 10,000 levels.
	Airline = "airline"
	// Covertype has 54 columns and seven classes.
	Covertype = "covertype"
	// Continuous is Dense without columns of few levels.
	Continuous = "dense-continuous"
	// Counts has small counts, most of them zero, and nine classes.
	Counts = "counts"
	// ZeroHeavy has cells that are zero or of a long-tailed distribution.
	ZeroHeavy = "zero-heavy"
	// Flags has columns of two values, some of up to ten, and a number for its label.
	Flags = "flags"
)

// Kinds lists all kinds in the order of documents.
func Kinds() []string {
	return []string{Dense, Airline, Covertype, Continuous, Counts, ZeroHeavy, Flags}
}

// ErrKind marks the name of a table that is none of Kinds.
var ErrKind = errors.New("unknown kind of table")

// noiseDraw is the number of the first draw in a row that no column takes.
const noiseDraw = 1 << 20

// Classes returns the number of classes of a kind's label; labels are 0 … classes-1. It is 1
// where the label is a number.
func Classes(kind string) int {
	switch kind {
	case Covertype:
		return classes
	case Counts:
		return countClasses
	case Flags:
		return 1
	}
	return 2
}

// Categorical returns the categorical columns of a kind, whose cells are level numbers.
func Categorical(kind string) []int {
	if kind != Airline {
		return nil
	}
	var list []int
	for f, levels := range airlineLevels {
		if levels > 0 {
			list = append(list, f)
		}
	}
	return list
}

// New returns the generator of tables of that kind.
func New(kind string, seed uint64, columns int) (*Table, error) {
	switch {
	case kind == Dense:
		g, err := NewGenerator(seed, columns)
		return &Table{g}, err
	case kind == Continuous:
		g, err := newContinuous(seed, columns)
		return &Table{g}, err
	case (kind == Counts || kind == ZeroHeavy || kind == Flags) && columns < 1:
		return nil, fmt.Errorf("%d columns: a table of kind %s has at least one", columns, kind)
	case kind == Counts:
		return &Table{newCounts(seed, columns)}, nil
	case kind == ZeroHeavy:
		return &Table{newZeroHeavy(seed, columns)}, nil
	case kind == Flags:
		return &Table{newFlags(seed, columns)}, nil
	case kind == Airline && columns == len(airlineLevels):
		return &Table{newAirline(seed)}, nil
	case kind == Airline:
		return nil, wrongWidth(kind, columns, len(airlineLevels))
	case kind == Covertype && columns == terrain+areas+soils:
		return &Table{newCovertype(seed)}, nil
	case kind == Covertype:
		return nil, wrongWidth(kind, columns, terrain+areas+soils)
	}
	return nil, fmt.Errorf("%w: %q; there are %q", ErrKind, kind, Kinds())
}

// rows makes the cells of a table: x holds (hi-lo) × width values, row-major, y one label per row.
type rows interface {
	width() int
	fill(lo, hi int, x, y []float32)
}

// Table makes the files of a table.
type Table struct{ rows }

// Fingerprint returns 64 hex digits that change when the rows do.
func (t *Table) Fingerprint() string {
	const n = 1000
	x, y := make([]float32, n*t.width()), make([]float32, n)
	t.fill(0, n, x, y)
	sum := sha256.Sum256(appendFloats(appendFloats(nil, x), y))
	return hex.EncodeToString(sum[:])
}
