// Package store keeps tensors of float32 by id, in fewer bits the less they are used, and
// on disk.
//
// In: values, ids, shapes, a clock, sometimes a source of the lossless values. Out:
// values within a known bound, into the caller's slice. It must not know trees or models: rules that are
// about them are functions that the caller brings.
//
// A tensor is hot (8 bits), warm (7, or 5 when the warm ones are too many), cold (3) or
// absent: then only a rule is left that makes it again from another. Sweep moves tensors by their
// score; Read only counts.
package store
