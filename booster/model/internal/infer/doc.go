// Package infer takes rows through the trees of a model.
//
// In: the contents of a model, and the rows of a table or a matrix, or one row. Out: predictions, raw scores,
// classes, numbers of leaves. An Engine has all trees at hand, a Packed one reads them one at a time. Rows
// go in tiles, in lists or alone, in stages, or only as far as they must: the bits are the same.
//
// It must not know the bytes of files, nor how a model is trained.
package infer
