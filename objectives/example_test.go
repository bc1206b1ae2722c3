package objectives_test

import (
	"fmt"
	"math"

	"boost/objectives"
)

func ExampleNew() {
	binary, err := objectives.New("binary", objectives.Options{Classes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := objectives.Rows{Labels: []float64{0, 1, 1, 1}}
	base, err := binary.BaseScore(rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("start at %.4f, the logit of 3/4\n", base[0])

	grad, hess := make([]float32, 4), make([]float32, 4)
	scores := []float64{base[0], base[0], base[0], base[0]}
	binary.Gradients(rows, 0, 4, scores, grad, hess)
	fmt.Println(grad, hess)
	// Output:
	// start at 1.0986, the logit of 3/4
	// [0.75 -0.25 -0.25 -0.25] [0.1875 0.1875 0.1875 0.1875]
}

// logCosh is log(cosh(score-label)): squared for small errors, absolute for large
// ones, and smooth between.
type logCosh struct{}

func (logCosh) Name() string          { return "log_cosh" }
func (logCosh) Outputs() int          { return 1 }
func (logCosh) Link() objectives.Link { return objectives.Identity }

func (logCosh) Check(rows objectives.Rows) error {
	for row, label := range rows.Labels {
		if math.IsNaN(label) || math.IsInf(label, 0) {
			return &objectives.RowError{Row: row, What: "label", Value: label, Want: "a number"}
		}
	}
	return nil
}

func (logCosh) BaseScore(objectives.Rows) ([]float64, error) { return []float64{0}, nil }

func (logCosh) Gradients(rows objectives.Rows, lo, hi int, scores []float64, grad, hess []float32) {
	for i := lo; i < hi; i++ {
		w := 1.0
		if rows.Weights != nil {
			w = rows.Weights[i]
		}
		slope := math.Tanh(scores[i] - rows.Labels[i])
		grad[i] = float32(w * slope)
		hess[i] = float32(w * (1 - slope*slope))
	}
}

// A loss of one's own: any type with these methods. booster.WithObjective trains on it.
func ExampleObjective() {
	var loss objectives.Objective = logCosh{}
	rows := objectives.Rows{Labels: []float64{0, 0, 0}}
	grad, hess := make([]float32, 3), make([]float32, 3)
	loss.Gradients(rows, 0, 3, []float64{0, 0.5, 100}, grad, hess)
	fmt.Printf("%.4f\n%.4f\n", grad, hess)
	// Output:
	// [0.0000 0.4621 1.0000]
	// [1.0000 0.7864 0.0000]
}

func ExampleLink_Apply() {
	raw := []float64{0, 1, 2, 0} // two classes of two rows, class after class
	values := make([]float64, 4)
	objectives.Softmax.Apply(2, raw, values, 0, 2, 2)
	fmt.Printf("%.4f\n", values)
	// Output: [0.1192 0.7311 0.8808 0.2689]
}
