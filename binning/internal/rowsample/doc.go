// Package rowsample chooses the rows that cuts are taken from: those with the smallest hashes of the seed and their numbers, whether
// all rows are there at once or pass by in pieces.
//
// In: numbers of rows, a seed. Out: some of them. It must not know what is in them.
package rowsample
