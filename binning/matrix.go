package binning

import "fmt"

// Width is the number of bits a column spends on a code.
type Width uint8

// The widths of stored columns.
const (
	U4  Width = 4
	U8  Width = 8
	U16 Width = 16
	U32 Width = 32
)

// String returns "U4", "U8", "U16" or "U32".
func (w Width) String() string { return fmt.Sprintf("U%d", uint8(w)) }

// Info places one feature in the matrix (SEEDS S0.12).
type Info struct {
	Offset uint64 // bytes from the start of the matrix data, a multiple of 64
	NBins  uint32 // all codes, the missing code included
	Bits   Width
}

// Matrix holds the codes of all features, column by column: the code of
// (row, feature) is entry `row` of the feature's column. Every column starts at
// a 64-byte boundary.
type Matrix struct {
	rows    int
	infos   []Info
	offsets []uint32 // global bin index: running sum of NBins, length F+1
	data    []byte   // 64-byte aligned
}

// NRows returns the number of rows.
func (m *Matrix) NRows() int { return m.rows }

// NFeatures returns the number of features.
func (m *Matrix) NFeatures() int { return len(m.infos) }

// FeatureInfo returns where and how feature f is stored.
func (m *Matrix) FeatureInfo(f int) Info { return m.infos[f] }

// Offsets returns the global bin index of each feature's code 0; the last entry
// is the total number of codes (SEEDS S1.11). The slice must not be changed.
func (m *Matrix) Offsets() []uint32 { return m.offsets }

// Column is a view of one feature's codes that knows its width.
type Column struct {
	Bits Width
	N    int // rows
	u4   []byte
	u8   []uint8
	u16  []uint16
	u32  []uint32
}

// U4 returns the packed nibbles of a U4 column: row r in byte r/2, low nibble first.
func (c Column) U4() []byte { return c.u4 }

// U8 returns the codes of a U8 column.
func (c Column) U8() []uint8 { return c.u8 }

// U16 returns the codes of a U16 column.
func (c Column) U16() []uint16 { return c.u16 }

// U32 returns the codes of a U32 column.
func (c Column) U32() []uint32 { return c.u32 }
