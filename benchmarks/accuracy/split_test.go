package accuracy_test

import (
	"slices"
	"testing"

	"boost/benchmarks/accuracy"
)

// The expected rows are what benchmarks/python/split.py prints:
//
//	held_out(2, [0] * 20)
//	held_out(2, [row % 3 for row in range(30)])
func TestSplitAgreesWithPython(t *testing.T) {
	one, three := make([]float64, 20), make([]float64, 30)
	for row := range three {
		three[row] = float64(row % 3)
	}
	for _, c := range []struct {
		classes []float64
		want    []int32
	}{
		{one, []int32{8, 15, 16, 18}},
		{three, []int32{8, 16, 18, 22, 26, 27}},
	} {
		train, held := accuracy.Split(2, c.classes)
		if !slices.Equal(held, c.want) {
			t.Errorf("%d rows: held out %v, want %v", len(c.classes), held, c.want)
		}
		all := slices.Sorted(slices.Values(append(slices.Clone(train), held...)))
		for row, got := range all {
			if len(all) != len(c.classes) || got != int32(row) {
				t.Fatalf("the parts do not make up all rows: %v and %v", train, held)
			}
		}
	}
}

func TestSplitsDiffer(t *testing.T) {
	classes := make([]float64, 100)
	_, a := accuracy.Split(0, classes)
	_, b := accuracy.Split(1, classes)
	if slices.Equal(a, b) {
		t.Error("two splits hold out the same rows")
	}
}

func TestSplitKeepsRareClasses(t *testing.T) {
	classes := []float64{1, 2, 2, 2, 2, 3, 3, 3, 3, 3}
	train, held := accuracy.Split(0, classes)
	if len(held) != 1 || classes[held[0]] != 3 || len(train) != 9 {
		t.Errorf("held out %v of classes %v, want one row of class 3", held, classes)
	}
}
