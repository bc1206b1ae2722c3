//go:build !amd64 || purego

package partition

import "boost/internal/cpu"

var vectors = cpu.Generic

func divideBytes([]uint64, []uint8, *[256]uint8, []uint64) (done, nLeft int) { return 0, 0 }

func divideNibbles([]uint64, []byte, *[16]uint8, []uint64) (done, nLeft int) { return 0, 0 }

func divideWords([]uint64, []uint16, []uint8, []uint64) (done, nLeft int) { return 0, 0 }
