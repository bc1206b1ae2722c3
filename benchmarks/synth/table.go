package synth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"boost/internal/rng"
)

// The kinds of tables.
const (
	// Dense resembles HIGGS, with any number of columns; see Generator.
	Dense = "dense"
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
	return []string{Dense, Continuous, Counts, ZeroHeavy, Flags}
}

// ErrKind marks the name of a table that is none of Kinds.
var ErrKind = errors.New("unknown kind of table")

// noiseDraw is the number of the first draw in a row that no column takes.
const noiseDraw = 1 << 20

// Classes returns the number of classes of a kind's label; labels are 0 … classes-1. It is 1
// where the label is a number.
func Classes(kind string) int {
	switch kind {
	case Counts:
		return countClasses
	case Flags:
		return 1
	}
	return 2
}

// New returns the generator of tables of that kind.
func New(kind string, seed uint64, columns int) (*Table, error) {
	if columns < 1 && slices.Contains(Kinds(), kind) {
		return nil, fmt.Errorf("%d columns: a table of kind %s has at least one", columns, kind)
	}
	switch kind {
	case Dense, Continuous:
		g, err := NewGenerator(seed, columns)
		if err != nil {
			return nil, err
		}
		g.continuous = kind == Continuous
		return &Table{g}, nil
	case Counts:
		return &Table{newCounts(seed, columns)}, nil
	case ZeroHeavy:
		return &Table{&zeroHeavy{columns: columns, shape: rng.Key(seed, zeroHeavyPurpose, 0, 0), cells: rng.Key(seed, zeroHeavyPurpose, 0, 1)}}, nil
	case Flags:
		return &Table{&flags{columns: columns, shape: rng.Key(seed, flagsPurpose, 0, 0), cells: rng.Key(seed, flagsPurpose, 0, 1)}}, nil
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
