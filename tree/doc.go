// Package tree holds one decision tree as a value: its nodes as a structure of
// arrays, the walk by codes, checks, and a text form.
//
// In: arrays from a grower or a file. Out: the leaf of a row, given the row's codes.
// It must not know how trees grow, what the codes stand for, or files.
package tree
