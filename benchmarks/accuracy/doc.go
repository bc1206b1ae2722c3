// Package accuracy compares boost's losses on real tables with those of other trainers.
//
// In: the data sets with their reference losses, the peers' losses on re-splits. Out:
// our losses on the same rows, the verdict of the rule in docs/accuracy.md.
//
// It must not know how trees are grown: it trains through package booster like anyone.
package accuracy
