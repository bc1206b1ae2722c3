//go:build !amd64 || purego

package partition

var vectors = false

func divideBytes([]uint64, []uint8, *[256]uint8, []uint64) (done, nLeft int) { return 0, 0 }

func divideNibbles([]uint64, []byte, *[16]uint8, []uint64) (done, nLeft int) { return 0, 0 }

func divideWords([]uint64, []uint16, []uint8, []uint64) (done, nLeft int) { return 0, 0 }
