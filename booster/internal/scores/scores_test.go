package scores

import (
	"slices"
	"testing"

	"boost/parallel"
)

// Of more scores than two pieces of work hold, each is what it is alone.
func TestScores(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	const n = 2*block + 6
	raw := make([]float64, n)
	Start(raw, nil, []float64{0.5, -1})
	if raw[0] != 0.5 || raw[n/2-1] != 0.5 || raw[n/2] != -1 || raw[n-1] != -1 {
		t.Errorf("base scores: %v, %v, %v, %v", raw[0], raw[n/2-1], raw[n/2], raw[n-1])
	}
	initial := make([]float64, n)
	for i := range initial {
		initial[i] = float64(i)
	}
	if Start(raw, initial, []float64{0.5, -1}); !slices.Equal(raw, initial) {
		t.Error("init scores are others")
	}
	copied := make([]float64, n)
	if Copy(pool, copied, initial); !slices.Equal(copied, initial) {
		t.Error("a copy is another")
	}
	Add(pool, raw, initial, 2)
	AddMean(pool, copied, initial, 4)
	for i := range raw {
		if raw[i] != 3*float64(i) || copied[i] != 1.25*float64(i) {
			t.Fatalf("row %d: %v and %v, want %d·3 and %d·1.25", i, raw[i], copied[i], i, i)
		}
	}
}
