package objectives_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"boost/objectives"
)

func squares(score, label float64) (gradient, hessian float64) { return score - label, 1 }

// Half the squared error, by hand: gradient w·(s−y), hessian w.
func TestFromFunc(t *testing.T) {
	o := objectives.FromFunc("squares", objectives.Identity, squares)
	if o.Name() != "squares" || o.Link() != objectives.Identity || o.Outputs() != 1 {
		t.Errorf("name %s, link %s, %d outputs", o.Name(), o.Link(), o.Outputs())
	}
	rows := objectives.Rows{Labels: []float64{1, 2, 3}, Weights: []float64{1, 2, 0}}
	grad, hess := make([]float32, 3), make([]float32, 3)
	o.Gradients(rows, 1, 3, []float64{9, 5, 9}, grad, hess)
	if !slices.Equal(grad, []float32{0, 6, 0}) || !slices.Equal(hess, []float32{0, 2, 0}) {
		t.Errorf("weighted: gradients %v, hessians %v", grad, hess)
	}
	rows.Weights = nil
	o.Gradients(rows, 0, 1, []float64{9, 5, 9}, grad, hess)
	if grad[0] != 8 || hess[0] != 1 {
		t.Errorf("gradient %v, hessian %v; want 8, 1", grad[0], hess[0])
	}
	if base, err := o.BaseScore(rows); err != nil || !slices.Equal(base, []float64{0}) {
		t.Errorf("base score %v, %v", base, err)
	}
}

func TestFromFuncChecks(t *testing.T) {
	for name, c := range map[string]struct {
		o      objectives.Objective
		labels []float64
		want   string // in the error; "" for none
	}{
		"numbers":        {objectives.FromFunc("f", objectives.Identity, squares), []float64{-3, 0.5}, ""},
		"classes":        {objectives.FromFunc("f", objectives.Logistic, squares), []float64{0, 1}, ""},
		"three classes":  {objectives.FromFunc("f", objectives.Logistic, squares), []float64{0, 2}, "want a class index from 0 to 1"},
		"softmax":        {objectives.FromFunc("f", objectives.Softmax, squares), []float64{0, 1}, `link "softmax": use identity`},
		"an odd link":    {objectives.FromFunc("f", "square", squares), []float64{0, 1}, `link "square": use identity`},
		"without name":   {objectives.FromFunc("", objectives.Identity, squares), []float64{1}, "needs a name"},
		"without a loss": {objectives.FromFunc("f", objectives.Identity, nil), []float64{1}, "needs a name"},
	} {
		err := c.o.Check(objectives.Rows{Labels: c.labels})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, objectives.ErrRows) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
