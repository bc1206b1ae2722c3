// Package profile describes the columns of a table before anything is trained on it:
// gaps, distinct values, quantiles, frequent levels, and what looks odd: columns that say
// nothing, name the rows, repeat each other, or give the label away.
//
// In: a dataset.Table, and the label where there is one. Out: a Profile of plain numbers
// and names. It must not know models, training or terminals.
package profile
