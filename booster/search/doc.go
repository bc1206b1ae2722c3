// Package search tries parameters on parts of a table: cross-validation.
//
// In: parameters of training, a table, and how it is divided. Out: metrics by round as mean and deviation over the folds,
// predictions of rows that no tree has seen, and the folds' models. It must not know config files or flags.
package search
