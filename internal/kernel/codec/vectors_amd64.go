//go:build amd64 && !purego

package codec

import (
	"math"
	"unsafe"

	"boost/internal/cpu"
)

// vectors is the instruction set in use.
var vectors = cpu.Used()

// step is a number of codes or floats that every form takes without a rest, save that AVX2
// takes streams by 32. perCall bounds those of one call: it cannot be interrupted.
const (
	step    = 64
	perCall = 1 << 18
)

// plan is what the assembly has to know of a width. A lane is 16 bytes of a vector: there are
// 16 codes, or the 2·width bytes that hold them, in each.
type plan struct {
	apart     [32]uint16 // word of the data for each word of a vector: 2·width bytes to each lane
	together  [32]uint16 // the way back
	even, odd [16]byte   // byte of the lane: the two in which a code of even or odd number lies
	evenTimes [8]uint16  // power of two whose product has the code in the lower byte of its upper half
	oddTimes  [8]uint16  // power of two whose product has the code in the upper byte of its lower half
	close     [16]byte   // byte of the lane: the bytes of two words next to each other
	pairs     [4]byte    // what two neighbouring codes are multiplied by before they are added
	fours     [2]uint16  // and two pairs
	left      [2]uint32  // by how much two dwords have to move up to touch each other
	right     uint64     // and down then
	kept      [8]byte    // bits of a code, in each byte
	bytes     uint64     // a bit for each byte that 64 codes take
	width     uint64
}

// beyond is the index of no byte: the instruction writes 0 for it.
const beyond = 0x80

var plans = makePlans()

func makePlans() (plans [8]plan) {
	for b := 1; b < len(plans); b++ {
		p := &plans[b]
		for i := range 4 * b {
			p.apart[i/b*8+i%b] = uint16(i)
			p.together[i] = uint16(i/b*8 + i%b)
		}
		for i := range 8 {
			at := 2 * i * b
			low, shift := at/8, at%8
			if shift == 0 { // the product cannot be 2¹⁶ times as large: take the byte before too
				low, shift = low-1, 8
			}
			p.even[2*i], p.even[2*i+1] = byte(low), byte(low+1)
			if low < 0 {
				p.even[2*i] = beyond
			}
			p.evenTimes[i] = 1 << (16 - shift)
			at += b
			p.odd[2*i], p.odd[2*i+1] = byte(at/8), byte(at/8+1)
			p.oddTimes[i] = 1 << (8 - at%8)
		}
		for i := range p.close {
			switch {
			case i < b:
				p.close[i] = byte(i)
			case i < 2*b:
				p.close[i] = byte(8 + i - b)
			default:
				p.close[i] = beyond
			}
		}
		p.pairs = [4]byte{1, 1 << b, 1, 1 << b}
		p.fours = [2]uint16{1, 1 << (2 * b)}
		p.left, p.right = [2]uint32{uint32(32 - 4*b), 0}, uint64(32-4*b)
		for i := range p.kept {
			p.kept[i] = 1<<b - 1
		}
		p.bytes, p.width = 1<<(8*b)-1, uint64(b)
	}
	return plans
}

// first is the plan as the assembly takes it.
func (p *plan) first() *byte { return (*byte)(unsafe.Pointer(p)) }

// whole returns how many of n codes the instruction set takes at a time out of a stream of
// so many bytes. AVX2 reads and writes 16 bytes where the last 16 codes begin.
func whole(n, bytes, bits int) int {
	n = min(n, perCall)
	if vectors == cpu.AVX512 {
		return n &^ 63
	}
	return max(min(n, (bytes-16+2*bits)/bits*8), 0) &^ 31
}

// packAhead is pack for as many codes as it can do, and says how many.
func packAhead(out, codes []byte, bits int, bias uint8) (done int) {
	if vectors == cpu.Generic || len(codes) < 32 {
		return 0
	}
	if bits == 8 {
		return addAhead(out, codes, bias)
	}
	n := whole(len(codes), len(out), bits)
	switch {
	case n == 0:
	case vectors == cpu.AVX512:
		packAVX512(&codes[0], uint64(n), &out[0], plans[bits].first(), uint64(bias)*each)
	default:
		packAVX2(&codes[0], uint64(n), &out[0], plans[bits].first(), uint64(bias)*each)
	}
	return n
}

// unpackAhead is unpack for as many codes as it can do, and says how many.
func unpackAhead(codes, data []byte, bits int, bias uint8) (done int) {
	if vectors == cpu.Generic || len(codes) < 32 {
		return 0
	}
	if bits == 8 {
		return addAhead(codes, data, -bias)
	}
	n := whole(len(codes), len(data), bits)
	switch {
	case n == 0:
	case vectors == cpu.AVX512:
		unpackAVX512(&data[0], uint64(n), &codes[0], plans[bits].first(), uint64(bias)*each)
	default:
		unpackAVX2(&data[0], uint64(n), &codes[0], plans[bits].first(), uint64(bias)*each)
	}
	return n
}

// addAhead writes bytes plus a number, as many as it can, and says how many.
func addAhead(to, from []byte, number uint8) (done int) {
	n := min(len(from), perCall) &^ (step - 1)
	switch {
	case n == 0:
	case vectors == cpu.AVX512:
		addAVX512(&from[0], uint64(n), &to[0], uint64(number)*each)
	default:
		addAVX2(&from[0], uint64(n), &to[0], uint64(number)*each)
	}
	return n
}

// fullAhead says of as many codes of a stream as it can, how many are returned, whether any
// has all bits set.
func fullAhead(data []byte, n, bits int) (found bool, done int) {
	if vectors == cpu.Generic || n < 32 {
		return false, 0
	}
	if bits == 8 {
		return aboveAhead(data, 0, 0xfe)
	}
	done = whole(n, len(data), bits)
	switch {
	case done == 0:
		return false, 0
	case vectors == cpu.AVX512:
		return anyFullAVX512(&data[0], uint64(done), plans[bits].first()) != 0, done
	}
	return anyFullAVX2(&data[0], uint64(done), plans[bits].first()) != 0, done
}

// aboveAhead says of as many bytes as it can, how many are returned, whether any is above top
// once bias is added.
func aboveAhead(codes []byte, bias, top uint8) (found bool, done int) {
	n := min(len(codes), perCall) &^ (step - 1)
	switch {
	case n == 0 || vectors == cpu.Generic:
		return false, 0
	case vectors == cpu.AVX512:
		return anyAboveAVX512(&codes[0], uint64(n), uint64(bias)*each, uint64(top)*each) != 0, n
	}
	return anyAboveAVX2(&codes[0], uint64(n), uint64(bias)*each, uint64(top)*each) != 0, n
}

// maxAbsAhead returns the bits of the largest magnitude of as many floats as it can do, and
// how many.
func maxAbsAhead(values []float32) (bits uint32, done int) {
	n := min(len(values), perCall) &^ (step - 1)
	switch {
	case n == 0 || vectors == cpu.Generic:
		return 0, 0
	case vectors == cpu.AVX512:
		return uint32(maxAbsAVX512(&values[0], uint64(n))), n
	}
	return uint32(maxAbsAVX2(&values[0], uint64(n))), n
}

// multiplesAhead is Multiples for as many values as it can do, and says how many.
func multiplesAhead(codes []int8, values []float32, scale float32, most int) (done int) {
	n := min(len(values), perCall) &^ 15
	if n == 0 || vectors == cpu.Generic {
		return 0
	}
	to := (*byte)(unsafe.Pointer(&codes[0]))
	s, limit := math.Float64bits(float64(scale)), uint64(most)<<32|uint64(most)
	if vectors == cpu.AVX512 {
		multiplesAVX512(&values[0], uint64(n), to, s, limit)
	} else {
		multiplesAVX2(&values[0], uint64(n), to, s, limit)
	}
	return n
}

// valuesAhead is Values for as many codes as it can do, and says how many.
func valuesAhead(values []float32, codes []int8, scale float32) (done int) {
	n := min(len(codes), perCall) &^ 15
	if n == 0 || vectors == cpu.Generic {
		return 0
	}
	from := (*byte)(unsafe.Pointer(&codes[0]))
	s := uint64(math.Float32bits(scale)) << 32
	s |= s >> 32
	if vectors == cpu.AVX512 {
		valuesAVX512(from, uint64(n), &values[0], s)
	} else {
		valuesAVX2(from, uint64(n), &values[0], s)
	}
	return n
}

// quantizeQ4Ahead is QuantizeQ4 for as many values as it can do, and says how many.
func quantizeQ4Ahead(blocks []byte, values []float32) (peak uint32, done int) {
	n := min(len(values), perCall) &^ (Q4Values - 1)
	switch {
	case n == 0 || vectors == cpu.Generic:
		return 0, 0
	case vectors == cpu.AVX512:
		return uint32(quantizeQ4AVX512(&values[0], uint64(n/Q4Values), &blocks[0])), n
	}
	return uint32(quantizeQ4AVX2(&values[0], uint64(n/Q4Values), &blocks[0])), n
}

// dequantizeQ4Ahead is DequantizeQ4 for as many values as it can do, and says how many.
func dequantizeQ4Ahead(values []float32, blocks []byte) (done int) {
	n := min(len(values), perCall) &^ (Q4Values - 1)
	switch {
	case n == 0 || vectors == cpu.Generic:
		return 0
	case vectors == cpu.AVX512:
		dequantizeQ4AVX512(&blocks[0], uint64(n/Q4Values), &values[0])
	default:
		dequantizeQ4AVX2(&blocks[0], uint64(n/Q4Values), &values[0])
	}
	return n
}
