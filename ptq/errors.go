package ptq

import "fmt"

// ErrNotFinite names the first value that is NaN or infinite.
type ErrNotFinite struct {
	Index int
	Value float64
}

func (e ErrNotFinite) Error() string {
	return fmt.Sprintf("ptq: value %d is %v: only finite numbers have versions", e.Index, e.Value)
}

// ErrOverflow names the first value that a type or its scale cannot hold.
type ErrOverflow struct {
	Form  Form
	Index int
	Value float64
}

func (e ErrOverflow) Error() string {
	return fmt.Sprintf("ptq: value %d is %v, beyond what %s holds: choose a type of a wider range or one with a scale", e.Index, e.Value, e.Form)
}

// ErrCalibration refuses a calibration that a type or the values do not admit.
type ErrCalibration struct{ Text string }

func (e ErrCalibration) Error() string { return "ptq: calibration: " + e.Text }

// ErrGroups refuses ranges that do not divide the values, or weights that are none.
type ErrGroups struct{ Text string }

func (e ErrGroups) Error() string { return "ptq: " + e.Text }

// ErrCode names the first stored code that no version of its type has.
type ErrCode struct {
	DType DType
	Index int
	Code  uint64 // the stored bits, in the low end
}

func (e ErrCode) Error() string {
	return fmt.Sprintf("ptq: value %d has the code %#x, which no %s value has: the bytes are damaged or of another type", e.Index, e.Code, e.DType)
}

// ErrNative refuses stored codes, scales or offsets that do not fit together.
type ErrNative struct{ Text string }

func (e ErrNative) Error() string { return "ptq: stored version: " + e.Text }
