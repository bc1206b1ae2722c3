package entropy

import "math/bits"

// Number codes unsigned numbers whose size is more telling than their value: the number
// of bits as one of 65 symbols, the two bits below the highest by the size, the rest as
// they are. The zero value is ready.
type Number struct {
	size [128]Bit
	top  [65][4]Bit
}

// Code codes a number.
func (n *Number) Code(c *Coder, value uint64) uint64 {
	size := uint32(bits.Len64(value))
	node := uint32(1)
	for k := 6; k >= 0; k-- {
		node = node<<1 | n.size[node].Code(c, size>>k&1)
	}
	size = node & 127
	if size <= 1 {
		return uint64(size)
	}
	if size > 64 {
		size = 64 // only damaged bytes say so
	}
	result, left, node := uint64(1), size-1, uint32(1)
	for range min(left, 2) {
		left--
		bit := n.top[size][node].Code(c, uint32(value>>left&1))
		node = node<<1 | bit
		result = result<<1 | uint64(bit)
	}
	for left > 0 {
		part := min(left, 16)
		left -= part
		result = result<<part | uint64(c.Uniform(uint32(value>>left)&(1<<part-1), 1<<part))
	}
	return result
}
