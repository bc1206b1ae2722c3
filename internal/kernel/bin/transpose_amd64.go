//go:build amd64 && !purego

package bin

import "boost/internal/cpu"

// vectorRows8 transposes as many rows as whole vectors hold and returns their number.
func vectorRows8(dst []byte, stride int, columns *[8][]uint8, level cpu.Level) int {
	rows := len(columns[0]) &^ 15
	if level == cpu.Generic || rows == 0 {
		return 0
	}
	for _, c := range columns {
		_ = c[rows-1]
	}
	_ = dst[(rows-1)*stride+7]
	transpose8AVX2(&dst[0], uint64(stride), columns, uint64(rows))
	return rows
}

// vectorRows4 is vectorRows8 for four columns.
func vectorRows4(dst []byte, stride int, columns *[4][]uint8, level cpu.Level) int {
	rows := len(columns[0]) &^ 15
	if level == cpu.Generic || rows == 0 {
		return 0
	}
	for _, c := range columns {
		_ = c[rows-1]
	}
	_ = dst[(rows-1)*stride+3]
	transpose4AVX2(&dst[0], uint64(stride), columns, uint64(rows))
	return rows
}
