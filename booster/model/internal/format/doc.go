// Package format is what a model consists of, and how its file keeps it.
//
// In: Contents. Out: the bytes of a `.boost` file or its text form, and Contents again, checked. Packed
// files keep structure, cuts and leaf values in few bits.
//
// It must not know how rows are predicted.
package format
