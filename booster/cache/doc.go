// Package cache keeps the codes of tables in a file, from one training run to the next.
//
// In: a Key of what the codes follow from, and the sets of rows with their codes, cuts and the
// columns that are no features. Out: the same, where the key of a later run is equal. It must
// not know how a model is trained.
package cache
