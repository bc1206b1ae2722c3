//go:build !amd64 || purego

package predict

// Vectors says whether plans run in vectors; without, AddRange is faster.
func Vectors() bool { return false }

func addVectors(*Plan, []uint8, *[TileRows]float64, *Area) bool { return false }
