package ptq

import (
	"fmt"
	"strings"
)

// Form is how a file keeps a set of values: in one of the 21 data types, with scales of
// their own, or in blocks of package tensorq, which carry theirs. The numbers are fixed for
// ever; those below 32 are the types'.
type Form uint8

// The forms of blocks. A block never has values of two ranges, as of two trees.
const (
	FormQ4_0  Form = 32 + iota // 4 bits, blocks of 32 filled up with zeros
	FormHot                    // 8 bits, blocks of up to 64, as all that follow
	FormWarm                   // 7 bits
	FormWarm5                  // 5 bits
	FormCold                   // 3 bits
	FormCold2                  // 3 bits, with a second scale in blocks that have outliers
)

var formNames = map[Form]string{
	FormQ4_0: "Q4_0", FormHot: "hot", FormWarm: "warm", FormWarm5: "warm5", FormCold: "cold", FormCold2: "cold2",
}

// tierBits are the widths of the forms that are tiers.
var tierBits = map[Form]int{FormHot: 8, FormWarm: 7, FormWarm5: 5, FormCold: 3, FormCold2: 3}

// FormOf returns the form of a data type.
func FormOf(d DType) Form { return Form(d) }

// Forms returns all forms in the order of their numbers.
func Forms() []Form {
	var forms []Form
	for _, d := range DTypes() {
		forms = append(forms, FormOf(d))
	}
	return append(append(forms, FormQ4_0), Tiers()...)
}

// Tiers returns the forms that are tiers, from the most exact to the smallest.
func Tiers() []Form { return []Form{FormHot, FormWarm, FormWarm5, FormCold, FormCold2} }

// DType returns the form's data type, false for blocks.
func (f Form) DType() (DType, bool) { return DType(f), DType(f).Valid() }

// Valid reports whether f is one of the forms.
func (f Form) Valid() bool { return DType(f).Valid() || formNames[f] != "" }

// Bits is how many bits a value takes, without scales. It panics for a number that is no form.
func (f Form) Bits() int {
	if d, ok := f.DType(); ok {
		return d.Bits()
	}
	if f == FormQ4_0 {
		return 4
	}
	bits, ok := tierBits[f]
	if !ok {
		panic(fmt.Sprintf("ptq: no form has the number %d", uint8(f)))
	}
	return bits
}

// String returns the form's name, as ParseForm reads it.
func (f Form) String() string {
	if d, ok := f.DType(); ok {
		return d.String()
	}
	if name := formNames[f]; name != "" {
		return name
	}
	return fmt.Sprintf("form %d", uint8(f))
}

// FormNames returns the names of forms.
func FormNames(forms []Form) []string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = f.String()
	}
	return names
}

// ParseForm returns the form of a name: that of a data type, Q4_0, or of a tier: hot, warm,
// warm5, cold, cold2; case does not count. Any other word is ErrDType.
func ParseForm(name string) (Form, error) {
	for f, known := range formNames {
		if strings.EqualFold(name, known) {
			return f, nil
		}
	}
	d, err := ParseDType(name)
	return FormOf(d), err
}

// Values is a set of values in some form: what predictions read leaf values from. A Version
// and Blocks are. All methods are safe for concurrent use.
type Values interface {
	// Form is how they are kept.
	Form() Form
	// Len is their number.
	Len() int
	// DecodeRange writes the values first, first + 1, … into dst, as many as it has. It
	// panics if there are not so many.
	DecodeRange(dst []float64, first int)
	// AppendNative appends the codes as a file holds them, NativeBytes of them.
	AppendNative(dst []byte) []byte
	NativeBytes() int64
	// ScaleBytes is what a file needs for scales that lie apart from the codes.
	ScaleBytes() int64
	// Measure compares them with others, by groups.
	Measure(values []float64, groups *Groups) (Errors, error)
}

// Form is the form of the version's data type.
func (v *Version) Form() Form { return FormOf(v.dtype) }
