package compress

import (
	"fmt"
	"strconv"
	"strings"

	"boost/booster/model"
	"boost/ptq"
)

// Format is a form and how its scales are chosen.
type Format struct {
	Form        ptq.Form
	Calibration Calibration
}

// String names the format, as "I4 absmax per tree".
func (f Format) String() string {
	text := f.Form.String()
	if _, typed := f.Form.DType(); !typed {
		return text
	}
	switch f.Calibration.Method {
	case ptq.Default:
	case ptq.Given:
		text += " in steps of " + threeDigits(f.Calibration.Scale)
	default:
		text += " " + f.Calibration.Method.String()
	}
	if f.Calibration.By != ByModel {
		text += " per " + f.Calibration.By.String()
	}
	return text
}

// ordered adds to an error about leaves out of order how they keep it: without feedback if errors were pushed forward, and with other
// scales if those of the format do not.
func (f Format) ordered(err error, feedback, scales bool) error {
	var advice []string
	if feedback {
		advice = append(advice, "leave error feedback out")
	}
	if _, typed := f.Form.DType(); scales && typed {
		advice = append(advice, "let all leaves of a tree share a scale (by tree, output or model)")
	} else if scales {
		advice = append(advice, "store them in a form that has one scale for each tree or more, such as I16")
	}
	return fmt.Errorf("%w: %s", err, strings.Join(advice, ", and "))
}

// threeDigits writes a positive number with three significant digits.
func threeDigits(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if v >= 1000 && v < 1e9 { // without an exponent
		rounded, _ := strconv.ParseFloat(text, 64)
		return strconv.FormatFloat(rounded, 'f', 0, 64)
	}
	return text
}

// Formats are what a search tries if it is not told: from the smallest to the most exact.
// Whole numbers with one scale for the model, of which the file packs the small ones in few
// bits, come in steps: the largest leaf is so many of them.
func Formats(m *model.Model) []Format {
	formats := []Format{
		{Form: ptq.FormCold}, {Form: ptq.FormCold2}, {Form: ptq.FormQ4_0},
		{Form: ptq.FormWarm5}, {Form: ptq.FormWarm}, {Form: ptq.FormHot},
		{Form: ptq.FormOf(ptq.I16)}, {Form: ptq.FormOf(ptq.F32)},
	}
	if most := largest(m.Leaves()); most > 0 {
		for _, steps := range []float64{7, 11, 15, 22, 31, 45, 63, 90, 127, 181, 255, 362, 511, 1023, 2047, 4095} {
			if scale := most / steps; scale > 0 {
				formats = append(formats, Format{ptq.FormOf(ptq.I16), Calibration{Method: ptq.Given, Scale: scale, By: ByModel}})
			}
		}
	}
	return formats
}
