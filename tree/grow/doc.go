// Package grow builds one tree from a round's gradients.
//
// In: the bin matrix, one output's gradient storage, the rows in the bag. Out: a
// tree.Tree over codes, and the rows of its leaves. It must not know files, raw
// values or objectives.
package grow
