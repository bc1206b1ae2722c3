// Package evaluation computes the metrics of a model on a table, also after some of its rounds.
//
// In: what predicts, a table that was read with its schema. Out: figures. It must not know where either comes from.
package evaluation
