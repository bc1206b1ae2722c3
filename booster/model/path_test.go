package model_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/parallel"
	"boost/tree"
)

// hostileValue draws what columns may hold at their worst: both zeros, subnormal and
// infinite numbers, the largest ones, NaN, whole numbers about 2⁵³, a cut or one of
// its neighbours in either precision.
func hostileValue(r *rand.Rand, cuts []float64) float64 {
	if len(cuts) > 0 && r.IntN(3) > 0 {
		cut := cuts[r.IntN(len(cuts))]
		return []float64{
			cut, math.Nextafter(cut, math.Inf(1)), math.Nextafter(cut, math.Inf(-1)),
			float64(math.Nextafter32(float32(cut), float32(math.Inf(1)))), float64(math.Nextafter32(float32(cut), float32(math.Inf(-1)))),
		}[r.IntN(5)]
	}
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64, math.MaxFloat32,
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32, 0x1p-1030, -0x1p-130, 1 << 53, 1<<53 - 1, -(1 << 53)}
	if r.IntN(2) == 0 {
		return special[r.IntN(len(special))]
	}
	return r.NormFloat64()
}

// hostileTable has a float32 column, a float64 column and a categorical one, the
// numbers near the given cuts; kinds says which of the first two are float32.
func hostileTable(t *testing.T, r *rand.Rand, rows int, cuts [2][]float64, narrow [2]bool, levels []string) *dataset.Table {
	t.Helper()
	data := []dataset.ColumnData{{Name: "y", Values: make([]float64, rows)}}
	for c, name := range []string{"a", "b"} {
		wide, slim := make([]float64, rows), make([]float32, rows)
		for row := range rows {
			wide[row] = hostileValue(r, cuts[c])
			slim[row] = float32(wide[row])
		}
		// A value that float32 does not hold keeps the column in float64.
		wide[0] = .1
		if narrow[c] {
			data = append(data, dataset.ColumnData{Name: name, Values: slim})
		} else {
			data = append(data, dataset.ColumnData{Name: name, Values: wide})
		}
	}
	texts := make([]string, rows)
	for row := range texts {
		texts[row] = levels[r.IntN(len(levels))]
	}
	return table(t, append(data, dataset.ColumnData{Name: "k", Values: texts}), dataset.Label("y"), dataset.Categorical("k"))
}

// pathByValue walks a tree by raw values: x ≤ cut goes left, a level by its name.
func pathByValue(tr *tree.Tree, c *binning.Cuts, schema dataset.Schema, later *dataset.Table, row int) int32 {
	at := int32(0)
	if len(tr.Feature) == 0 {
		return 0
	}
	for at >= 0 {
		f := int(tr.Feature[at])
		feature := &c.Features[f]
		column := later.Column(feature.Name)
		var missing, left bool
		if feature.Kind == binning.Categorical {
			missing = true
			if code := column.Codes()[row]; code >= 0 {
				s := slices.IndexFunc(schema.Columns, func(s dataset.ColumnSchema) bool { return s.Name == feature.Name })
				level := slices.Index(schema.Columns[s].Levels, column.Levels()[code])
				if level >= 0 && feature.Codes[level] != binning.NoCode {
					missing, left = false, slices.Contains(tr.Set(int(at)), feature.Codes[level])
				}
			}
		} else {
			var x float64
			if column.Kind() == dataset.Float32 {
				x = float64(column.Float32s()[row])
			} else {
				x = column.Float64s()[row]
			}
			cut := math.Inf(1) // the last bin goes left with all others
			switch code := int(tr.Code[at]); {
			case code < len(c.Of32(f)):
				cut = float64(c.Of32(f)[code])
			case code < len(c.Of64(f)):
				cut = c.Of64(f)[code]
			}
			missing, left = x != x, x <= cut
		}
		if missing {
			left = tr.MissingLeft[at]
		}
		if left {
			at = tr.Left[at]
		} else {
			at = tr.Right[at]
		}
	}
	return ^at
}

// TestPathOfHostileValues: a saved model sends every value down the path that its raw
// value takes, whichever kind of numbers the later table holds.
func TestPathOfHostileValues(t *testing.T) {
	t.Run("S0.6/saved_model", func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 6))
		pool := parallel.NewPool(1)
		defer pool.Close()
		ctx := context.Background()
		cases := 1000
		if testing.Short() {
			cases = 100
		}
		for range cases {
			p := binning.Defaults()
			p.MaxBin, p.MaxCat = 3+r.IntN(30), 1+r.IntN(8)
			p.Order = []string{binning.ByCount, binning.ByName}[r.IntN(2)]
			train := hostileTable(t, r, 2+r.IntN(60), [2][]float64{}, [2]bool{true, false}, []string{"u", "v", "w", "x", ""})
			cuts, _, err := binning.Fit(ctx, train, nil, p, 1, pool)
			if err != nil {
				t.Fatal(err)
			}
			c := smallContents()
			c.Objective, c.Link, c.Classes, c.Outputs, c.BaseScore = "regression", objectives.Identity, nil, 1, []float64{0}
			c.Schema, c.Cuts, c.BestRound, c.Trees, c.WideRounds = train.Schema(), cuts, 3, nil, nil
			for range c.BestRound {
				c.Trees = append(c.Trees, randomTree(r, model.Features(cuts), 1+r.IntN(12)))
			}
			made, err := model.New(c)
			if err != nil {
				t.Fatal(err)
			}
			m, err := model.Decode(encode(t, made))
			if err != nil {
				t.Fatal(err)
			}
			near := [2][]float64{nil, cuts.Of64(1)}
			for _, cut := range cuts.Of32(0) {
				near[0] = append(near[0], float64(cut))
			}
			later := hostileTable(t, r, 40, near, [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}, []string{"new", "w", "v", "u", "", "x", "newer"})
			leaves, err := m.PredictLeaf(ctx, later)
			if err != nil {
				t.Fatal(err)
			}
			for row := range later.NumRows() {
				for i := range c.Trees {
					if got, want := leaves[row*len(c.Trees)+i], pathByValue(&c.Trees[i], cuts, train.Schema(), later, row); got != want {
						t.Fatalf("row %d: tree %d sends it to leaf %d, its values lead to leaf %d", row, i, got, want)
					}
				}
			}
		}
	})
}
