package quantize

// MakeListed is makeListed, for codes of 16 bits.
func MakeListed(gradCodes []int16, hessCodes []uint16, grad, hess []float32, first uint64, rows []uint16, r *Rule) Loss {
	return makeListed(gradCodes, hessCodes, grad, hess, first, rows, r)
}

// Join8 and Join4 pack codes.
var (
	Join8 = join8
	Join4 = join4
)
