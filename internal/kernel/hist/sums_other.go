//go:build (!amd64 && !arm64) || purego

package hist

func unpackAhead([]int64, []uint64, []uint64) int { return 0 }

func unpackToAhead([]int64, []uint64, []uint64) int { return 0 }

func splitVectors([]int64, []uint64, []uint64) int { return 0 }

func mergeVectors(_, _ []uint64) int { return 0 }

func moveVectors(_, _ []uint64) int { return 0 }

func totalVectors([]uint64) (packed uint64, n int) { return 0, 0 }

func packVectors([]uint64, []int16, []uint16) int { return 0 }

func packEqualVectors([]uint64, []int16, uint16) int { return 0 }

func pack8Vectors([]uint64, []uint16) int { return 0 }

func pack4Vectors([]uint64, []uint8) int { return 0 }

func subtractVectors[T int64 | uint64](_, _ []T) (done int) { return 0 }
