// Package sample holds some rows of a table that passes by in chunks.
//
// In: chunks, and what chooses among their rows (package chunk). Out: the chosen rows, and their cells by feature. It
// must not know how columns become a table.
package sample
