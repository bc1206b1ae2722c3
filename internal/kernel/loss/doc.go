// Package loss computes the first and second derivatives of the losses by the raw
// score, and the links from raw scores to predictions.
//
// In: slices of scores, labels and weights. Out: slices of float32 gradients and
// hessians, or of predictions; every row's numbers depend on that row alone. It
// must not know objectives by name, rows outside its slices, or trees.
package loss
