// Package fingerprint computes what docs/architecture.md defines as the fingerprint of a table.
//
// In: the cells of one column at a time, as slices, from any row on. Out: sums that add up in any order, and the
// digits that stand for the whole table. It must not know tables or how they are cut.
package fingerprint
