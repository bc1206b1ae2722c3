package compress_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/ptq"
	"boost/ptq/compress"
)

func compare(t *testing.T, a, b *model.Model, table *dataset.Table) *compress.Comparison {
	t.Helper()
	c, err := compress.Compare(t.Context(), a, b, table, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// By hand: (3, 4) and (4, 3) have cosine 24/25, (0, 5) and (5, 0) have 0; together 24/50.
func TestCompareByHand(t *testing.T) {
	a := forest(t, 1, []float64{3, 4}, []float64{0, 5})
	t.Run("S4.33/leaves", func(t *testing.T) {
		c := compare(t, a, forest(t, 1, []float64{4, 3}, []float64{5, 0}), nil)
		near(t, "cosines", append(c.CosineByTree, c.Cosine), []float64{0.96, 0, 0.48})
		if c.MSE != (1+1+25+25)/4.0 || c.MaxLeaf != 5 || c.Trees != 2 || c.Leaves != 4 || !c.SameSplits || c.Data != nil {
			t.Errorf("%+v", c)
		}
	})
	t.Run("S4.33/identical", func(t *testing.T) {
		third := forest(t, 1, drawn(2, 30, 7)...)
		for _, table := range []*dataset.Table{nil, column(t, []float64{0, 1, 2}, []float64{1, 2, 3})} {
			c := compare(t, third, third, table)
			if c.Cosine != 1 || c.MSE != 0 || c.MaxLeaf != 0 || slices.Max(c.CosineByTree) != 1 || slices.Min(c.CosineByTree) != 1 {
				t.Errorf("%+v", c)
			}
			if c.Data != nil && (c.Data.MaxRaw != 0 || c.Data.MaxPrediction != 0 || c.Data.Metrics[0].Change() != 0) {
				t.Errorf("%+v", c.Data)
			}
		}
	})
	t.Run("S4.33/zero_is_undefined", func(t *testing.T) {
		zero := forest(t, 1, []float64{0, 0}, []float64{0, 0})
		for _, c := range []*compress.Comparison{compare(t, zero, zero, nil), compare(t, a, zero, nil), compare(t, zero, a, nil)} {
			if !math.IsNaN(c.Cosine) || !math.IsNaN(c.CosineByTree[1]) {
				t.Errorf("cosines %v, %v", c.Cosine, c.CosineByTree)
			}
		}
		if c := compare(t, a, forest(t, 1, []float64{3, 4}, []float64{0, 0}), nil); !math.IsNaN(c.CosineByTree[1]) || c.CosineByTree[0] != 1 || !(c.Cosine < 1) {
			t.Errorf("one zero tree: %v, %v", c.Cosine, c.CosineByTree)
		}
		none := forest(t, 1)
		if c := compare(t, none, none, nil); !math.IsNaN(c.Cosine) || c.MSE != 0 || c.Leaves != 0 {
			t.Errorf("no trees: %+v", c)
		}
	})
	t.Run("S4.33/a_factor_hides", func(t *testing.T) { // erratum 11
		c := compare(t, a, forest(t, 1, []float64{6, 8}, []float64{0, 10}), column(t, []float64{1}, nil))
		if math.Abs(c.Cosine-1) > 1e-15 || c.MaxLeaf != 5 || c.Data.MaxRaw != 9 || len(c.Data.Metrics) != 0 {
			t.Errorf("%+v, %+v", c, c.Data)
		}
	})
	t.Run("S4.33/opposite", func(t *testing.T) {
		if c := compare(t, a, forest(t, 1, []float64{-3, -4}, []float64{0, -5}), nil); c.Cosine != -1 {
			t.Errorf("cosine %v", c.Cosine)
		}
	})
	t.Run("S4.33/far_out", func(t *testing.T) {
		large, small := forest(t, 1, []float64{3e300, 4e300}), forest(t, 1, []float64{4e-300, 3e-300})
		if c := compare(t, large, small, nil); math.Abs(c.Cosine-0.96) > 1e-15 {
			t.Errorf("cosine %v", c.Cosine)
		}
	})
}

// By hand: leaves 1, 2, 4 and 1, 3, 4 for rows x = 0, 1, 1, 2 with labels 0, 2, 2, 4: the squared errors
// are 1, 0, 0, 0 and 1, 1, 1, 0.
func TestCompareData(t *testing.T) {
	a, b := forest(t, 1, []float64{1, 2, 4}), forest(t, 1, []float64{1, 3, 4})
	table := column(t, []float64{0, 1, 1, 2}, []float64{0, 2, 2, 4})
	t.Run("S4.33/numbers", func(t *testing.T) {
		c := compare(t, a, b, table)
		d := c.Data
		if d.Rows != 4 || d.MaxRaw != 1 || d.MaxPrediction != 1 {
			t.Errorf("%+v", d)
		}
		m := d.Metrics[0]
		if m.Name != "rmse" || m.HigherIsBetter || m.A != 0.5 || m.B != math.Sqrt(0.75) || m.Change() != math.Sqrt(0.75)-0.5 || m.Relative() != 2*(math.Sqrt(0.75)-0.5) {
			t.Errorf("%+v", m)
		}
		if d, err := compress.Compare(t.Context(), a, b, table, []string{"mae"}); err != nil || len(d.Data.Metrics) != 1 || d.Data.Metrics[0].A != 0.25 || d.Data.Metrics[0].B != 0.75 {
			t.Errorf("mae: %+v, %v", d, err)
		}
		if _, err := compress.Compare(t.Context(), a, b, table, []string{"amse"}); err == nil {
			t.Error("amse is no metric")
		}
	})
	t.Run("S4.33/classes", func(t *testing.T) {
		// Raw scores 0, ln 3 and 0, 0: probabilities ¼, ¾ and ½, ½.
		a, b := forest(t, 2, []float64{0}, []float64{math.Log(3)}), forest(t, 2, []float64{0}, []float64{0})
		c := compare(t, a, b, column(t, []float64{0, 0}, []string{"class 1", "class 0"}))
		if d := c.Data; math.Abs(d.MaxRaw-math.Log(3)) > 1e-15 || math.Abs(d.MaxPrediction-0.25) > 1e-15 || len(d.Metrics) == 0 {
			t.Errorf("%+v", d)
		}
	})
}

// Models of other shapes are compared by their predictions: 3 and 4, and of one more leaf 3, 4 and 9.
func TestCompareUnlike(t *testing.T) {
	rows := column(t, []float64{0, 1, 2}, []float64{3, 4, 4})
	for name, b := range map[string]*model.Model{
		"leaves": forest(t, 1, []float64{3, 4, 9}), "trees": forest(t, 1, []float64{3, 4, 8}, []float64{0, 0, 1}),
	} {
		c, err := compress.Compare(t.Context(), forest(t, 1, []float64{3, 4}), b, rows, []string{"rmse"})
		if err != nil {
			t.Fatal(err)
		}
		if d := c.Data; c.Unlike == "" || !math.IsNaN(c.Cosine) || d.MaxRaw != 5 || d.Metrics[0].A != 0 || math.Abs(d.Metrics[0].B-math.Sqrt(25.0/3)) > 1e-12 {
			t.Errorf("%s: %+v, %+v", name, c, c.Data)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	a := forest(t, 1, []float64{3, 4}, []float64{0, 5})
	for name, b := range map[string]*model.Model{
		"outputs": forest(t, 2, []float64{3, 4}, []float64{0, 5}), "trees": forest(t, 1, []float64{3, 4}),
		"leaves": forest(t, 1, []float64{3, 4}, []float64{0, 5, 1}),
	} {
		var shape compress.ErrShape
		if _, err := compress.Compare(t.Context(), a, b, nil, nil); !errors.As(err, &shape) {
			t.Errorf("S4.33/other %s: %v", name, err)
		}
	}
	c := *a.Contents()
	c.Link = objectives.Exp
	other, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var shape compress.ErrShape
	if _, err := compress.Compare(t.Context(), a, other, column(t, []float64{1}, nil), nil); !errors.As(err, &shape) {
		t.Errorf("S4.33/other link: %v", err)
	}
	c = *a.Contents()
	c.Trees = slices.Clone(c.Trees)
	c.Trees[0].MissingLeft = []bool{false}
	if other, err = model.New(c); err != nil {
		t.Fatal(err)
	}
	if got := compare(t, a, other, nil); got.SameSplits || got.Cosine != 1 {
		t.Errorf("S4.33/other splits: %+v", got)
	}
	if _, err := compress.Compare(t.Context(), a, a, dataset0(t), nil); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("S4.33/a table without the column: %v", err)
	}
}

func dataset0(t *testing.T) *dataset.Table {
	t.Helper()
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "z", Values: []float64{1}}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// What quantizing leaves does to them, seen by Compare and by Morph.
func TestCompareMorphed(t *testing.T) {
	m := forest(t, 1, drawn(8, 50, 31)...)
	for _, form := range ptq.Forms() {
		l := morph(t, m, form, compress.Calibration{})
		out, err := l.Apply(m)
		if err != nil {
			t.Fatal(err)
		}
		c := compare(t, m, out, nil)
		if c.MaxLeaf > slices.Max(l.Trees) || math.Abs(c.MSE*float64(c.Leaves)-l.Squared) > 1e-12*l.Squared || !c.SameSplits {
			t.Errorf("S4.33/%s: %v and %v, %v and %v", form, c.MaxLeaf, slices.Max(l.Trees), c.MSE*float64(c.Leaves), l.Squared)
		}
	}
}
