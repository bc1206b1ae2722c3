// Package dataset reads tables and settles what each column is.
//
// In: files of CSV, TSV, LibSVM text, Parquet and Arrow (plain, gzip, zstd, standard
// input), slices, Arrow records and
// gonum matrices, and the caller's word on roles. Out: a Table of named columns
// whose kinds follow from the values alone, equal for all forms of one table.
// It must not know bins, losses or trees.
package dataset
