package detmath

import "math"

// ExpParts returns what Exp computes with where its result is normal, for a form of it in assembly: the bits of the nodes, their rests, and the
// constants in the order of their use, all as bits of float64.
func ExpParts() *[2*expSize + 8]uint64 {
	var parts [2*expSize + 8]uint64
	for i, node := range expNodes {
		parts[i], parts[expSize+i] = node.bits, math.Float64bits(node.rest)
	}
	floats(parts[2*expSize:], stepInv, shift, stepHi, stepLo, 1.0/6, 0.5, 1.0/120, 1.0/24)
	return &parts
}

// LogParts returns what Log computes with where its argument is normal, for a form of it in assembly: the three numbers of the nodes, the bits of the lowest node's
// number, masks of the exponent and of the upper 32 bits, then as bits of float64 log(2) in two parts and the series from its last term on.
func LogParts() *[3*logSize + 13]uint64 {
	var parts [3*logSize + 13]uint64
	for i, node := range logNodes {
		for part, v := range []float64{node.inv, node.hi, node.lo} {
			parts[part*logSize+i] = math.Float64bits(v)
		}
	}
	constants := parts[3*logSize:]
	copy(constants, []uint64{logBase, 0xfff << 52, ^uint64(1<<21 - 1)})
	floats(constants[3:], ln2Hi, ln2Lo, 1.0/9, -1.0/8, 1.0/7, -1.0/6, 1.0/5, -1.0/4, 1.0/3, -1.0/2)
	return &parts
}

// floats writes bits of numbers.
func floats(to []uint64, numbers ...float64) {
	for i, v := range numbers {
		to[i] = math.Float64bits(v)
	}
}
