package tensorq

// 3 bits, the width of cold tensors, with a second scale where QuantConfig asks for it.
func init() { MustRegister(Symmetric(3)) }
