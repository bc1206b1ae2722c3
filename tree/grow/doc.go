// Package grow builds one tree from a round's gradients.
//
// In: the bin matrix, one output's gradient storage, the rows in the bag. Out: a
// tree.Tree over codes, and the rows of its leaves. It must not know files, raw
// values or objectives.
//
// To read it in the order of the work:
//
//	grower.go      what lives across trees, and what is kept of the tree that is grown
//	leafwise.go    while a leaf can be split: split it
//	root.go        the rows of the root, its histogram
//	search.go      the best split of a node: bounds first, then features one by one
//	candidate.go   the best split of one feature, by the rule of package scan
//	split.go       a node is split: its rows are divided, its children are searched
//	partition.go   rows are divided between two children
//	histograms.go  rows are added up; sibling subtraction
//	leaf.go        leaf values
//
// Beside that: levels.go splits all nodes of a level by the same split (symmetric trees);
// frontier.go splits leaves ahead of their turn, one worker each; batch.go splits several where ranks share the search; sparse.go does
// without flat histograms;
// forced.go begins trees with splits that are given; worth.go prefers features and cuts that are used already; verify.go checks sums.
package grow
