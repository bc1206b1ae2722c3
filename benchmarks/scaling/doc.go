// Package scaling shows how the time of training goes with rows and with columns.
//
// In: a function that trains once at a size. Out: the shortest seconds at each size, as
// JSON, a table and a plot.
//
// It must not know how a table is made or trained on.
package scaling
