// Package records cuts the text of inputs into pieces of whole records, for workers that parse them.
//
// In: inputs, and a function that finds where a record ends. Out: pieces of text, in order and about equally large. It must
// not know what a record looks like, or columns.
package records
