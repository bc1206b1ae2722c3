// Package synth makes the tables that speed is measured on.
//
// In: a seed, a number of columns, a range of rows. Out: float32 features and 0/1
// labels, as slices, NumPy files or CSV. A cell is a pure function of seed, row and
// column, so the chunks and threads it was made in leave no trace.
//
// It must not know trainers or what is measured.
package synth
