package metrics_test

import (
	"fmt"

	"boost/objectives/metrics"
)

func ExampleNew() {
	auc, err := metrics.New("auc")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(auc.Eval(metrics.Input{
		Outputs: 1,
		Values:  []float64{0.1, 0.4, 0.35, 0.8},
		Labels:  []float64{0, 0, 1, 1},
	}))
	// Output: 0.75
}

// within is the share of predictions that are off by at most its own value.
type within float64

func (w within) Name() string       { return fmt.Sprintf("within_%g", float64(w)) }
func (within) HigherIsBetter() bool { return true }
func (w within) Eval(in metrics.Input) float64 {
	hits := 0
	for i, label := range in.Labels {
		if d := in.Values[i] - label; d >= -float64(w) && d <= float64(w) {
			hits++
		}
	}
	return float64(hits) / float64(len(in.Labels))
}

// A metric of one's own: any type with these three methods.
func ExampleMetric() {
	var m metrics.Metric = within(0.5)
	fmt.Println(m.Name(), m.Eval(metrics.Input{
		Outputs: 1,
		Values:  []float64{1.2, 3, 4.4, 8},
		Labels:  []float64{1, 2, 4, 8},
	}))
	// Output: within_0.5 0.75
}
