//go:build (!amd64 && !arm64) || purego

package hist

import "boost/internal/cpu"

var comparing = compareLevel(cpu.Used())

func compareLevel(cpu.Level) cpu.Level { return cpu.Generic }

// PreferCompare reports whether comparing is the faster way for columns of so many codes.
func PreferCompare(int) bool { return false }

// comparedRows returns how many of the first entries LowCardinality can take: none.
func comparedRows([]uint64) int { return 0 }

func (f *LowCardinality) spread([]uint64) {}

func spreadNibbles([]uint8, []byte) int { return 0 }

func (f *LowCardinality) compare(*[MaxLowCardinality - 1][4][16]uint32, int, *uint8, bool, int) {}

func fold([][4]uint32, *[4][16]uint32) {}
