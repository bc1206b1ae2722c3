// Package sampling chooses the rows that the trees of a round are grown on.
//
// In: Params, the training rows, the gradients of a round. Out: a bag of rows, and those outside of it.
// It must not know how trees are grown or what scores rows have.
package sampling
