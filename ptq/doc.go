// Package ptq keeps the values of a trained model in fewer bits: 21 data types, the scales
// that fit values to a type, packed bytes for files, and a store of one set of values and
// its versions.
//
// In: float64 or float32 values, as the leaf values of a model. Out: versions of them,
// which are read without being unpacked, and their errors. It must not know trees or
// models: which values share a scale is said by ranges of indices.
//
// The same values and calibration give the same codes, scales and bytes on every platform.
package ptq
