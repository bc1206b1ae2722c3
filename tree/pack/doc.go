// Package pack writes the structure of many trees in as few bits as their shapes,
// features, codes and directions carry, and reads it one tree after another.
//
// In: trees over features. Out: bytes, and from these the trees in canonical order. It
// must not know leaf values, cuts or files.
//
// Each tree is a preorder walk, left before right; each step is coded with estimates that
// learn from the trees before (boost/internal/entropy). docs/format.md draws the stream.
package pack
