package codec

import "unsafe"

// checkStep is the number of codes after which a check looks whether it has found something.
const checkStep = 1 << 14

// OutOfRange returns the index of the first code beyond ±(2^(bits−1) − 1), −1 if there is none.
func OutOfRange(codes []int8, bits int) int {
	return firstAbove(unsignedBytes(codes), uint8(qmax(bits)), uint8(2*qmax(bits)))
}

// TooLarge returns the index of the first code above 2^bits − 1, −1 if there is none.
func TooLarge(codes []uint8, bits int) int { return firstAbove(codes, 0, uint8(1<<bits-1)) }

// firstAbove returns the index of the first byte that is above top once bias is added, −1 if
// there is none. Only in a part that is known to have one are bytes looked at one by one.
func firstAbove(codes []byte, bias, top uint8) int {
	for lo := 0; lo < len(codes); lo += checkStep {
		part := codes[lo:min(lo+checkStep, len(codes))]
		if !anyAbove(part, bias, top) {
			continue
		}
		for i, code := range part {
			if code+bias > top {
				return lo + i
			}
		}
	}
	return -1
}

// anyAbove is firstAbove without saying where. Top is 2^b − 1, or 2^b − 2 with a bias of
// 2^(b−1) − 1, b from 1 to 8.
//
// The stored form of a byte shows whether it is above: there are bits above the lowest b, or
// in the second case in it plus 1. Only a byte that is too small borrows from the next one,
// and only one of 255 carries into it; the lowest of these is found out itself.
func anyAbove(codes []byte, bias, top uint8) bool {
	found, done := aboveAhead(codes, bias, top)
	if found {
		return true
	}
	codes = codes[done:]
	s, plus, above := by(bias), uint64(each), uint64(^(top|1))*each
	switch {
	case top&1 == 1:
		plus = 0 // the largest code is a full one
	case top == 0xfe:
		return anyLeast(codes)
	}
	bits := uint64(0)
	for len(codes) >= 32 {
		a, b, c, d := s.stored(load(codes)), s.stored(load(codes[8:])), s.stored(load(codes[16:])), s.stored(load(codes[24:]))
		bits |= a | (a + plus) | b | (b + plus) | c | (c + plus) | d | (d + plus)
		codes = codes[32:]
	}
	for len(codes) > 0 {
		n := min(len(codes), 8)
		w := s.stored(loadFew(codes[:n]))
		bits |= w | (w + plus)
		codes = codes[n:]
	}
	return bits&above != 0
}

// anyLeast reports whether any byte is −128, the only number that has no place in 8 bits: it is 0
// with its sign flipped, and of the bytes that are not 0 the highest bit stays unless it was
// taken by a lower one that is.
func anyLeast(codes []byte) bool {
	bits := uint64(0)
	for len(codes) >= 8 {
		w := load(codes) ^ 0x80*each
		bits |= (w - each) &^ w
		codes = codes[8:]
	}
	w := loadFew(codes) ^ 0x80*each
	bits |= (w - each) &^ w
	return bits&(0x80*each) != 0
}

// NeverWritten returns the index of the first of n codes in a stream that has all bits set,
// which no signed code is stored as; −1 if there is none. The stream has exactly the bytes of n codes.
func NeverWritten(data []byte, n, bits int) int {
	for lo := 0; lo < n; lo += checkStep {
		codes := min(checkStep, n-lo)
		part := data[lo/8*bits:]
		part = part[:(codes*bits+7)/8]
		if !anyFull(part, codes, bits) {
			continue
		}
		for i := range codes {
			if at(part, i, bits) == 1<<bits-1 {
				return lo + i
			}
		}
	}
	return -1
}

// at returns what the stream holds for code i.
func at(data []byte, i, bits int) int {
	from := i * bits
	w := int(data[from/8])
	if from/8+1 < len(data) {
		w |= int(data[from/8+1]) << 8
	}
	return w >> (from % 8) & (1<<bits - 1)
}

func anyFull(data []byte, n, bits int) bool {
	found, done := fullAhead(data, n, bits)
	if found {
		return true
	}
	data, n = data[done/8*bits:], n-done
	switch bits {
	case 1:
		return anyFullWord[[1]byte](data, n)
	case 2:
		return anyFullWord[[2]byte](data, n)
	case 3:
		return anyFullWord[[3]byte](data, n)
	case 4:
		return anyFullWord[[4]byte](data, n)
	case 5:
		return anyFullWord[[5]byte](data, n)
	case 6:
		return anyFullWord[[6]byte](data, n)
	case 7:
		return anyFullWord[[7]byte](data, n)
	case 8:
		return anyFullWord[[8]byte](data, n)
	}
	return false
}

// anyFullWord reports whether any of n codes has all bits set. Bits behind the last code are
// not looked at.
func anyFullWord[W width](data []byte, n int) bool {
	var w W
	bits := uint(len(w))
	found := uint64(0)
	for n >= 32 && len(data) >= 3*len(w)+8 {
		found |= full(load(data), bits)
		found |= full(load(data[len(w):]), bits)
		found |= full(load(data[2*len(w):]), bits)
		found |= full(load(data[3*len(w):]), bits)
		data, n = data[4*len(w):], n-32
	}
	for n >= 8 && len(data) >= 8 {
		found |= full(load(data), bits)
		data, n = data[len(w):], n-8
	}
	for n > 0 {
		m := min(len(data), len(w))
		word := loadFew(data[:m]) & low(min(n, 8)*len(w))
		found |= full(word, bits)
		data, n = data[m:], n-8
	}
	return found != 0
}

// unsignedBytes returns the same codes as bytes.
func unsignedBytes(codes []int8) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(codes))), len(codes))
}
