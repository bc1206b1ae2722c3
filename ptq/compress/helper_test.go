package compress_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/tree"
)

// forest makes a model of trees with these leaves, one after the other by rounds and outputs.
// Leaf l of a tree is reached by rows whose x is l, the last by all above.
func forest(tb testing.TB, outputs int, leaves ...[]float64) *model.Model {
	tb.Helper()
	most := 2
	for _, values := range leaves {
		most = max(most, len(values))
	}
	c := model.Contents{
		Objective: "regression", Link: objectives.Identity, Outputs: outputs, BaseScore: make([]float64, outputs),
		Params: json.RawMessage("{}"), NumericsVersion: 1, Fingerprint: strings.Repeat("0", 32), BestRound: len(leaves) / outputs,
		Schema: dataset.Schema{Columns: []dataset.ColumnSchema{
			{Name: "x", Kind: dataset.Float32, Role: dataset.Feature}, {Name: "y", Kind: dataset.Float64, Role: dataset.LabelRole},
		}},
		Cuts: &binning.Cuts{
			Features: []binning.Feature{{Name: "x", Kind: binning.Numeric32, Regular: uint32(most)}},
			Ptrs:     []uint32{0, uint32(most - 1)}, Ptrs64: []uint32{0, 0},
		},
	}
	if outputs > 1 {
		c.Objective, c.Link = "multiclass", objectives.Softmax
		for k := range outputs {
			c.Classes = append(c.Classes, fmt.Sprintf("class %d", k))
		}
		c.Schema.Columns[1].Kind = dataset.Category
		c.Schema.Columns[1].Levels = c.Classes
	}
	for i := range most - 1 {
		c.Cuts.Values = append(c.Cuts.Values, float32(i)+0.5)
	}
	for _, values := range leaves {
		c.Trees = append(c.Trees, chain(values))
	}
	m, err := model.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// chain is a tree whose node l sends x ≤ l + ½ to leaf l.
func chain(leaves []float64) tree.Tree {
	n := len(leaves) - 1
	t := tree.Tree{Leaf: leaves, LeafCover: make([]float64, n+1), Cover: make([]float64, n), Gain: make([]float32, n)}
	for i := range n {
		t.Feature, t.Code = append(t.Feature, 0), append(t.Code, uint32(i))
		t.Categorical, t.MissingLeft = append(t.Categorical, false), append(t.MissingLeft, true)
		right := int32(i + 1)
		if i == n-1 {
			right = ^int32(n)
		}
		t.Left, t.Right = append(t.Left, ^int32(i)), append(t.Right, right)
	}
	for i := range t.LeafCover {
		t.LeafCover[i] = float64(i + 1)
	}
	return t
}

// drawn returns n leaves for each of many trees.
func drawn(seed uint64, trees, n int) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([][]float64, trees)
	for i := range out {
		for range n {
			out[i] = append(out[i], r.NormFloat64()/float64(i+1))
		}
	}
	return out
}

// column makes a table of x, and of labels where there are some.
func column(tb testing.TB, x []float64, y any) *dataset.Table {
	tb.Helper()
	columns, opts := []dataset.ColumnData{{Name: "x", Values: x}}, []dataset.Option{}
	if y != nil {
		columns, opts = append(columns, dataset.ColumnData{Name: "y", Values: y}), append(opts, dataset.Label("y"))
	}
	t, err := dataset.FromColumns(columns, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func raw(tb testing.TB, m *model.Model, t *dataset.Table) []float64 {
	tb.Helper()
	scores, err := m.PredictRaw(context.Background(), t)
	if err != nil {
		tb.Fatal(err)
	}
	return scores
}
