// Package columnar is what the readers of Parquet and Arrow share: the source that deals out groups of
// columns to workers, the fields of a schema, values of a field as numbers or text, and decompression.
//
// In: the layout of a file, which a format implements. Out: chunks. It must not know how columns become a
// table.
package columnar
