package codec

// width is a number of bits, as the length of an array so that the compiler makes a loop of
// its own for each: shifts and masks are constants there.
type width interface {
	[1]byte | [2]byte | [3]byte | [4]byte | [5]byte | [6]byte | [7]byte | [8]byte
}

// shift turns codes into what stands in the stream and back: signed codes of a width are
// stored as code + 2^(width−1) − 1, unsigned ones as they are.
type shift struct{ flip, less uint64 }

// signed returns the shift of signed codes. Flipping the sign bit adds 128 to a byte, so
// 128 − qmax has to go again; as |code| ≤ qmax, no byte borrows from its neighbour, and on the
// way back none carries.
func signed(bits int) shift { return shift{0x80 * each, uint64(128-qmax(bits)) * each} }

// qmax is the largest signed code.
func qmax(bits int) int { return 1<<(bits-1) - 1 }

func (s shift) stored(w uint64) uint64 { return (w ^ s.flip) - s.less }
func (s shift) code(w uint64) uint64   { return (w + s.less) ^ s.flip }

// Pack writes the stream of signed codes, none beyond ±(2^(bits−1) − 1), to out, which has
// exactly as many bytes as the stream. Bits behind the last code are 0.
func Pack(out []byte, codes []int8, bits int) { pack(out, unsignedBytes(codes), bits, signed(bits)) }

// PackUnsigned is Pack for codes of 0 … 2^bits − 1.
func PackUnsigned(out []byte, codes []uint8, bits int) { pack(out, codes, bits, shift{}) }

// Unpack reads as many signed codes as there is room for from a stream of exactly their
// bytes, in which no code has all bits set.
func Unpack(codes []int8, data []byte, bits int) {
	unpack(unsignedBytes(codes), data, bits, signed(bits))
}

// UnpackUnsigned is Unpack for codes of 0 … 2^bits − 1.
func UnpackUnsigned(codes []uint8, data []byte, bits int) { unpack(codes, data, bits, shift{}) }

func pack(out, codes []byte, bits int, s shift) {
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

func unpack(codes, data []byte, bits int, s shift) {
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
// next word, which is why the last words are written byte by byte.
func packWords[W width](out, codes []byte, s shift) {
	var w W
	bits := uint(len(w))
	for len(codes) >= 8 && len(out) >= 8 {
		store(out, gather(s.stored(load(codes)), bits))
		codes, out = codes[8:], out[len(w):]
	}
	for len(codes) > 0 {
		n := min(len(codes), 8)
		word := gather(s.stored(loadFew(codes[:n]))&low(8*n), bits)
		storeFew(out[:min(len(out), len(w))], word)
		codes, out = codes[n:], out[min(len(out), len(w)):]
	}
}

func unpackWords[W width](codes, data []byte, s shift) {
	var w W
	bits := uint(len(w))
	for len(codes) >= 8 && len(data) >= 8 {
		store(codes, s.code(spread(load(data), bits)))
		codes, data = codes[8:], data[len(w):]
	}
	for len(codes) > 0 {
		n, m := min(len(codes), 8), min(len(data), len(w))
		storeFew(codes[:n], s.code(spread(loadFew(data[:m]), bits)))
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
