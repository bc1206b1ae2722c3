//go:build (!amd64 && !arm64) || purego

package hist

func unpackAhead([]int64, []uint64, []uint64) int { return 0 }

func unpackToAhead([]int64, []uint64, []uint64) int { return 0 }

func totalVectors([]uint64) (packed uint64, n int) { return 0, 0 }
