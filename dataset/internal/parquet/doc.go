// Package parquet reads Parquet files: the footer, pages, encodings and values of columns.
//
// In: a file. Out: what it says of itself, and columns of groups of rows (package columnar). It must not
// know how columns become a table.
package parquet
