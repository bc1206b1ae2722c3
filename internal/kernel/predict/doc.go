// Package predict adds the leaf values of one tree to the scores of many rows, in lists or
// by plans, and those of many trees to the scores of one row.
//
// In: a tree in the form the loops read, columns of codes, row numbers. Out:
// scores[row] += value of the row's leaf, once per row, so a row's sum depends only
// on the order in which trees are added. It must not know models, bins or files.
//
// A block of rows is not walked row by row: every node splits the list of its rows
// in one pass over one column. On 31 leaves and 28 one-byte columns that takes half
// the time of walking four rows at once, and it reads training's column-major
// matrix as it stands.
//
// Where there are vectors and the codes are bytes, a Plan is faster: it decides every node
// for a tile of rows, those that never come there too, and needs no lists. A Row takes one
// row through 64 trees side by side.
package predict
