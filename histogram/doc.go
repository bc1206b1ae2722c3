// Package histogram sums gradients and hessians per feature and bin.
//
// In: the bin matrix, a round's gradient storage, the rows of a node. Out: one
// flat Histogram over all bins, the same for every builder and thread count. It
// must not know how splits are chosen.
package histogram
