package hist

// SpreadNibbles writes codes of half a byte, low nibble first, one to a byte: len(codes) of them, of (len(codes)+1)/2
// bytes or more.
func SpreadNibbles(codes []uint8, packed []byte) {
	for i := spreadNibbles(codes, packed); i < len(codes); i++ {
		codes[i] = packed[i/2] >> (i & 1 * 4) & 0x0F
	}
}
