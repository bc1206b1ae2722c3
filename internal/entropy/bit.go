package entropy

// Bit estimates a bit from those that came before in its context. The zero value knows
// nothing: both are equally likely. It takes four bytes: in the high half the probability of a
// one, less a half, in 1/65,536 and signed; in the low half how many bits it has seen, up to memory.
type Bit uint32

const (
	// memory is how many bits an estimate is about the mean of; after these it follows the
	// newest.
	memory = 250
	// limit is how far the probability goes from a half; 1/4,096 is left to the other side.
	limit = One/2 - 16
)

// gains[n] is the share, in 1/65,536, that bit n has in the estimate after it: 1/(n + 1.8),
// rounded, so that the first moves it from 1/2 to 0.78. What follows memory is never used: it
// spares a check of bounds.
var gains = makeGains()

func makeGains() (g [256]int32) {
	for n := range memory + 1 {
		g[n] = int32((10*65536 + 5*n + 9) / (10*n + 18))
	}
	return g
}

// P returns the probability of a one, in 1/One, from 16 to One - 16.
func (b *Bit) P() uint32 { return uint32(int32(*b)>>16 + One/2) }

// learn moves the estimate towards a bit: its share of the way to the limit, rounded down, which
// is never beyond.
func (b *Bit) learn(bit uint32) {
	v := *b
	ones, seen := int64(int32(v)>>16), v&255
	way := int64(bit)*(2*limit) - limit - ones
	ones += way * int64(gains[seen]) >> 16
	*b = Bit(uint32(ones)<<16) | min(seen+1, memory)
}

// Code codes a bit with this estimate alone, and learns it.
func (b *Bit) Code(c *Coder, bit uint32) uint32 {
	bit = c.Bit(bit, b.P())
	b.learn(bit)
	return bit
}
