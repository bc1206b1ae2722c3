package workers_test

import (
	"testing"

	"boost/booster/internal/workers"
)

// The fastest number of threads of 1, 2, 4, 6, 8, 12 and 16, measured on a machine of 16 cores (docs/design/011-leaves-side-by-side.md),
// or one that takes a tenth longer at most.
func TestUseful(t *testing.T) {
	for _, c := range []struct {
		set                     string
		rows, features, outputs int
		least, most             int
	}{
		{"taxis", 5146, 8, 1, 1, 16},
		{"california_housing", 16512, 9, 1, 2, 4},
		{"adult", 32561, 14, 1, 4, 5},
		{"insteval", 58737, 6, 1, 4, 8},
		{"diamonds", 43152, 9, 1, 4, 8},
		{"agaricus", 6513, 127, 1, 4, 6},
		{"pg15_tweedie", 80017, 15, 1, 4, 8},
		{"sgemm", 193280, 14, 1, 6, 9},
		{"dense-continuous", 800000, 28, 1, 12, 16},
		{"digits", 1438, 64, 10, 8, 16},
		{"wine_quality", 5198, 12, 7, 6, 16},
		{"letter", 16000, 16, 26, 13, 16},
		{"mnist_10k", 8000, 784, 10, 10, 16},
	} {
		if got := min(workers.Useful(c.rows*c.features, c.outputs), 16); got < c.least || got > c.most {
			t.Errorf("%s: %d threads, want %d to %d", c.set, got, c.least, c.most)
		}
	}
}

// Trees grow side by side where that was faster on a machine of 16 cores, and the last ones of a round on all workers
// where these are few beside their number.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		set                           string
		outputs, threads, cells, want int
	}{
		{"one output", 1, 16, 5_000_000, 0},
		{"one thread", 10, 1, 100_000, 0},
		{"letter", 26, 16, 256_000, 26},
		{"letter on two threads", 26, 2, 256_000, 26},
		{"covtype_15k on two threads", 7, 2, 653_184, 6},
		{"counts", 9, 16, 4_650_000, 9},
		{"mnist_10k", 10, 16, 6_272_000, 10},
		{"mnist_10k on eight threads", 10, 8, 6_272_000, 8},
		{"two outputs of many cells", 2, 16, 22_400_000, 0},
	} {
		if got := workers.Beside(c.outputs, c.threads, c.cells); got != c.want {
			t.Errorf("%s: %d trees side by side, want %d", c.set, got, c.want)
		}
	}
}
