package tensorq

// 7 bits, the width of warm tensors.
func init() { MustRegister(Symmetric(7)) }
