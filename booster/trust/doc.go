// Package trust says how far predictions can be trusted: it calibrates probabilities, finds the threshold of a decision from
// its costs, and puts intervals around numbers and sets around classes that cover a given share of new rows.
//
// In: predictions for rows that did not train the model, with the labels of these rows. Out: a Trust, which a model stores and
// applies. It must not know models, trees or training: all that comes in is numbers.
package trust
