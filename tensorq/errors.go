package tensorq

import "fmt"

// ErrBitWidth means that there is no codec or quantizer of a width.
type ErrBitWidth struct{ Bits int }

func (e ErrBitWidth) Error() string {
	return fmt.Sprintf("tensorq: codes of %d bits are unknown here: bit streams take 1 to 8, blocks the widths that have a quantizer", e.Bits)
}

// ErrOutputTooSmall says how long the output has to be: bytes where codes are packed,
// numbers where bytes become numbers, blocks where they have a type.
type ErrOutputTooSmall struct{ Required int }

func (e ErrOutputTooSmall) Error() string {
	return fmt.Sprintf("tensorq: the output is too small: give it a length of at least %d", e.Required)
}

// ErrInputTooSmall says how many bytes the input has to have for what is read from it.
type ErrInputTooSmall struct{ Required int }

func (e ErrInputTooSmall) Error() string {
	return fmt.Sprintf("tensorq: the input ends early: it has to have at least %d bytes", e.Required)
}

// ErrBlockBytes refuses blocks that are too many or too few for the values that are wanted.
type ErrBlockBytes struct {
	Values   int // wanted
	Bytes    int // of the blocks that there are
	Required int // of theirs
}

func (e ErrBlockBytes) Error() string {
	return fmt.Sprintf("tensorq: %d bytes of blocks for %d values: expected %d", e.Bytes, e.Values, e.Required)
}

// ErrCodeOutOfRange names the first code that its width cannot hold, or that no packer
// writes: signed codes of b bits lie within ±(2^(b−1) − 1), unsigned ones in 0 … 2^b − 1.
type ErrCodeOutOfRange struct {
	Index int // in the codes
	Value int // of the code; read from bytes, the one that they would stand for
}

func (e ErrCodeOutOfRange) Error() string {
	return fmt.Sprintf("tensorq: code %d at index %d is beyond what its width holds: the codes were made for another width, or the bytes are damaged", e.Value, e.Index)
}
