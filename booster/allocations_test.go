package booster_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

// noisy makes a table of numeric columns, one of levels beside them, and of labels 0 … classes-1
// that depend on some.
func noisy(t *testing.T, seed uint64, rows, features, classes int) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 20))
	label, levels := make([]float64, rows), make([]string, rows)
	columns := []dataset.ColumnData{{Name: "y", Values: label}, {Name: "levels", Values: levels}}
	for i := range levels {
		levels[i] = string('a' + rune(r.IntN(20)))
	}
	for f := range features - 1 {
		column := make([]float64, rows)
		for i := range column {
			column[i] = float64(r.IntN(10 + 40*f))
		}
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprint("f", f), Values: column})
	}
	first, second := columns[2].Values.([]float64), columns[3].Values.([]float64)
	for i := range label {
		if label[i] = float64(int(first[i]+second[i]/5) / 7 % classes); r.IntN(4) == 0 {
			label[i] = float64(r.IntN(classes))
		}
	}
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// After the second, a round allocates its trees and its history, whatever the number of rows,
// features and codes. Gradients, samples, codes, trees, renewed leaves, scores, validation and
// metrics are all in it. A tree of 31 leaves takes 3 KiB.
//
// One round in four may make more: what a round is the first to need, such as one more histogram,
// and what the collector has taken from the pools of the metrics. Beside other work these are more: of six
// runs one has to keep the bounds, which what a round makes always would break in each.
func TestAllocationsOfRounds(t *testing.T) {
	testenv.Memory(t)
	const rounds, mostAllocations, mostBytes = 14, 64, 8 << 10
	pool := parallel.NewPool(2)
	defer pool.Close()
	for objective, classes := range map[string]int{"regression": 3, "binary": 2, "multiclass": 3} {
		if testing.Short() && objective != "binary" {
			continue
		}
		outputs := 1
		if objective == "multiclass" {
			outputs = classes
		}
		var tables, valids []*dataset.Table
		for _, size := range []struct{ rows, features int }{{3000, 6}, {66_500, 8}} {
			tables = append(tables, noisy(t, 1, size.rows, size.features, classes))
			valids = append(valids, noisy(t, 2, size.rows/8, size.features, classes))
		}
		for i, s := range storages {
			for j, sampling := range []string{"all", "bag", "goss", "mvs"} {
				if (s.name != "i16" && s.name != "i8" || objective != "binary") && i%4 != j {
					continue // each storage with one way of sampling is enough
				}
				t.Run(fmt.Sprintf("S2.20/%s/%s/%s", objective, s.name, sampling), func(t *testing.T) {
					for i, table := range tables {
						p := booster.Defaults()
						p.Objective, p.Rounds, p.LearningRate = objective, rounds, 0.5
						s.change(&p)
						sample(&p, sampling)
						made, size := uint64(math.MaxUint64), uint64(math.MaxUint64)
						for try := 0; try < 6 && (made > mostAllocations || size > mostBytes); try++ {
							var now runtime.MemStats
							allocations, bytes := make([]uint64, 0, rounds), make([]uint64, 0, rounds)
							train(t, p, table, booster.Valid("valid", valids[i]), booster.WithPool(pool), booster.OnRound(func(booster.Round) {
								runtime.ReadMemStats(&now)
								allocations, bytes = append(allocations, now.Mallocs), append(bytes, now.TotalAlloc)
							}))
							made, size = threeInFour(allocations)/uint64(outputs), threeInFour(bytes)/uint64(outputs)
						}
						if made > mostAllocations || size > mostBytes {
							t.Errorf("%d rows: a round makes %d allocations of %d bytes for each output, at most %d of %d are allowed",
								table.NumRows(), made, size, mostAllocations, mostBytes)
						}
					}
				})
			}
		}
	}
}

// threeInFour returns what three in four rounds after the second do not exceed, from what there
// is in all after each round.
func threeInFour(all []uint64) uint64 {
	var rounds []uint64
	for i := 2; i < len(all); i++ {
		rounds = append(rounds, all[i]-all[i-1])
	}
	slices.Sort(rounds)
	return rounds[len(rounds)*3/4-1]
}
