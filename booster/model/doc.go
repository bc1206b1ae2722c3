// Package model is the trained model: its contents, its file, and prediction.
//
// In: what the trainer hands over, or the bytes of a `.boost` file. Out: predictions
// for tables, the same bytes for the same model, descriptions for people. It must not
// know how a model is trained: no gradients, no histograms, no growing.
package model
