package write

import "strconv"

// ResolveWhole finds out which columns of texts are whole numbers in all tables, which have the same columns.
func ResolveWhole(tables []Table) {
	for i := range tables[0].Columns {
		var kind WholeNumbers
		for _, t := range tables {
			kind.See(t.Columns[i].Texts...)
		}
		for _, t := range tables {
			if t.Columns[i].Texts != nil {
				t.Columns[i].Whole = kind.Hold()
			}
		}
	}
}

// AllWhole reports whether every text is the usual form of a whole number in 64 bits, or
// empty, and not all are empty.
func AllWhole(texts []string) bool {
	var kind WholeNumbers
	kind.See(texts...)
	return kind.Hold()
}

// WholeNumbers finds out whether texts are whole numbers.
type WholeNumbers struct {
	Odd  bool // one is neither empty nor the usual form of a whole number in 64 bits
	some bool // one is such a number
}

// Hold reports whether all texts so far are whole numbers or empty, and not all are empty.
func (k *WholeNumbers) Hold() bool { return k.some && !k.Odd }

// See looks at some texts.
func (k *WholeNumbers) See(texts ...string) {
	for _, text := range texts {
		if text == "" || k.Odd {
			continue
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || strconv.FormatInt(v, 10) != text {
			k.Odd = true
			continue
		}
		k.some = true
	}
}

// Add takes in what others found out.
func (k *WholeNumbers) Add(others WholeNumbers) {
	k.Odd, k.some = k.Odd || others.Odd, k.some || others.some
}
