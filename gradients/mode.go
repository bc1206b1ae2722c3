package gradients

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Mode is the form in which histograms read gradients.
type Mode uint8

// The modes.
const (
	I16 Mode = iota // 16-bit gradient and hessian codes, requantized every round
	I32             // 32-bit codes: what takes over where an outlier would blind I16
	F32             // the float32 values themselves
	I8              // 8-bit codes, both in one 16-bit word
	I4              // 4-bit codes, both in one byte
)

// modes are in the order in which errors list them.
var modes = []Mode{F32, I32, I16, I8, I4}

// String returns the mode's name in configs.
func (m Mode) String() string { return [...]string{"i16", "i32", "f32", "i8", "i4"}[m] }

// AutoName is the word in configs for a mode that Auto chooses.
const AutoName = "auto"

// Names lists what may be asked for: the modes and AutoName.
func Names() []string {
	var names []string
	for _, m := range modes {
		names = append(names, m.String())
	}
	return append(names, AutoName)
}

// ParseMode returns the mode of a config name; AutoName is not one.
func ParseMode(name string) (Mode, error) {
	for _, m := range modes {
		if name == m.String() {
			return m, nil
		}
	}
	return 0, fmt.Errorf("gradients %q is not known: use one of %s", name, strings.Join(Names(), ", "))
}

// The sizes from which Auto prefers ever fewer bits: rows that do not fit the second
// cache, in which full precision costs nothing, and then the number of rows, over
// which rounding averages out.
const (
	autoRowBytes = 8
	autoI8Rows   = 1_000_000
	autoI4Rows   = 10_000_000
)

// Auto returns the mode for so many rows and outputs on a processor with a second cache
// of l2 bytes, and why.
func Auto(rows, outputs, l2 int) (Mode, string) {
	bytes := int64(rows) * int64(outputs) * autoRowBytes
	switch {
	case bytes < int64(l2):
		return F32, fmt.Sprintf("%d bytes of gradients fit the second cache of %d", bytes, l2)
	case rows > autoI4Rows:
		return I4, fmt.Sprintf("%d rows are more than %d", rows, autoI4Rows)
	case rows > autoI8Rows:
		return I8, fmt.Sprintf("%d rows are more than %d", rows, autoI8Rows)
	}
	return F32, fmt.Sprintf("%d rows are no more than %d", rows, autoI8Rows)
}

// Became returns the name of a mode as it was asked for, with what that is where it was to be chosen.
func Became(asked string, m Mode) string {
	if asked != m.String() {
		return fmt.Sprintf("%q, which is %q here,", asked, m)
	}
	return strconv.Quote(asked)
}

// limits are the largest codes of an integer mode. Gradients are signed and symmetric,
// hessians unsigned.
type limits struct {
	grad, hess int64
}

func (m Mode) limits() limits {
	switch m {
	case I32:
		return limits{math.MaxInt32, math.MaxUint32}
	case I8:
		return limits{math.MaxInt8, math.MaxUint8}
	case I4:
		return limits{7, 15}
	}
	return limits{math.MaxInt16, math.MaxUint16}
}

// MaxHessCode returns the largest hessian code of an integer mode.
func (m Mode) MaxHessCode() uint64 { return uint64(m.limits().hess) }

// BytesPerRow returns the memory of a row's gradient and hessian in a Storage. F32 has
// none of its own: it reads the Buffer, of 8 bytes.
func (m Mode) BytesPerRow() int64 {
	return [...]int64{I16: 4, I32: 8, F32: 0, I8: 2, I4: 1}[m]
}

// Coarse reports whether a mode has so few codes that rounding is stochastic and leaf values
// are renewed unless asked otherwise.
func (m Mode) Coarse() bool { return m == I8 || m == I4 }

// Rounding is how a value between two codes becomes one of them.
type Rounding uint8

// The ways of rounding.
const (
	Nearest    Rounding = iota // half away from zero
	Stochastic                 // up or down by a draw, so that the mean is right
)

// String returns the rounding's name in configs.
func (r Rounding) String() string { return [...]string{"nearest", "stochastic"}[r] }

// ParseRounding returns the rounding of a config name: "auto" (or "") is stochastic for
// coarse modes.
func ParseRounding(name string, m Mode) (Rounding, error) {
	switch name {
	case "", AutoName:
		if m.Coarse() {
			return Stochastic, nil
		}
		return Nearest, nil
	case Nearest.String():
		return Nearest, nil
	case Stochastic.String():
		return Stochastic, nil
	}
	return 0, fmt.Errorf("rounding %q is not known: use auto, nearest or stochastic", name)
}
