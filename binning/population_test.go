package binning_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/internal/rng"
)

// smallestHashes returns, ascending, the size rows with the smallest hash(seed, row).
func smallestHashes(rows, size int, seed uint64) []int32 {
	key := rng.Key(seed, rng.CutSample, 0, 0)
	order := make([]int32, rows)
	for row := range order {
		order[row] = int32(row)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rng.Draw(key, uint64(a)), rng.Draw(key, uint64(b))), cmp.Compare(a, b))
	})
	order = order[:min(size, rows)]
	slices.Sort(order)
	return order
}

// populationOf counts what a sample does not tell.
func populationOf(t *dataset.Table) binning.Population {
	pop := binning.Population{Rows: t.NumRows()}
	for _, c := range t.Features() {
		var counts []int
		if c.Kind() == dataset.Category {
			counts = make([]int, len(c.Levels()))
			for _, level := range c.Codes() {
				if level >= 0 {
					counts[level]++
				}
			}
		}
		pop.Missing, pop.Counts = append(pop.Missing, c.Missing()), append(pop.Counts, counts)
	}
	return pop
}

// someTable draws a table of all kinds of columns.
func someTable(t testing.TB, r *rand.Rand, rows int) *dataset.Table {
	indices := make([]int32, rows)
	for row := range indices {
		indices[row] = int32(r.IntN(6)*r.IntN(6)) - 1
	}
	dictionary := make([]string, 26)
	for i := range dictionary {
		dictionary[i] = fmt.Sprint("v", i)
	}
	return table(t, floats32("a", narrow(someValues(r, rows))...), floats64("b", someValues(r, rows)...),
		levels("k", dictionary, indices...), floats32("c", narrow(sequence(rows))...))
}

func TestFitSampled(t *testing.T) {
	ctx := context.Background()
	t.Run("S0.31/equals_fit_of_all_rows", func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 1))
		for range cases(1000) {
			rows := 1 + r.IntN(300)
			p := params(func(p *binning.Params) {
				p.Sample, p.MaxBin = 1+r.IntN(200), 2+r.IntN(30)
				p.MinDataInBin, p.WeightedCuts = r.IntN(8), r.IntN(2) == 0
				p.MaxCat, p.MinDataPerCat = 1+r.IntN(20), r.IntN(5)
			})
			tab := someTable(t, r, rows)
			weights := make([]float64, rows)
			for row := range weights {
				weights[row] = []float64{0, 1, 2, r.Float64()}[r.IntN(3+rows%2)]
			}
			want, wantNotes, err := binning.Fit(ctx, tab, weights, p, 7, pool(t, 2))
			if err != nil {
				t.Fatal(err)
			}
			sample := smallestHashes(rows, p.Sample, 7)
			sampled := make([]float64, len(sample))
			for i, row := range sample {
				sampled[i] = weights[row]
			}
			got, notes, err := binning.FitSampled(ctx, tab.Take(sample), populationOf(tab), sampled, p, pool(t, 2))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) || !slices.Equal(notes, wantNotes) {
				t.Fatalf("%d of %d rows, %+v:\ngot  %+v %q\nwant %+v %q", len(sample), rows, p, got, notes, want, wantNotes)
			}
		}
	})
	t.Run("S0.31/what_the_sample_lacks", func(t *testing.T) {
		// Neither a gap nor the level "b" is in the sample, and both are in the table.
		tab := table(t, floats32("x", 1, 2, 3), levels("k", []string{"a", "b"}, 0, 0, 0))
		pop := binning.Population{Rows: 9, Missing: []int{4, 0}, Counts: [][]int{nil, {4, 5}}}
		cuts, _, err := binning.FitSampled(ctx, tab, pop, nil, params(nil), pool(t, 1))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "n_codes", cuts.NCodes(), []uint32{4, 2})
		equal(t, "codes by count", cuts.Features[1].Codes, []uint32{1, 0})
	})
	t.Run("population_of_another_table", func(t *testing.T) {
		tab := table(t, floats32("x", 1, float32(nan), 3), levels("k", []string{"a", "b"}, 0, 0, 0))
		for name, pop := range map[string]binning.Population{
			"fewer rows":     {Rows: 2, Missing: []int{1, 0}, Counts: [][]int{nil, {1, 1}}},
			"other features": {Rows: 9, Missing: []int{1}, Counts: [][]int{nil}},
			"other levels":   {Rows: 9, Missing: []int{1, 0}, Counts: [][]int{nil, {9}}},
			"not counted":    {Rows: 9, Missing: []int{1, 0}, Counts: [][]int{nil, nil}},
			"levels counted": {Rows: 9, Missing: []int{1, 0}, Counts: [][]int{{}, {4, 5}}},
			"fewer gaps":     {Rows: 9, Missing: []int{0, 0}, Counts: [][]int{nil, {4, 5}}},
			"too many gaps":  {Rows: 9, Missing: []int{10, 0}, Counts: [][]int{nil, {4, 5}}},
		} {
			if _, _, err := binning.FitSampled(ctx, tab, pop, nil, params(nil), pool(t, 1)); !errors.Is(err, binning.ErrMismatch) {
				t.Errorf("%s: error %v, want an ErrMismatch", name, err)
			}
		}
		good := binning.Population{Rows: 9, Missing: []int{1, 0}, Counts: [][]int{nil, {4, 5}}}
		weighted := params(func(p *binning.Params) { p.WeightedCuts = true })
		if _, _, err := binning.FitSampled(ctx, tab, good, []float64{1, -1, 1}, weighted, pool(t, 1)); err == nil {
			t.Error("a negative weight is accepted")
		}
		if _, _, err := binning.FitSampled(ctx, tab, good, []float64{1}, weighted, pool(t, 1)); err == nil {
			t.Error("one weight for three rows is accepted")
		}
		if _, _, err := binning.FitSampled(ctx, tab, good, nil, params(func(p *binning.Params) { p.MaxBin = 1 }), pool(t, 1)); !errors.Is(err, binning.ErrParams) {
			t.Errorf("max_bin 1: %v", err)
		}
	})
}
