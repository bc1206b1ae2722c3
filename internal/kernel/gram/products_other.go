//go:build !amd64 || purego

package gram

func vectorProducts(_, _, _, _ []float64) bool { return false }
