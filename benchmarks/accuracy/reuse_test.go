package accuracy_test

import (
	"math"
	"testing"

	"boost/benchmarks/accuracy"
)

func TestAtEqualLoss(t *testing.T) {
	sized := func(bytesAndLosses ...float64) (all []accuracy.Sized) {
		for i := 0; i < len(bytesAndLosses); i += 2 {
			all = append(all, accuracy.Sized{Bytes: bytesAndLosses[i], Loss: bytesAndLosses[i+1]})
		}
		return all
	}
	plain := sized(100, 8, 200, 4, 400, 2, 800, 3) // the last is past the best
	for name, c := range map[string]struct {
		others      []accuracy.Sized
		ratio       float64
		missed, all int
	}{
		"itself": {plain, 1, 0, 3},
		"half":   {sized(50, 8, 100, 4, 200, 2), 0.5, 0, 3},
		// 4 lies half-way from 6 to 2: √(100·400) = 200 bytes; 8 is had before 100 bytes.
		"between": {sized(100, 6, 400, 2), 1, 1, 3},
		// 8 takes 100 bytes, 4 takes 300: ratios 1 and 1.5. 2 is never had.
		"worse":  {sized(100, 8, 300, 4, 900, 2.1), math.Sqrt(1.5), 1, 3},
		"better": {sized(90, 9, 90, 8, 100, 4, 200, 2), math.Cbrt(0.9 * 0.5 * 0.5), 0, 3},
	} {
		ratio, missed, all := accuracy.AtEqualLoss(plain, c.others)
		if math.Abs(ratio-c.ratio) > 1e-12 || missed != c.missed || all != c.all {
			t.Errorf("%s: %v, %d of %d missed, want %v, %d of %d", name, ratio, missed, all, c.ratio, c.missed, c.all)
		}
	}
}
