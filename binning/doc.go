// Package binning turns a table's columns into columns of small integers.
//
// In: a dataset.Table. Out: Cuts, the borders and category codes that Fit found and
// that a model keeps, and a Matrix, the codes of one table under these cuts, which
// Build makes by columns and NewRowMajor copies by rows. It must not know gradients,
// losses or trees.
package binning
