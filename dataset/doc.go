// Package dataset reads tables and finds out what each column is.
//
// In: files of CSV, TSV, LibSVM text, Parquet and Arrow (plain, gzip, zstd, standard
// input), slices, Arrow records and
// gonum matrices, and the caller's word on roles. Out: a Table of named columns
// whose kinds follow from the values alone, equal for all forms of one table.
// It must not know bins, losses or trees.
package dataset

// ReaderVersion is the version of what is read: it goes up by one whenever the same
// bytes, read with the same options, become another table (cells, kinds, dictionaries,
// roles or rows that are left out), so that nothing kept from an earlier reading is used.
const ReaderVersion = 4
