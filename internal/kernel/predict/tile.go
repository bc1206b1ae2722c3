package predict

import (
	"slices"
	"unsafe"

	"boost/internal/cpu"
)

// Sets lists the instruction sets that this machine has vectors in, the best first; without
// any, AddRange is faster than plans.
func Sets() []cpu.Level { return slices.Clone(sets) }

// Best returns the first of Sets, cpu.Generic without any.
func Best() cpu.Level {
	if len(sets) == 0 {
		return cpu.Generic
	}
	return sets[0]
}

// Area is the memory in which plans run; the zero value is ready. One caller at a time
// uses it.
type Area struct{ bytes []byte }

func (a *Area) prepare() {
	if a.bytes != nil {
		return
	}
	a.bytes = Aligned(leavesAt + maxLeaves*line)
	for leaf := range maxLeaves {
		at := a.bytes[leavesAt+leaf*line:][:line]
		for i := range at {
			at[i] = byte(leaf)
		}
	}
}

// AddTile adds to the scores of a tile's rows the values of their leaves. Column c of the
// tile holds its rows' codes in codes[c*TileRows:][:TileRows]; every row has codes, also
// one that nobody asks for. cpu.Generic and the Sets of the machine give the same.
func (p *Plan) AddTile(set cpu.Level, codes []uint8, scores *[TileRows]float64, a *Area) {
	a.prepare()
	if len(p.steps) == 0 {
		value := p.leaf[(p.root-leavesAt)/line]
		for i := range scores {
			scores[i] += value
		}
		return
	}
	if !addVectors(set, p, codes, scores, a) {
		p.addInGo(codes, scores, a)
	}
}

// Aligned returns n bytes that begin where a vector of any length does: one that lies in
// two lines of the cache is read at half the speed.
func Aligned(n int) []uint8 {
	memory := make([]uint8, n+line-1)
	skip := -uintptr(unsafe.Pointer(&memory[0])) % line
	return memory[skip:][:n:n]
}

// addInGo says what the vector forms do.
func (p *Plan) addInGo(codes []uint8, scores *[TileRows]float64, a *Area) {
	for i := range p.steps {
		s := &p.steps[i]
		column := codes[s.column:][:TileRows]
		for row, code := range column {
			from := s.left + uint16(row)/line*uint16(s.stepLeft)
			if p.goesRight(s, code) {
				from = s.right + uint16(row)/line*uint16(s.stepRight)
			}
			a.bytes[s.to+uint16(row)] = a.bytes[from+uint16(row)%line]
		}
	}
	for row, leaf := range a.bytes[p.root:][:TileRows] {
		scores[row] += p.leaf[leaf]
	}
}

func (p *Plan) goesRight(s *step, code uint8) bool {
	if s.set == 0 {
		return code+s.minusLo <= s.last
	}
	return p.sets[s.set-1][code/8]>>(code%8)&1 == 1
}
