package main

import (
	"encoding/json"
	"math"
	"testing"

	"boost/booster/model"
	"boost/internal/report"
)

// compared runs compare and returns its JSON.
func compared(t *testing.T, args ...string) report.Compared {
	t.Helper()
	var c report.Compared
	if err := json.Unmarshal([]byte(must(t, 0, boost(t, append([]string{"compare", "--json"}, args...)...)).out), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// scaled writes a model with other leaves.
func scaled(t *testing.T, from, to string, change func(v float64) float64) {
	t.Helper()
	m, err := model.Load(from)
	if err != nil {
		t.Fatal(err)
	}
	leaves := m.Leaves()
	for i, v := range leaves {
		leaves[i] = change(v)
	}
	if m, err = m.WithLeaves(leaves); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(to); err != nil {
		t.Fatal(err)
	}
}

func TestCompare(t *testing.T) {
	models(t)
	scaled(t, "y.boost", "twice.boost", func(v float64) float64 { return 2 * v })
	scaled(t, "y.boost", "zero.boost", func(float64) float64 { return 0 })
	must(t, 0, boost(t, "rollback", "y.boost", "--rounds", "3", "-o", "y3.boost"))
	t.Run("S4.33/identical", func(t *testing.T) {
		for _, name := range []string{"y", "b", "c"} {
			c := compared(t, name+".boost", name+".boost", "t.csv")
			if *c.Cosine != 1 || *c.MSE != 0 || *c.MaxLeaf != 0 || *c.MaxRaw != 0 || *c.MaxPredict != 0 || !c.SameSplits || *c.Rows != 300 || len(c.Metrics) == 0 {
				t.Errorf("%s: %+v", name, c)
			}
			for metric, m := range c.Metrics {
				if *m.Change != 0 || *m.A != *m.B {
					t.Errorf("%s of %s changes by %v", metric, name, *m.Change)
				}
			}
		}
		r := must(t, 0, boost(t, "compare", "y.boost", "y.boost", "t.csv", "--metric", "rmse"))
		says(t, r.out, "cosine of the leaves", "rmse", "+0.000 %", "the same")
	})
	t.Run("S4.33/a_factor", func(t *testing.T) { // erratum 11: the cosine does not see it
		c := compared(t, "y.boost", "twice.boost", "t.csv")
		if math.Abs(*c.Cosine-1) > 1e-12 || *c.MaxRaw == 0 || *c.Metrics["rmse"].Change == 0 {
			t.Errorf("%+v", c)
		}
		eval := must(t, 0, boost(t, "eval", "twice.boost", "t.csv", "--json"))
		var e struct{ Metrics map[string]float64 }
		if err := json.Unmarshal([]byte(eval.out), &e); err != nil || e.Metrics["rmse"] != *c.Metrics["rmse"].B {
			t.Errorf("rmse %v, eval says %v: %v", *c.Metrics["rmse"].B, e.Metrics["rmse"], err)
		}
	})
	t.Run("S4.33/zero_is_undefined", func(t *testing.T) {
		if c := compared(t, "y.boost", "zero.boost"); c.Cosine != nil || c.CosineByTree[0] != nil || c.Rows != nil || c.Metrics != nil {
			t.Errorf("%+v", c)
		}
		says(t, must(t, 0, boost(t, "compare", "y.boost", "zero.boost")).out, "undefined")
	})
	t.Run("S4.33/shapes", func(t *testing.T) {
		says(t, must(t, 2, boost(t, "compare", "y.boost", "y3.boost")).errors, "y.boost and y3.boost cannot be compared", "8 trees, the other 3")
		says(t, must(t, 0, boost(t, "compare", "y.boost", "y3.boost", "t.csv")).out, "leaves are not compared", "8 trees, the other 3", "rmse", "largest difference of predictions")
		says(t, must(t, 0, boost(t, "compare", "y.boost", "y3.boost", "t.csv", "--json")).out, `"unlike"`, `"cosine": null`, `"rmse"`)
		says(t, must(t, 2, boost(t, "compare", "y.boost", "c.boost")).errors, "1 outputs, the other 3")
	})
	must(t, 4, boost(t, "compare", "y.boost", "t.csv"))
	must(t, 4, boost(t, "compare", "none.boost", "y.boost"))
	must(t, 3, boost(t, "compare", "y.boost", "y.boost", "none.csv"))
	file(t, "bare.csv", "x,city\n1,\n")
	r := must(t, 3, boost(t, "compare", "y.boost", "y.boost", "bare.csv", "--metric", "rmse"))
	says(t, r.errors, "bare.csv")
}
