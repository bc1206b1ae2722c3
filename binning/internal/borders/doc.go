// Package borders finds where the bins of a column of numbers end.
//
// In: the distinct values of a column in order, with how much of the column each holds.
// Out: the borders between bins, as numbers of values. It must not know tables, cuts, nor
// how values are stored.
package borders
