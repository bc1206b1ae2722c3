package levels_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"boost/booster/internal/levels"
	"boost/parallel"
)

// By hand: the mean of all rows is (1+0+0+1+1)/5 = 0.6, and a level of sum S in N rows has (S + 0.6)/(N + 1).
func TestStatistics(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	codes := []uint32{0, 0, 1, 2, 3} // the last row has no level
	target := []float64{1, 0, 0, 1, 1}
	s := levels.Of(codes, 3, target, nil, 7, 0, pool)
	for level, want := range []float64{1.6 / 3, 0.6 / 2, 1.6 / 2} {
		if got := s.Levels[level]; math.Abs(got-want) > 1e-15 {
			t.Errorf("level %d has %v, want %v", level, got, want)
		}
	}
	// A row that is alone in its level, or has none, knows the mean only.
	for _, row := range []int{2, 3, 4} {
		if got := s.Rows[row]; math.Abs(got-0.6) > 1e-15 {
			t.Errorf("row %d has %v, want 0.6", row, got)
		}
	}
	// Of two rows each knows the other, but for the fifth of all seeds where both are of one fold.
	const seeds = 1000
	alike := 0
	for seed := range uint64(seeds) {
		switch s = levels.Of(codes, 3, target, nil, seed, 0, pool); {
		case math.Abs(s.Rows[0]-0.6) < 1e-15 && math.Abs(s.Rows[1]-0.6) < 1e-15:
			alike++
		case math.Abs(s.Rows[0]-0.6/2) > 1e-15 || math.Abs(s.Rows[1]-1.6/2) > 1e-15:
			t.Fatalf("seed %d: two rows have %v and %v, want 0.3 and 0.8, or 0.6 twice", seed, s.Rows[0], s.Rows[1])
		}
	}
	if alike < 150 || alike > 250 { // four standard deviations of 200
		t.Errorf("two rows are of one fold for %d of %d seeds, want a fifth", alike, seeds)
	}
}

// Shares of a class and of all others add up to 1 in each row where both have the same folds; where these differ, they do not.
func TestFoldsOfColumn(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	const n = 300
	codes, class, others := make([]uint32, n), make([]float64, n), make([]float64, n)
	for i := range codes {
		codes[i], class[i] = uint32(i%30), float64(i*7919%31%2)
		others[i] = 1 - class[i]
	}
	a := levels.Of(codes, 30, class, nil, 7, 2, pool)
	for column, equal := range map[int]bool{2: true, 3: false} {
		b := levels.Of(codes, 30, others, nil, 7, column, pool)
		off := 0.0
		for i := range codes {
			off = max(off, math.Abs(a.Rows[i]+b.Rows[i]-1))
		}
		if (off < 1e-12) != equal {
			t.Errorf("columns 2 and %d: shares add up to 1 but for %v", column, off)
		}
	}
}

// By hand: level 0 has three rows, level 1 one, level 2 none; the last row has no level.
func TestCounts(t *testing.T) {
	s := levels.Counts([]uint32{0, 1, 0, 0, 3}, 3)
	if !slices.Equal(s.Levels, []float64{3, 1, 0}) || !slices.Equal(s.Rows, []float64{2, 0, 2, 2, 0}) || s.Mean != 0 {
		t.Errorf("levels %v, rows %v, mean %v", s.Levels, s.Rows, s.Mean)
	}
}

// A row's own target changes nothing but the mean of all rows; here another row makes up for that.
func TestRowsDoNotKnowThemselves(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	const n = 3000
	codes, target, weights := make([]uint32, n), make([]float64, n), make([]float64, n)
	for i := range n {
		codes[i], target[i], weights[i] = uint32(i*i%37), float64(i%11), 1+float64(i%3)
	}
	before := levels.Of(codes, 37, target, weights, 1, 4, pool)
	row, other := 100, slices.Index(codes, codes[100]+1)
	for ; weights[other] != weights[row] || codes[other] == codes[row]; other++ {
	}
	target[row], target[other] = target[row]+5, target[other]-5
	after := levels.Of(codes, 37, target, weights, 1, 4, pool)
	if before.Mean != after.Mean {
		t.Fatalf("the mean is %v instead of %v", after.Mean, before.Mean)
	}
	if after.Rows[row] != before.Rows[row] {
		t.Errorf("the statistic of row %d follows its own target", row)
	}
	changed := 0
	for i := range n {
		if after.Rows[i] != before.Rows[i] {
			changed++
			if codes[i] != codes[row] && codes[i] != codes[other] {
				t.Fatalf("row %d of level %d has another statistic", i, codes[i])
			}
		}
	}
	if changed == 0 {
		t.Error("no row of the level has another statistic")
	}
}

// Weights that are all twice as large change nothing, and no number of threads does.
func TestStatisticsOfWeights(t *testing.T) {
	const n = 500
	codes, target, weights, twice := make([]uint32, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		codes[i], target[i], weights[i] = uint32(i*7%90), float64(i*13%17), float64(i%4)
		twice[i] = 2 * weights[i]
	}
	one, three := parallel.NewPool(1), parallel.NewPool(3)
	defer one.Close()
	defer three.Close()
	a, b := levels.Of(codes, 90, target, weights, 3, 1, one), levels.Of(codes, 90, target, twice, 3, 1, three)
	if !slices.Equal(a.Levels, b.Levels) || !slices.Equal(a.Rows, b.Rows) || a.Mean != b.Mean {
		t.Error("weights twice as large give other statistics")
	}
	none := levels.Of(codes, 90, target, make([]float64, n), 3, 1, one)
	if slices.ContainsFunc(append(none.Levels, none.Rows...), func(v float64) bool { return v != 0 }) {
		t.Error("rows without weight count")
	}
}

// By hand: of classes a, b, c with 1, 2 and 2 rows b comes first, then c; of two classes the second counts, however rare it is.
func TestTargets(t *testing.T) {
	labels := []float64{2, 1, 0, 2, 1}
	got := levels.Targets(labels, []string{"a", "b", "c"})
	want := []levels.Target{{Class: "b", Values: []float64{0, 1, 0, 0, 1}}, {Class: "c", Values: []float64{1, 0, 0, 1, 0}}, {Class: "a", Values: []float64{0, 0, 1, 0, 0}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("of three classes %v, want %v", got, want)
	}
	if got := levels.Targets([]float64{0, 0, 1}, []string{"no", "yes"}); len(got) != 1 || got[0].Class != "yes" || !slices.Equal(got[0].Values, []float64{0, 0, 1}) {
		t.Errorf("of two classes %v", got)
	}
	if got := levels.Targets(labels, nil); len(got) != 1 || got[0].Class != "" || !slices.Equal(got[0].Values, labels) {
		t.Errorf("of numbers %v", got)
	}
}
