// Package plain reads and writes numbers and dates in plain form: decimal numbers, truth values and ISO-8601 dates.
//
// In: the text of a cell. Out: its number, if it is one, and the text of a number. It must not know tables, files or columns.
package plain
