//go:build (!amd64 && !arm64) || purego

package loss

import "boost/internal/cpu"

var level = cpu.Generic

func logisticVectors(_, _ []float32, _, _, _ []float64) int { return 0 }

func squaredVectors(_, _ []float32, _, _, _ []float64) int { return 0 }

func raiseVectors(_, _ []float64) int { return 0 }

func addExpVectors(_, _, _ []float64) int { return 0 }

func splitVectors([]float64, float64, float64, *sumParts) int { return 0 }

func invertVectors([]float64) int { return 0 }

func classVectors(_, _ []float32, _, _, _, _, _ []float64, _, _ float64) int { return 0 }
