package binning

import (
	"errors"
	"slices"
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

// Codes that a feature does not have are refused where columns are read as they lie in a matrix.
func TestDecodePlainRefusesCodes(t *testing.T) {
	m, err := FromCodes([][]uint32{{0, 1, 2}, {2, 0, 1}}, []uint32{3, 3}, Adaptive)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := m.Codes(make([]bool, 2))
	if err != nil {
		t.Fatal(err)
	}
	head, pieces, err := codes.Encode(Adaptive)
	if err != nil || len(pieces) != 1 {
		t.Fatalf("%d pieces, %v", len(pieces), err)
	}
	cuts := &Cuts{Features: []Feature{{Regular: 3}, {Regular: 3}}}
	for _, c := range []struct {
		at      int
		code    byte
		refused bool
	}{{0, 0x10, false}, {0, 0x13, true}, {alignment + 1, 3, true}} {
		data := slices.Clone(pieces[0])
		data[c.at] = c.code
		_, err := DecodeCodes(cuts, head, uint64(len(data)), func(b []byte) error { copy(b, data); return nil })
		if errors.Is(err, ErrCodes) != c.refused || (err == nil) == c.refused {
			t.Errorf("%#x at %d: %v", c.code, c.at, err)
		}
	}
}
