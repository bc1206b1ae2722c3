// Package build turns chunks of a table into columns: it infers the type of every column from all of its cells, joins the
// column chunks column by column, and leaves out bad rows.
//
// In: chunks, the targets that their columns are for. Out: whole columns of numbers, codes or text, and notes about them. It
// must not know where chunks come from, or what a table is.
package build
