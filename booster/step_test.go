package booster_test

import (
	"context"
	"math"
	"testing"

	"boost/booster"
	"boost/objectives"
)

// flat is a loss that is nearly flat: Newton's step is 1000 away from the label's side.
type flat struct{ limit float64 }

func (flat) Name() string                                 { return "flat" }
func (flat) Outputs() int                                 { return 1 }
func (flat) Link() objectives.Link                        { return objectives.Identity }
func (flat) Check(objectives.Rows) error                  { return nil }
func (flat) BaseScore(objectives.Rows) ([]float64, error) { return []float64{0}, nil }
func (flat) Gradients(rows objectives.Rows, lo, hi int, _ []float64, grad, hess []float32) {
	for i := lo; i < hi; i++ {
		grad[i], hess[i] = float32(1-2*rows.Labels[i]), 0.001
	}
}

type limited struct{ flat }

func (l limited) MaxStep() float64 { return l.limit }

func TestLongestStep(t *testing.T) {
	table, err := steps()
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Rounds, p.LearningRate, p.Tree.Leaves = 1, 0.5, 2
	for _, c := range []struct {
		objective objectives.Objective
		want      float64 // |leaf|: 1/0.001 or the limit, times the learning rate
	}{{flat{}, 500}, {limited{flat{5}}, 2.5}} {
		m, err := booster.Train(context.Background(), p, table, booster.WithObjective(c.objective))
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range m.Contents().Trees[0].Leaf {
			if math.Abs(math.Abs(leaf)-c.want) > 1e-3*c.want {
				t.Errorf("%T: leaf %v, want ±%v", c.objective, leaf, c.want)
			}
		}
	}
	for _, name := range []string{"binary", "multiclass", "regression"} {
		o, err := objectives.New(name, objectives.Options{Classes: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := o.(objectives.StepLimiter); ok != (name != "regression") {
			t.Errorf("%s limits its steps: %v", name, ok)
		}
	}
}
