// Package metrics measures predictions against labels. docs/metrics.md lists the metrics with
// their formulas; some take an argument in their name, as in pinball@0.9.
//
// In: labels, weights, raw scores and predictions of all rows. Out: one number,
// from sums that are exact until one last rounding, so that neither the order of
// rows nor the number of threads shows in it. It must not know losses or trees.
package metrics
