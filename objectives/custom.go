package objectives

import "fmt"

// FromFunc returns a loss of your own with one output. name and link are stored in the model; link makes
// predictions of raw scores: Identity, Logistic or Exp. With Logistic the labels are the indices 0 and 1 of two
// classes.
//
// f returns the first and the second derivative of the loss of one row by its raw score. The second one is
// 0 or more. f is called by several goroutines at once. Weights are multiplied in afterwards. Training starts
// from a raw score of 0; dataset.InitScore names a column with others.
//
// A loss of several outputs implements Objective itself, with Softmax as its link.
func FromFunc(name string, link Link, f func(score, label float64) (gradient, hessian float64)) Objective {
	return custom{name, link, f}
}

// custom is a loss made of a function.
type custom struct {
	name string
	link Link
	f    func(score, label float64) (gradient, hessian float64)
}

func (c custom) Name() string                    { return c.name }
func (custom) Outputs() int                      { return 1 }
func (c custom) Link() Link                      { return c.link }
func (custom) BaseScore(Rows) ([]float64, error) { return []float64{0}, nil }

func (c custom) Check(rows Rows) error {
	switch {
	case c.name == "" || c.f == nil:
		return fmt.Errorf("%w: an objective made of a function needs a name and the function", ErrRows)
	case c.link == Logistic:
		return checkClasses(rows, 2)
	case c.link != Identity && c.link != Exp:
		return fmt.Errorf("%w: objective %s has one output, and link %q: use identity, logistic or exp", ErrRows, c.name, c.link)
	}
	return CheckWeights(rows)
}

func (c custom) Gradients(rows Rows, lo, hi int, scores []float64, grad, hess []float32) {
	for i := lo; i < hi; i++ {
		g, h := c.f(scores[i], rows.Labels[i])
		if rows.Weights != nil {
			w := rows.Weights[i]
			g, h = g*w, h*w
		}
		grad[i], hess[i] = float32(g), float32(h)
	}
}
