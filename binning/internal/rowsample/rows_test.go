package rowsample

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/rng"
	"boost/parallel"
)

func TestSampleRows(t *testing.T) {
	ctx := context.Background()
	one, many := parallel.NewPool(1), parallel.NewPool(5)
	defer one.Close()
	defer many.Close()
	t.Run("S0.31/smallest_hashes", func(t *testing.T) {
		for _, c := range []struct{ rows, size int }{{10, 3}, {5000, 1}, {5000, 4999}, {200_001, 70_000}, {sampleBlock * 3, 100}} {
			key := rng.Key(9, rng.CutSample, 0, 0)
			rows := make([]draw, c.rows)
			for row := range rows {
				rows[row] = draw{rng.Draw(key, uint64(row)), uint32(row)}
			}
			var want []uint32
			slices.SortFunc(rows, compareDraws)
			for _, d := range rows[:c.size] {
				want = append(want, d.row)
			}
			slices.Sort(want)
			for _, pool := range []*parallel.Pool{one, many} {
				got, err := Rows(ctx, c.rows, c.size, 9, pool)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%d of %d rows by %d threads: not the rows with the smallest hashes (%v)", c.size, c.rows, pool.Threads(), err)
				}
			}
		}
	})
	t.Run("S0.31/ties_by_lower_row", func(t *testing.T) {
		got := smallest([]draw{{7, 4}, {7, 2}, {1, 9}, {7, 3}}, 3)
		slices.SortFunc(got, compareDraws)
		if want := []draw{{1, 9}, {7, 2}, {7, 3}}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("S0.31/all_rows", func(t *testing.T) {
		for _, size := range []int{0, 100, 101} {
			if got, err := Rows(ctx, 100, size, 1, one); got != nil || err != nil {
				t.Errorf("sample %d of 100 rows: %v, %v; want every row", size, got, err)
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := Rows(cancelled, 100_000, 10, 1, many); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// A sort tells which draws are the smallest, among many with few hashes and in order too.
func TestSmallest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		draws := make([]draw, 1+r.IntN(300))
		hashes := []uint64{1, 3, 1000, math.MaxUint64}[r.IntN(4)]
		for i := range draws {
			draws[i] = draw{r.Uint64N(hashes), uint32(i)}
		}
		want := slices.Clone(draws)
		slices.SortFunc(want, compareDraws)
		if r.IntN(4) == 0 {
			copy(draws, want)
		}
		n := 1 + r.IntN(len(draws))
		got := smallest(draws, n)
		if got[n-1] != want[n-1] {
			t.Fatalf("the largest of the %d smallest of %d is %v, want %v", n, len(draws), got[n-1], want[n-1])
		}
		slices.SortFunc(got, compareDraws)
		if !slices.Equal(got, want[:n]) {
			t.Fatalf("the %d smallest of %d are %v, want %v", n, len(draws), got, want[:n])
		}
	}
}
