package ptq

import (
	"fmt"
	"strings"

	"boost/internal/near"
)

// DType is how one value is stored (S4.4). The numbers are fixed for ever: files
// hold them.
type DType uint8

// The data types. Of the integers, I… are signed and symmetric about 0, U… unsigned and
// affine: their code 0 stands for the smallest value.
const (
	F64     DType = iota // IEEE 754 binary64
	F32                  // IEEE 754 binary32
	F16                  // IEEE 754 binary16: 5 bits of exponent, 10 of fraction
	BF16                 // bfloat16: 8 bits of exponent, 7 of fraction
	FP8E4M3              // 4 bits of exponent, 3 of fraction; largest 448, no infinities
	FP8E5M2              // 5 bits of exponent, 2 of fraction; largest 57,344
	I64                  // whole numbers within ±2⁵³, the last that float64 tells apart
	I32
	I16
	I8
	U64 // whole numbers of 0 … 2⁵³
	U32
	U16
	U8
	I4
	U4
	FP4 // E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives
	I2
	U2
	Ternary // −1, 0, 1
	Binary  // −1, 1
)

// kind says how the values of a type are made from its codes.
type kind uint8

const (
	float  kind = iota // a value is stored as it is, rounded
	scaled             // a floating-point number of few bits, times a scale
	signed             // a whole number times a scale
	affine             // a whole number times a scale, plus an offset
	signs              // −1 or 1, times a scale
)

// traits are what differs between types. Where there is a scale, it is by default the
// largest magnitude over largest, and codes stay within lowest … highest.
type traits struct {
	name, seed string // seed is the name in the document that the types come from
	bits       int
	kind       kind
	lowest     float64
	highest    float64
	largest    float64
	format     *minifloat // of floating-point types that Go lacks
}

var types = [...]traits{
	F64:     {name: "F64", seed: "Float64", bits: 64, kind: float},
	F32:     {name: "F32", seed: "Float32", bits: 32, kind: float},
	F16:     {name: "F16", seed: "Float16", bits: 16, kind: float, format: &f16},
	BF16:    {name: "BF16", seed: "BFloat16", bits: 16, kind: float, format: &bf16},
	FP8E4M3: {name: "FP8E4M3", seed: "FP8E4M3", bits: 8, kind: scaled, lowest: -448, highest: 448, largest: 448, format: &e4m3},
	FP8E5M2: {name: "FP8E5M2", seed: "FP8E5M2", bits: 8, kind: scaled, lowest: -57344, highest: 57344, largest: 57344, format: &e5m2},
	I64:     {name: "I64", seed: "Int64", bits: 64, kind: signed, lowest: -1 << 53, highest: 1 << 53, largest: 1 << 53},
	I32:     {name: "I32", seed: "Int32", bits: 32, kind: signed, lowest: -1 << 31, highest: 1<<31 - 1, largest: 1<<31 - 1},
	I16:     {name: "I16", seed: "Int16", bits: 16, kind: signed, lowest: -1 << 15, highest: 1<<15 - 1, largest: 1<<15 - 1},
	I8:      {name: "I8", seed: "Int8", bits: 8, kind: signed, lowest: -128, highest: 127, largest: 127},
	U64:     {name: "U64", seed: "Uint64", bits: 64, kind: affine, highest: 1 << 53, largest: 1 << 53},
	U32:     {name: "U32", seed: "Uint32", bits: 32, kind: affine, highest: 1<<32 - 1, largest: 1<<32 - 1},
	U16:     {name: "U16", seed: "Uint16", bits: 16, kind: affine, highest: 1<<16 - 1, largest: 1<<16 - 1},
	U8:      {name: "U8", seed: "Uint8", bits: 8, kind: affine, highest: 255, largest: 255},
	I4:      {name: "I4", seed: "Int4", bits: 4, kind: signed, lowest: -8, highest: 7, largest: 7},
	U4:      {name: "U4", seed: "Uint4", bits: 4, kind: affine, highest: 15, largest: 15},
	FP4:     {name: "FP4", seed: "FP4", bits: 4, kind: scaled, lowest: -6, highest: 6, largest: 6, format: &e2m1},
	I2:      {name: "I2", seed: "Int2", bits: 2, kind: signed, lowest: -2, highest: 1, largest: 1},
	U2:      {name: "U2", seed: "Uint2", bits: 2, kind: affine, highest: 3, largest: 3},
	Ternary: {name: "Ternary", seed: "Ternary", bits: 2, kind: signed, lowest: -1, highest: 1, largest: 1},
	Binary:  {name: "Binary", seed: "Int1", bits: 1, kind: signs, lowest: -1, highest: 1, largest: 1},
}

// DTypes returns all types in the order of their numbers.
func DTypes() []DType {
	all := make([]DType, len(types))
	for i := range all {
		all[i] = DType(i)
	}
	return all
}

// Valid reports whether d is one of the types.
func (d DType) Valid() bool { return int(d) < len(types) }

// String returns the type's name, as ParseDType reads it.
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return types[d].name
}

// Bits is how many bits a stored value takes, without scales. It panics for a number that
// is no type.
func (d DType) Bits() int { return types[d].bits }

// Unsigned reports whether the type is affine, so that its versions have offsets.
func (d DType) Unsigned() bool { return types[d].kind == affine }

// ErrDType refuses a word or a number that is no data type.
type ErrDType struct{ Text string }

func (e ErrDType) Error() string { return "ptq: " + e.Text }

// ParseDType returns the type of a name: F64, BF16, I8, …, or Float64, BFloat16, Int8, …;
// case does not count. Any other word is ErrDType.
func ParseDType(name string) (DType, error) {
	known := make([]string, len(types))
	for i := range types {
		if strings.EqualFold(name, types[i].name) || strings.EqualFold(name, types[i].seed) {
			return DType(i), nil
		}
		known[i] = types[i].name
	}
	return 0, ErrDType{fmt.Sprintf("%q is no data type%s: there are %s", name, near.Question(near.Words(name, known)), strings.Join(known, ", "))}
}

func (d DType) check() error {
	if !d.Valid() {
		return ErrDType{fmt.Sprintf("there is no data type %d: they are 0 to %d", uint8(d), len(types)-1)}
	}
	return nil
}

// StorageBytes is how many bytes n values take in a file, without scales (S4.5):
// ⌈n·bits/8⌉, for n from 0 to 2⁵⁹.
func StorageBytes(d DType, n int64) int64 {
	bits := int64(d.Bits())
	return n/8*bits + (n%8*bits+7)/8
}
