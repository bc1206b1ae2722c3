// Package notes words what a person should be told once about how a table was read.
//
// In: what was found about one column after another. Out: the notes, in a fixed order, each about all columns that it
// concerns. It must not know tables, nor decide what becomes of a column.
package notes
