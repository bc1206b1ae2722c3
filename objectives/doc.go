// Package objectives holds the losses that trees are grown to reduce: gradients,
// the link from raw scores to predictions, and the score that training starts from.
//
// In: labels, weights and raw scores of rows. Out: float32 gradients and hessians,
// start scores, predictions. It must not know trees, bins or files.
package objectives
