// Package histogram sums gradients and hessians per feature and bin.
//
// In: the bin matrix, a round's gradient storage, the rows of a node. Out: one
// flat Histogram over all bins, the same for every builder and thread count. It
// must not know how splits are chosen.
//
// A Builder makes the histogram of one node at a time. What does not change between nodes is decided before:
//
//	source   the matrix as passes read it              when the Builder is made
//	passes   which columns, places and tiles are read  when the features change
//	workers  the memory of the workers                 grows when a node needs more
//	build    one histogram: its rows, sums and pieces  for each node
//
// build.tilesOf chooses how the rows are added up:
//
//	sparse node    slot by slot: far fewer rows than slots
//	tiles          each worker adds up all rows for some features
//	row pieces     each worker adds up some rows for all features; then a reduction adds up the workers' sums
//	floats         groups of 4,096 rows, added in their order
//
// SparseSums replaces flat histograms where a sparse table has too many bins for them.
package histogram
