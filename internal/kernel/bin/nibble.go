package bin

// PackNibbles packs codes two to a byte, the first of a pair in the low nibble; the
// high nibble of an odd tail is 0. dst must hold ⌈len(codes)/2⌉ bytes. It returns
// the position of the first code above 15, which it has cut to four bits, or -1.
func PackNibbles(dst []byte, codes []uint8) int {
	pairs := len(codes) / 2
	dst = dst[:(len(codes)+1)/2]
	var all uint8
	for i := range pairs {
		pair := codes[2*i : 2*i+2 : 2*i+2]
		all |= pair[0] | pair[1]
		dst[i] = pair[0]&15 | pair[1]<<4
	}
	if len(codes)&1 == 1 {
		last := codes[len(codes)-1]
		all |= last
		dst[pairs] = last & 15
	}
	if all <= 15 {
		return -1
	}
	for i, code := range codes {
		if code > 15 {
			return i
		}
	}
	return -1
}

// UnpackNibbles writes the first len(dst) codes of packed.
func UnpackNibbles(dst []uint8, packed []byte) {
	pairs := len(dst) / 2
	packed = packed[:(len(dst)+1)/2]
	for i := range pairs {
		b := packed[i]
		pair := dst[2*i : 2*i+2 : 2*i+2]
		pair[0], pair[1] = b&15, b>>4
	}
	if len(dst)&1 == 1 {
		dst[len(dst)-1] = packed[pairs] & 15
	}
}
