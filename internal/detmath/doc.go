// Package detmath computes elementary functions and sums with the same bits on
// every platform, GOAMD64 level and thread count (docs/architecture.md, Numerics).
//
// In: float64 numbers. Out: exp, log and kin within the error that each states,
// and sums over rows that are exact until one last rounding. No function uses a
// fused multiply-add: every x*y+z is written float64(x*y)+z, where the conversion
// keeps the compiler from fusing. It must not know rows, losses or trees.
package detmath

//go:generate go run gen.go
