//go:build !amd64 || purego

package loss

func sidesVectors(_, _ []float32, _, _ []float64, _, _, _ float64) int { return 0 }

func relativeVectors(_, _ []float32, _, _ []float64) int { return 0 }

func weighVectors(_, _ []float32, _ []float64) int { return 0 }

func tweedieVectors(_, _ []float32, _, _ []float64, _ float64) int { return 0 }

func logCoshVectors(_, _ []float32, _, _ []float64) int { return 0 }
