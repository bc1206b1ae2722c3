//go:build amd64 && !purego

package loss

import (
	"boost/internal/cpu"
	"boost/internal/detmath"
)

// What the assembly computes e^x and log(x) with.
var (
	expParts = detmath.ExpParts()
	logParts = detmath.LogParts()
)

// expVectors is Exp for the first numbers; it returns how many it has done.
func expVectors(to, from []float64) int {
	to = to[:len(from)]
	return calls(len(from), func(at int, n uint64) {
		var odd uint64
		if level == cpu.AVX512 {
			odd = expAVX512(&to[at], &from[at], n, expParts)
		} else {
			odd = expAVX2(&to[at], &from[at], n, expParts)
		}
		if odd != 0 {
			for i, x := range from[at:][:n] {
				to[at+i] = detmath.Exp(x)
			}
		}
	})
}

// logVectors is Log for the first numbers; it returns how many it has done.
func logVectors(to, from []float64) int {
	to = to[:len(from)]
	return calls(len(from), func(at int, n uint64) {
		var odd uint64
		if level == cpu.AVX512 {
			odd = logAVX512(&to[at], &from[at], n, logParts)
		} else {
			odd = logAVX2(&to[at], &from[at], n, logParts)
		}
		if odd != 0 {
			for i, x := range from[at:][:n] {
				to[at+i] = detmath.Log(x)
			}
		}
	})
}

// powerVectors is expTile for the first rows of a tile; it returns how many it has done.
func powerVectors(to, scores []float64, factor float64) int {
	rows := whole(len(scores), tile)
	if rows == 0 {
		return 0
	}
	_ = to[rows-1]
	if level == cpu.AVX512 {
		powersAVX512(&to[0], &scores[0], uint64(rows), factor, exponential)
	} else {
		powersAVX2(&to[0], &scores[0], uint64(rows), factor, exponential)
	}
	return rows
}

// countLess writes for each of some keys how many are less, and reports whether it has; their number is a multiple of 8.
func countLess(to, keys []uint64) bool {
	if level == cpu.Generic || len(keys) == 0 {
		return false
	}
	_ = to[len(keys)-1]
	if level == cpu.AVX512 {
		ranksAVX512(&to[0], &keys[0], uint64(len(keys)))
	} else {
		ranksAVX2(&to[0], &keys[0], uint64(len(keys)))
	}
	return true
}
