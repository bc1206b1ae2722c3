package tensorq

// 5 bits, the width of warm tensors where their bytes have a cap.
func init() { MustRegister(Symmetric(5)) }
