package binning

import (
	"fmt"
	"math"
)

// maxRows bounds rows so that a row fits 32 bits and 2³² times the number of rows 64.
const maxRows = 1<<32 - 1

// checkWeights says what is wrong with the weights of so many rows: a weight that is
// negative, NaN or infinite.
func checkWeights(weights []float64, rows int) error {
	if len(weights) != rows {
		return fmt.Errorf("%d weights for %d rows", len(weights), rows)
	}
	for row, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("weight of row %d is %v: want a finite number of at least 0", row, w)
		}
	}
	return nil
}

// wholeWeights returns weights as integers of at most 2³²: as they are
// if all are whole and small enough, else round(w·2³²/max w), a positive one at least 1.
// Of a sample, only its own rows count.
func wholeWeights(weights []float64) []uint64 {
	whole, greatest := true, 0.0
	for _, w := range weights {
		whole = whole && w == math.Floor(w) && w <= 1<<32
		greatest = max(greatest, w)
	}
	result := make([]uint64, len(weights))
	for row, w := range weights {
		switch {
		case whole:
			result[row] = uint64(w)
		case w > 0:
			// The quotient first: scaling by 2³² is exact, but w·2³² may overflow.
			result[row] = uint64(max(1, math.Round(math.Ldexp(w/greatest, 32))))
		}
	}
	return result
}
