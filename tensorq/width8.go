package tensorq

// 8 bits, the width of hot tensors. Its blocks hold the codes as they are, see BlockCodec.
func init() { MustRegister(Symmetric(8)) }
