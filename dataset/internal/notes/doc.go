// Package notes words what a person should know about how a table was read.
//
// In: findings about one column after another. Out: the notes, in a fixed order, each about all columns that it
// concerns. It must not know tables or decide what becomes of a column.
package notes
