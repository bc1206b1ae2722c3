package scorers

import "fmt"

// Shape is that of a model.
type Shape struct {
	Trees    int `json:"trees"`
	Leaves   int `json:"leaves"`
	Features int `json:"features"`
}

const (
	// TrainRows is how many rows a model is trained on.
	TrainRows = 100_000
	// TestRows is how many rows there are to score.
	TestRows = 100_000
	// BatchWork bounds rows × trees of a batch: the slowest scorers take some seconds for that.
	BatchWork = 20_000_000
)

// Shapes lists the shapes in the order of the table.
func Shapes() []Shape {
	var list []Shape
	for _, trees := range []int{100, 1000} {
		for _, leaves := range []int{31, 255} {
			for _, features := range []int{28, 100} {
				list = append(list, Shape{trees, leaves, features})
			}
		}
	}
	return list
}

// String is the shape as its name in tables: 100x31x28.
func (s Shape) String() string { return fmt.Sprintf("%dx%dx%d", s.Trees, s.Leaves, s.Features) }

// Single reports whether single rows are timed: where the issue of small models is how long one
// row takes.
func (s Shape) Single() bool { return s.Trees == 100 && s.Leaves == 31 }

// targets of a batch are a library's seconds by boost's, at least. Of the others the best is held to byRest.
var targets = map[string]float64{lightGBM: 5, xgboost: 3, onnx: 2}

const (
	byRest = 1.5
	// Of a single row, in nanoseconds at most.
	rowP50 = 500.0
	rowP99 = 1000.0
)
