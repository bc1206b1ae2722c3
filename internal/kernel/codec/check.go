package codec

import "unsafe"

// checkStep is the number of codes after which a check looks whether it has found something.
const checkStep = 1 << 12

// OutOfRange returns the index of the first code beyond ±(2^(bits−1) − 1), −1 if there is none.
func OutOfRange(codes []int8, bits int) int {
	q := qmax(bits)
	return first(unsignedBytes(codes), func(part []byte) bool { return anyOutOfRange(part, q) },
		func(code byte) bool { return int(int8(code)) > q || int(int8(code)) < -q })
}

// TooLarge returns the index of the first code above 2^bits − 1, −1 if there is none.
func TooLarge(codes []uint8, bits int) int {
	above := byte(0xff << bits)
	return first(codes, func(part []byte) bool { return anyOf(part, uint64(above)*each) },
		func(code byte) bool { return code&above != 0 })
}

// first returns the index of the first code that is bad, −1 if there is none. Only where any
// says that a part has such codes are they looked at one by one.
func first(codes []byte, any func([]byte) bool, bad func(byte) bool) int {
	for lo := 0; lo < len(codes); lo += checkStep {
		part := codes[lo:min(lo+checkStep, len(codes))]
		if !any(part) {
			continue
		}
		for i, code := range part {
			if bad(code) {
				return lo + i
			}
		}
	}
	return -1
}

// anyOutOfRange says whether any byte is a number beyond ±q. The low seven bits l of a number
// v are v itself from 0 on, which is too large if l + (127 − q) reaches 128; below 0 they
// are v + 128, which is right if l + q reaches 128.
func anyOutOfRange(codes []byte, q int) bool {
	above, below := uint64(127-q)*each, uint64(q)*each
	bad := uint64(0)
	for len(codes) >= 8 {
		w := load(codes)
		l := w & (0x7f * each)
		bad |= (l+above)&^w | w&^(l+below)
		codes = codes[8:]
	}
	w := loadFew(codes)
	l := w & (0x7f * each)
	bad |= (l+above)&^w | w&^(l+below)
	return bad&(0x80*each) != 0
}

// anyOf says whether any word of the bytes has a bit of a mask.
func anyOf(codes []byte, mask uint64) bool {
	bad := uint64(0)
	for len(codes) >= 8 {
		bad |= load(codes)
		codes = codes[8:]
	}
	return (bad|loadFew(codes))&mask != 0
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

// anyFullWord says whether any of n codes has all bits set. Bits behind the last code are
// not looked at.
func anyFullWord[W width](data []byte, n int) bool {
	var w W
	bits := uint(len(w))
	found := uint64(0)
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
