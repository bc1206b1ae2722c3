package binning

import (
	"errors"
	"testing"
)

// Stored codes below a feature's number of codes are taken, that number is not, whatever the width
// and wherever it lies.
func TestStoredCodesAreBelowTheirNumber(t *testing.T) {
	for _, nCodes := range []uint32{1, 16, 17, 256, 257, 65536, 65537} {
		for _, at := range []int{0, 3, 6} {
			for _, code := range []uint32{nCodes - 1, nCodes} {
				columns := map[string]Column{"wide": {Bits: U32, N: 7, u32: make([]uint32, 7)}}
				columns["wide"].u32[at] = code
				if code <= 15 {
					columns["nibbles"] = Column{Bits: U4, N: 7, u4: make([]byte, 4)}
					columns["nibbles"].u4[at/2] = byte(code << (at % 2 * 4))
				}
				if code <= 255 {
					columns["bytes"] = Column{Bits: U8, N: 7, u8: make([]uint8, 7)}
					columns["bytes"].u8[at] = uint8(code)
				}
				if code <= 65535 {
					columns["words"] = Column{Bits: U16, N: 7, u16: make([]uint16, 7)}
					columns["words"].u16[at] = uint16(code)
				}
				for name, c := range columns {
					if err := c.check(nCodes); errors.Is(err, ErrCodes) != (code == nCodes) || (err == nil) != (code < nCodes) {
						t.Errorf("%s: code %d of %d in row %d: %v", name, code, nCodes, at, err)
					}
				}
			}
		}
	}
	if err := (Column{Bits: U8}).check(0); err != nil {
		t.Errorf("no rows of a feature without codes: %v", err)
	}
}
