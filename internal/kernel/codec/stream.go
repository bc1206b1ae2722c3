package codec

// width is a number of bits, as the length of an array so that the compiler makes a loop of
// its own for each: shifts and masks are constants there.
type width interface {
	[1]byte | [2]byte | [3]byte | [4]byte | [5]byte | [6]byte | [7]byte | [8]byte
}

// qmax is the largest signed code, and what is added to a signed code in the stream.
func qmax(bits int) int { return 1<<(bits-1) - 1 }

// Pack writes the stream of signed codes, none beyond ±(2^(bits−1) − 1), to out, which has
// exactly as many bytes as the stream. Bits behind the last code are 0.
func Pack(out []byte, codes []int8, bits int) {
	pack(out, unsignedBytes(codes), bits, uint8(qmax(bits)))
}

// PackUnsigned is Pack for codes of 0 … 2^bits − 1.
func PackUnsigned(out []byte, codes []uint8, bits int) { pack(out, codes, bits, 0) }

// Unpack reads as many signed codes as there is room for from a stream of exactly their
// bytes, in which no code has all bits set.
func Unpack(codes []int8, data []byte, bits int) {
	unpack(unsignedBytes(codes), data, bits, uint8(qmax(bits)))
}

// UnpackUnsigned is Unpack for codes of 0 … 2^bits − 1.
func UnpackUnsigned(codes []uint8, data []byte, bits int) { unpack(codes, data, bits, 0) }

// shift adds a bias to the 8 codes of a word, or takes it from them. Flipping the sign bit
// adds 128 to a byte, so 128 − bias has to go again; as no |code| is above the bias, no byte
// borrows from its neighbour, and on the way back none carries. Without a bias there is nothing to do.
type shift struct{ flip, less uint64 }

func by(bias uint8) shift {
	if bias == 0 {
		return shift{}
	}
	return shift{0x80 * each, uint64(128-bias) * each}
}

func (s shift) stored(w uint64) uint64 { return (w ^ s.flip) - s.less }
func (s shift) code(w uint64) uint64   { return (w + s.less) ^ s.flip }

func pack(out, codes []byte, bits int, bias uint8) {
	for done := 1; done > 0; {
		done = packAhead(out, codes, bits, bias)
		codes, out = codes[done:], out[done/8*bits:]
	}
	s := by(bias)
	switch bits {
	case 1:
		packWords[[1]byte](out, codes, s)
	case 2:
		packWords[[2]byte](out, codes, s)
	case 3:
		packWords[[3]byte](out, codes, s)
	case 4:
		packWords[[4]byte](out, codes, s)
	case 5:
		packWords[[5]byte](out, codes, s)
	case 6:
		packWords[[6]byte](out, codes, s)
	case 7:
		packWords[[7]byte](out, codes, s)
	case 8:
		packWords[[8]byte](out, codes, s)
	}
}

func unpack(codes, data []byte, bits int, bias uint8) {
	for done := 1; done > 0; {
		done = unpackAhead(codes, data, bits, bias)
		codes, data = codes[done:], data[done/8*bits:]
	}
	s := by(bias)
	switch bits {
	case 1:
		unpackWords[[1]byte](codes, data, s)
	case 2:
		unpackWords[[2]byte](codes, data, s)
	case 3:
		unpackWords[[3]byte](codes, data, s)
	case 4:
		unpackWords[[4]byte](codes, data, s)
	case 5:
		unpackWords[[5]byte](codes, data, s)
	case 6:
		unpackWords[[6]byte](codes, data, s)
	case 7:
		unpackWords[[7]byte](codes, data, s)
	case 8:
		unpackWords[[8]byte](codes, data, s)
	}
}

// packWords stores 8 bytes for each 8 codes; those above the width are overwritten by the
// next word, which is why the last word is written byte by byte. Four words are taken at a
// time, so that going on in two slices is shared by them.
func packWords[W width](out, codes []byte, s shift) {
	var w W
	bits := uint(len(w))
	for len(codes) >= 32 && len(out) >= 3*len(w)+8 {
		store(out, eight(fours(pairs(s.stored(load(codes)), bits), bits), bits))
		store(out[len(w):], eight(fours(pairs(s.stored(load(codes[8:])), bits), bits), bits))
		store(out[2*len(w):], eight(fours(pairs(s.stored(load(codes[16:])), bits), bits), bits))
		store(out[3*len(w):], eight(fours(pairs(s.stored(load(codes[24:])), bits), bits), bits))
		codes, out = codes[32:], out[4*len(w):]
	}
	for len(codes) >= 8 && len(out) >= 8 {
		store(out, eight(fours(pairs(s.stored(load(codes)), bits), bits), bits))
		codes, out = codes[8:], out[len(w):]
	}
	for len(codes) > 0 {
		n, m := min(len(codes), 8), min(len(out), len(w))
		word := s.stored(loadFew(codes[:n])) & low(8*n)
		storeFew(out[:m], eight(fours(pairs(word, bits), bits), bits))
		codes, out = codes[n:], out[m:]
	}
}

func unpackWords[W width](codes, data []byte, s shift) {
	var w W
	bits := uint(len(w))
	for len(codes) >= 32 && len(data) >= 3*len(w)+8 {
		store(codes, s.code(single(quarters(halves(load(data), bits), bits), bits)))
		store(codes[8:], s.code(single(quarters(halves(load(data[len(w):]), bits), bits), bits)))
		store(codes[16:], s.code(single(quarters(halves(load(data[2*len(w):]), bits), bits), bits)))
		store(codes[24:], s.code(single(quarters(halves(load(data[3*len(w):]), bits), bits), bits)))
		codes, data = codes[32:], data[4*len(w):]
	}
	for len(codes) >= 8 && len(data) >= 8 {
		store(codes, s.code(single(quarters(halves(load(data), bits), bits), bits)))
		codes, data = codes[8:], data[len(w):]
	}
	for len(codes) > 0 {
		n, m := min(len(codes), 8), min(len(data), len(w))
		storeFew(codes[:n], s.code(single(quarters(halves(loadFew(data[:m]), bits), bits), bits)))
		codes, data = codes[n:], data[m:]
	}
}

// low returns a word whose lowest n bits are set.
func low(n int) uint64 { return 1<<n - 1 }

// loadFew is load for up to 8 bytes; those that are not there are 0.
func loadFew(b []byte) uint64 {
	w := uint64(0)
	for i, v := range b {
		w |= uint64(v) << (8 * i)
	}
	return w
}

// storeFew stores the lowest bytes of a word.
func storeFew(b []byte, w uint64) {
	for i := range b {
		b[i] = byte(w >> (8 * i))
	}
}
