package dataset

import (
	"boost/dataset/internal/chunk"
	"boost/dataset/internal/written"
)

// Values of Parse with which the cells decide on the form.
const (
	ParseAuto   = chunk.ParseAuto     // numbers or dates if all cells have one form; otherwise what they are without it
	ParseNumber = chunk.ParseAsNumber // numbers with a currency, a unit, "%" or separators of thousands
	ParseDate   = chunk.ParseAsDate   // dates such as 12/31/2024 and 31.12.2024
	ParseText   = chunk.ParseText     // text, and nothing is said of it
)

// Parse says by column how numbers or dates are written that are not in plain form. "" stands
// for all columns that are not named. A value is ParseAuto, ParseNumber, ParseDate, ParseText or an
// example such as "1,234.5", "1.234,5 €", "1234.5 kg", "1234.5 %", "mm/dd/yyyy" and "dd/mm/yyyy".
// The schema keeps the form that was found, and tables read with As have the same one.
func Parse(how map[string]string) Option {
	return func(o *chunk.Options) {
		for _, h := range how {
			if err := chunk.CheckParse(h); err != nil && o.Err == nil {
				o.Err = err
			}
		}
		o.Parse = how
	}
}

// CheckParse returns an error about a way of writing that Parse does not know.
func CheckParse(how string) error { return chunk.CheckParse(how) }

// CheckForm returns an error if a text is not a form of a column, as a schema has it.
func CheckForm(form string) error {
	_, err := written.ParseForm(form)
	return err
}
