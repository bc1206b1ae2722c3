// Package calibrate finds on a table of labelled rows how far a model's predictions can be trusted.
//
// In: a model, rows that did not train it, and what is wanted: calibrated probabilities, a threshold of decisions, intervals.
// Out: the model with that, and what it brings on rows that it was not found on. It must not know how models are trained,
// nor how a calibration is calculated: that is in package trust.
package calibrate
