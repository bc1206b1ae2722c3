// Package bin turns columns of values into columns of codes.
//
// In: slices of float32, float64 or dictionary indices, and sorted cuts or a table
// of codes. Out: codes of 8, 16 or 32 bits in slices of the caller, packed nibbles,
// rows gathered from columns, sorted keys. Nothing is allocated per value.
// It must not know tables, features or matrices.
package bin
