//go:build !amd64 || purego

package hist

func marginsVectors([]uint64, []uint64, int) int { return 0 }
