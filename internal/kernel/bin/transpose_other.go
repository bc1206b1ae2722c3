//go:build !amd64 || purego

package bin

import "boost/internal/cpu"

// vectorRows8 returns the number of rows that vectors have transposed: none.
func vectorRows8([]byte, int, *[8][]uint8, cpu.Level) int { return 0 }

// vectorRows4 is vectorRows8 for four columns.
func vectorRows4([]byte, int, *[4][]uint8, cpu.Level) int { return 0 }
