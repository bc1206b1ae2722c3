package tensorq

// dequantizeTwoLevel writes code·scale for each code, rounded once to float32, by the second
// scale where a flag is set. There is room in out for every code.
func dequantizeTwoLevel(codes []int8, flags []byte, scales [2]float32, out []float32) {
	out = out[:len(codes)]
	flags = flags[:(len(codes)+7)/8]
	for i, c := range codes {
		out[i] = float32(c) * scales[flags[i>>3]>>(i&7)&1]
	}
}
