// Package inmemory makes column chunks of values that do not come from text.
//
// In: slices of Go, stored cells, Arrow arrays. Out: chunk.ColumnChunk, as a file with the same cells gives it.
// It must not know tables, types that are inferred, or options beyond those of a cell.
package inmemory
