package synth

import (
	"fmt"
	"slices"

	"boost/parallel"
)

// The kinds of dense tables; those of sparse ones are SparseKinds.
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
	return append([]string{Dense, Airline, Covertype, Continuous, Counts, ZeroHeavy, Flags}, SparseKinds()...)
}

// Sparse says that a table of that kind is kept as LibSVM and as CSR, not as a matrix.
func Sparse(kind string) bool { return slices.Contains(SparseKinds(), kind) }

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

// Table makes the files of a table.
type Table interface {
	// Write makes the files in folder: rows 0 … train-1 for training, the next test rows
	// for testing. Of dense tables the training rows are written as CSV too where text is
	// set.
	Write(folder string, train, test int, text bool, pool *parallel.Pool) error
	// Fingerprint returns 64 hex digits that change when the rows do.
	Fingerprint() string
}

// New returns the generator of tables of that kind.
func New(kind string, seed uint64, columns int) (Table, error) {
	switch {
	case kind == Dense:
		g, err := NewGenerator(seed, columns)
		return dense{g}, err
	case kind == Continuous:
		g, err := newContinuous(seed, columns)
		return dense{g}, err
	case (kind == Counts || kind == ZeroHeavy || kind == Flags) && columns < 1:
		return nil, fmt.Errorf("%d columns: a table of kind %s has at least one", columns, kind)
	case kind == Counts:
		return dense{newCounts(seed, columns)}, nil
	case kind == ZeroHeavy:
		return dense{newZeroHeavy(seed, columns)}, nil
	case kind == Flags:
		return dense{newFlags(seed, columns)}, nil
	case kind == Airline && columns == len(airlineLevels):
		return dense{newAirline(seed)}, nil
	case kind == Airline:
		return nil, wrongWidth(kind, columns, len(airlineLevels))
	case kind == Covertype && columns == terrain+areas+soils:
		return dense{newCovertype(seed)}, nil
	case kind == Covertype:
		return nil, wrongWidth(kind, columns, terrain+areas+soils)
	case Sparse(kind):
		return NewSparseGenerator(kind, seed, columns)
	}
	return nil, fmt.Errorf("%w: %q; there are %q", ErrKind, kind, Kinds())
}

// rows makes the cells of dense tables: x holds (hi-lo) × width values, row-major, y one
// label per row.
type rows interface {
	width() int
	fill(lo, hi int, x, y []float32)
}

// dense writes what rows makes.
type dense struct{ rows }

func (d dense) Fingerprint() string { return fingerprint(d.rows) }
