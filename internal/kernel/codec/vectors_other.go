//go:build !amd64 || purego

package codec

import "boost/internal/cpu"

var vectors = cpu.Generic

func packAhead([]byte, []byte, int, uint8) int { return 0 }

func unpackAhead([]byte, []byte, int, uint8) int { return 0 }

func fullAhead([]byte, int, int) (bool, int) { return false, 0 }

func aboveAhead([]byte, uint8, uint8) (bool, int) { return false, 0 }

func multiplesAhead([]int8, []float32, float32, int) int { return 0 }

func valuesAhead([]float32, []int8, float32) int { return 0 }

func quantizeQ4Ahead([]byte, []float32) (uint32, int) { return 0, 0 }

func dequantizeQ4Ahead([]float32, []byte) int { return 0 }
