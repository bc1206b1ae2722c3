// Package source is where the rows of a training run come from: a table in memory, files that are read in chunks, a
// cache, or a table whose codes are known.
//
// In: tables, the contents of a cache, cuts, numbers of rows. Out: the columns that are no features, the cuts and the
// codes of the others. It must not know objectives, parameters of training or models, nor how tables are found.
package source
