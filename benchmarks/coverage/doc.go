// Package coverage measures how often intervals and sets of classes cover the labels of test rows, and what calibration makes
// of probabilities there.
//
// In: real data sets. Out: figures by set, a record of them, and their page of documentation. It must not know how margins
// are calculated.
package coverage
