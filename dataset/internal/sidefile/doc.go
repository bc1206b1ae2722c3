// Package sidefile reads the files that LightGBM looks for beside a table: weights, queries and init scores.
//
// In: the source of a table and its inputs (package chunk). Out: a source with the columns of these files. It must
// not know how columns become a table.
package sidefile
