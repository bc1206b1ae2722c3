// Package libsvm reads LibSVM and SVMlight text: it cuts text into chunks of whole lines, parses rows of
// stored cells, and turns rows into sparse columns.
//
// In: inputs and targets (package chunk). Out: one chunk for the whole text, or a chunk for each part of it.
// It must not know how columns become a table.
package libsvm
