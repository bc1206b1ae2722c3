// Package write writes tables as CSV, JSON lines, Parquet and Arrow.
//
// In: named columns of numbers, levels or texts, at once or in parts of consecutive rows. Out: bytes of one of
// the formats. It must not know what the columns mean, nor how tables are read.
package write
