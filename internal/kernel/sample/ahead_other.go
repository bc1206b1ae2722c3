//go:build !amd64 || purego

package sample

func sumMagnitudesAhead([]float32, float64) (int64, int) { return 0, 0 }

func sumBelowAhead([]float32, uint32, float64) (int64, int, int) { return 0, 0, 0 }

func addSquaresAhead([]float64, []float32, []float32, float64) int { return 0 }

func rootsAhead([]float32, []float64) (uint32, int) { return 0, 0 }

func keepAhead([]uint16, []float32, []uint64, []float32, int, float64, float64) (int, int) {
	return 0, 0
}

func scaleAhead([]float32, []float32) int { return 0 }
