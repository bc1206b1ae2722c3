package quantize

import "unsafe"

// Unpack8 returns the codes of a word of mode i8: the gradient's in the lower byte, the
// hessian's in the upper.
func Unpack8(word uint16) (grad int16, hess uint16) { return int16(int8(word)), word >> 8 }

// Unpack4 returns the codes of a byte of mode i4: the gradient's in the lower nibble, the
// hessian's in the upper.
func Unpack4(b uint8) (grad int16, hess uint16) { return int16(int8(b<<4) >> 4), uint16(b >> 4) }

// join8 packs the codes of all rows of packed.
func join8(packed []uint16, grad []int16, hess []uint16) {
	grad, hess = grad[:len(packed)], hess[:len(packed)]
	i := join8Ahead(packed, grad, hess)
	for ; i+4 <= len(packed); i += 4 { // four words in one: no code reaches into the next
		g, h := *(*uint64)(unsafe.Pointer(&grad[i])), *(*uint64)(unsafe.Pointer(&hess[i]))
		*(*uint64)(unsafe.Pointer(&packed[i])) = g&0x00ff00ff00ff00ff | h<<8&0xff00ff00ff00ff00
	}
	for ; i < len(packed); i++ {
		packed[i] = uint16(uint8(grad[i])) | hess[i]<<8
	}
}

// join4 is join8 for codes of 4 bits.
func join4(packed []uint8, grad []int16, hess []uint16) {
	grad, hess = grad[:len(packed)], hess[:len(packed)]
	for i := join4Ahead(packed, grad, hess); i < len(packed); i++ {
		packed[i] = uint8(grad[i])&0x0f | uint8(hess[i])<<4
	}
}

// join packs codes by the type of what they are packed into. A function value in its place would
// move the codes to the heap.
func join[P uint8 | uint16](packed []P, grad []int16, hess []uint16) {
	switch packed := any(packed).(type) {
	case []uint16:
		join8(packed, grad, hess)
	case []uint8:
		join4(packed, grad, hess)
	}
}

// Pack8 writes the codes of 8 bits of a block's rows, of the listed ones where listed is
// set; those of other rows stay as they are. The block's first row is number first of the
// data set.
func Pack8(packed []uint16, grad, hess []float32, first uint64, rows []uint16, listed bool, r *Rule) Loss {
	return pack(packed, grad, hess, first, rows, listed, r)
}

// Pack4 is Pack8 for codes of 4 bits.
func Pack4(packed []uint8, grad, hess []float32, first uint64, rows []uint16, listed bool, r *Rule) Loss {
	return pack(packed, grad, hess, first, rows, listed, r)
}

func pack[P uint8 | uint16](
	packed []P, grad, hess []float32, first uint64, rows []uint16, listed bool, r *Rule,
) Loss {
	var loss Loss
	var gc [gathered]int16
	var hc [gathered]uint16
	if !listed {
		for lo := 0; lo < len(grad); lo += gathered {
			hi := min(lo+gathered, len(grad))
			n := hi - lo
			loss.Add(Make(gc[:n], hc[:n], grad[lo:hi], hess[lo:hi], first+uint64(lo), r))
			join(packed[lo:hi], gc[:], hc[:])
		}
		return loss
	}
	var g, h [gathered]float32
	var some [gathered]P
	for len(rows) > 0 {
		n := min(gathered, len(rows))
		gather(&g, &h, grad, hess, rows[:n])
		loss.Add(makeListed(gc[:n], hc[:n], g[:n], h[:n], first, rows[:n], r))
		join(some[:n], gc[:], hc[:])
		scatter(packed, &some, rows[:n])
		rows = rows[n:]
	}
	return loss
}
