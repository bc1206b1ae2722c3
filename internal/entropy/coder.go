package entropy

import (
	"errors"
	"math"
	"math/bits"

	"boost/internal/detmath"
)

// ErrTruncated means that a reader was asked for more decisions than its bytes hold.
var ErrTruncated = errors.New("entropy: the coded bytes are cut short")

const (
	// One is a probability of one. Probabilities lie strictly between 0 and One.
	One = 1 << 16
	// renormal is where the range is widened by a byte.
	renormal = 1 << 24
	// slack is how many bytes behind its end a reader may take as zeros: it is four bytes
	// ahead of what it knows.
	slack = 4
)

// Coder writes or reads decisions. It is made by NewWriter or NewReader. All methods that
// take a decision return it: a writer takes it from the caller, a reader ignores what it is
// given and takes it from the bytes.
//
// It is a carrying range coder: low is the left end of the interval of what is written, of
// which only the 32 bits that may still change are kept; a carry runs back into the bytes.
type Coder struct {
	reading bool
	bytes   []byte
	next    int // reader: the byte that is fetched next
	width   uint32
	low     uint32 // writer: left end; reader: distance of the code from it
}

// NewWriter returns a coder that appends to b, which may be nil.
func NewWriter(b []byte) *Coder { return &Coder{bytes: b, width: 1<<32 - 1} }

// NewReader returns a coder that reads b and does not change it.
func NewReader(b []byte) *Coder {
	c := &Coder{}
	c.Reset(b)
	return c
}

// Reset makes the coder a reader of b.
func (c *Coder) Reset(b []byte) {
	*c = Coder{reading: true, bytes: b, width: 1<<32 - 1}
	for range 4 {
		c.low = c.low<<8 | uint32(c.fetch())
	}
}

// Reading reports whether the coder reads.
func (c *Coder) Reading() bool { return c.reading }

func (c *Coder) fetch() byte {
	i := c.next
	c.next++
	if i < len(c.bytes) {
		return c.bytes[i]
	}
	return 0
}

// Err returns ErrTruncated once a reader has gone behind the end of its bytes.
func (c *Coder) Err() error {
	if c.reading && c.next > len(c.bytes)+slack {
		return ErrTruncated
	}
	return nil
}

// Bit codes a bit that is 1 with probability p/One, 0 < p < One.
func (c *Coder) Bit(bit, p uint32) uint32 {
	split := uint32(uint64(c.width) * uint64(p) >> 16)
	if c.reading {
		return c.read(split)
	}
	c.write(bit, split)
	return bit
}

// write puts a bit into the interval: a one lies left of the split, a zero right of it.
func (c *Coder) write(bit, split uint32) {
	if bit != 0 {
		c.width = split
	} else {
		c.right(split)
		c.width -= split
	}
	for c.width < renormal {
		c.widen()
	}
}

// read takes a bit, without a branch on what nobody foresees.
func (c *Coder) read(split uint32) uint32 {
	width, low := c.width, c.low
	_, one := bits.Sub32(low, split, 0)
	right := split & (one - 1) // 0 or split
	low -= right
	width = split&-one | (width-split)&(one-1)
	if width < renormal {
		width, low = c.refill(width, low)
	}
	c.width, c.low = width, low
	return one
}

// refill widens the interval of a reader.
func (c *Coder) refill(width, low uint32) (uint32, uint32) {
	for width < renormal {
		width <<= 8
		low = low<<8 | uint32(c.fetch())
	}
	return width, low
}

// Uniform codes one of n equally likely values, n ≤ 65,536.
func (c *Coder) Uniform(value, n uint32) uint32 {
	step := c.width / n
	if c.reading {
		value = min(c.low/step, n-1)
	}
	c.right(step * value)
	if value == n-1 {
		c.width -= step * value
	} else {
		c.width = step
	}
	for c.width < renormal {
		c.widen()
	}
	return value
}

// right moves the left end.
func (c *Coder) right(by uint32) {
	if c.reading {
		c.low -= by
		return
	}
	c.low += by
	if c.low < by {
		c.carry()
	}
}

// carry adds one to the number that the bytes written so far are.
func (c *Coder) carry() {
	i := len(c.bytes) - 1
	for ; c.bytes[i] == 0xff; i-- {
		c.bytes[i] = 0
	}
	c.bytes[i]++
}

func (c *Coder) widen() {
	c.width <<= 8
	if c.reading {
		c.low = c.low<<8 | uint32(c.fetch())
		return
	}
	c.bytes = append(c.bytes, byte(c.low>>24))
	c.low <<= 8
}

// Close ends writing and returns the bytes: the shortest that a reader needs. It takes
// zeros for what follows them.
func (c *Coder) Close() []byte {
	// Of the numbers in the interval the one with the most zeros at its end.
	for keep := 0; keep <= 4; keep++ {
		mask := uint32(uint64(1)<<(32-8*keep) - 1)
		number := uint64(c.low) + uint64(mask)
		number -= number & uint64(mask)
		if number-uint64(c.low) >= uint64(c.width) {
			continue
		}
		if number>>32 != 0 {
			c.carry()
		}
		for i := range keep {
			c.bytes = append(c.bytes, byte(number>>(24-8*i)))
		}
		break
	}
	return c.bytes
}

// Bits returns how many bits are written, with the fraction that the last decisions take.
func (c *Coder) Bits() float64 {
	return float64(8*len(c.bytes)+32) - detmath.Log(float64(c.width))/math.Ln2
}
