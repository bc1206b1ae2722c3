//go:build !amd64 || purego

package hist

func subtractVectors[T int64 | uint64](_, _ []T) (done int) { return 0 }
