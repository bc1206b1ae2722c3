// Package tensorq keeps tensors of float32 in few bits: hot ones in 8, warm ones in 7 or 5,
// cold ones in 3, and of absent ones only a rule to make them again. Q4_0 is a form of 4 bits
// on its own.
//
// In: slices of float32. Out: bytes in fixed formats, and the values that they stand for,
// with a bound on the error. It must not know trees or models.
//
// All formats are the same bytes on every platform.
package tensorq
