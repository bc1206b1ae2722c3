// Package scan finds the best split of one feature from its histogram.
//
// In: the sums per code of one feature in one node, the node's totals, the rule that a split must
// obey. Out: the best split. It knows no trees and no rows.
//
// One rule decides (Rule.gain, gain.go): minimum rows and hessian of both sides, and the gain. One
// order decides between equal gains and where missing rows go: Numeric for numeric features,
// Categorical for categorical ones. The loops over codes differ:
//
//	numeric.go   any sums, any rule: each candidate asks Rule.gain
//	integers.go  sums of integers under a plain rule: the rule is written out, or runs in vectors
//	packed.go    the same for packed sums; bounds of many features at a time
//	flags.go     many features of two codes at a time
//	categorical.go, levels.go  sets of levels
//
// A loop that does not ask Rule.gain is only used where Rule.Plain holds, and tests hold it to
// the loop that does.
package scan
