package search

import (
	"fmt"

	"boost/booster"
	"boost/objectives/metrics"
)

// Own is what a caller brings to the training of folds: an objective, and metrics.
type Own struct {
	Options []booster.Option // of each training, which may run side by side
	Metrics []metrics.Metric // those of Options, for rows that are judged together
}

// Metric returns the metric of a name, of the caller's own or built in.
func (o *Own) Metric(name string) (metrics.Metric, error) {
	for _, m := range o.Metrics {
		if m.Name() == name {
			return m, nil
		}
	}
	m, err := metrics.New(name)
	if err != nil && len(o.Options) > 0 {
		err = fmt.Errorf("%w (a metric of your own stands in Own.Metrics too)", err)
	}
	return m, err
}
