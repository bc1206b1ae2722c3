package pack

import (
	"errors"
	"testing"

	"boost/internal/entropy"
	"boost/tree"
)

// A set of a feature of n codes holds 0 … n−1.
func TestSetRange(t *testing.T) {
	for _, codes := range [][]uint32{{9}, {0, 9}, {3, 8, 9}} {
		for regular, fits := range map[uint32]bool{9: false, 10: true} {
			w := walker{coder: entropy.NewWriter(nil)}
			err := w.list(&tree.Tree{}, codes, len(codes), regular, new(entropy.Number))
			if (err == nil) != fits || !fits && !errors.Is(err, ErrDamaged) {
				t.Errorf("codes %v of %d: %v", codes, regular, err)
			}
		}
	}
}
