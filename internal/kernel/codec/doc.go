// Package codec packs small codes into streams of bits and back, makes codes of floats and
// floats of codes, and blocks of 4 bits in one go.
//
// In: slices of codes, bytes or floats. Out: the same numbers in another shape, or the
// index of the first that does not fit. It knows no errors, blocks or tensors; sizes are
// the caller's business.
//
// A stream of width b holds code i in its bits i·b … i·b+b−1, counted from the lowest bit
// of the first byte. So b bytes are 8 codes, whatever b is: a little-endian word of 8·b bits
// there, a word of 8 bytes as codes. All loops go from such word to such word.
package codec
