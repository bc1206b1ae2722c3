package written

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form is how the cells of a column of numbers or dates are written.
type Form struct {
	Date    Order  // NoDate for numbers
	Group   byte   // between thousands: ',', '.', ' ' or '\''; 0 for nothing
	Decimal byte   // '.' or ','; 0 for whole numbers without any mark
	Affix   string // a currency, a unit or "%", before or behind the number; "" for nothing
}

// Order is the order of the parts of a date.
type Order uint8

// The orders of dates.
const (
	NoDate Order = iota
	MonthFirst
	DayFirst
	YearFirst
	NamedMonth // the name of the month tells the parts apart
)

var orderTexts = [...]string{NoDate: "", MonthFirst: "mm/dd/yyyy", DayFirst: "dd/mm/yyyy", YearFirst: "yyyy/mm/dd", NamedMonth: "dd mon yyyy"}

// The marks in which a number may be written: what separates thousands, and the decimal mark.
var marks = [...]struct {
	group, decimal byte
	text           string // an example: 1234.5
}{
	{0, '.', "1234.5"}, {0, ',', "1234,5"}, {',', '.', "1,234.5"}, {'.', ',', "1.234,5"},
	{' ', '.', "1 234.5"}, {' ', ',', "1 234,5"}, {'\'', '.', "1'234.5"}, {'\'', ',', "1'234,5"}, {0, 0, "1234"},
}

// Places in marks.
const (
	plainPoint, plainComma, englishMarks, europeanMarks = 0, 1, 2, 3
	noMarks                                             = len(marks) - 1
)

// String writes the form as an example: "1,234.5", "1.234,5 €", "1234.5 kg", "dd/mm/yyyy".
// ParseForm reads it.
func (f Form) String() string {
	if f.Date != NoDate {
		return orderTexts[f.Date]
	}
	text := ""
	for _, m := range marks {
		if m.group == f.Group && m.decimal == f.Decimal {
			text = m.text
		}
	}
	if f.Affix != "" {
		text += " " + f.Affix
	}
	return text
}

// ParseForm reads what String writes. It also takes a currency in front.
func ParseForm(text string) (Form, error) {
	if i := slices.Index(orderTexts[:], text); i > 0 {
		return Form{Date: Order(i)}, nil
	}
	number, affix := cutAffix(text)
	for _, m := range marks {
		if m.text == number && (affix == "" || isAffix(affix)) {
			return Form{Group: m.group, Decimal: m.decimal, Affix: affix}, nil
		}
	}
	return Form{}, fmt.Errorf("%q is no way to write numbers; examples are \"1,234.5\", \"1.234,5 €\", \"1234.5 kg\", \"1234.5 %%\" and \"dd/mm/yyyy\"", text)
}

// Plain is the form of numbers with a decimal point and nothing else.
var Plain = Form{Decimal: '.'}

// IsDate reports whether it is a form of dates.
func (f Form) IsDate() bool { return f.Date != NoDate }

// Bare reports whether a number without the affix has the form too. It has if the affix is a currency.
func (f Form) Bare() bool { return f.Date == NoDate && (f.Affix == "" || isCurrency(f.Affix)) }

// Parse reads a text that is written in the form. Dates are seconds since 1970 UTC; dates of
// ISO 8601 with the year first belong to every form of dates.
func (f Form) Parse(text string) (float64, bool) {
	if f.Date != NoDate {
		d, ok := readDate(text)
		if !ok || !d.fits(f.Date) {
			return 0, false
		}
		return d.seconds(f.Date)
	}
	n, ok := readNumber(text)
	if !ok || n.affix != f.Affix && (n.affix != "" || !f.Bare()) {
		return 0, false
	}
	return n.value(f.Group, f.Decimal)
}

// number is a number with what is written around its digits.
type number struct {
	negative bool
	body     string // digits and marks
	affix    string
}

// readNumber splits a text into sign, affix, and the digits with their marks.
func readNumber(text string) (n number, ok bool) {
	text = trim(text)
	if inner, found := strings.CutPrefix(text, "("); found { // accountants write −12 as (12)
		if text, found = strings.CutSuffix(inner, ")"); !found {
			return number{}, false
		}
		n.negative = true
	}
	signed := n.negative
	sign := func() bool {
		rest, minus := strings.CutPrefix(text, "-")
		if !minus {
			rest, minus = strings.CutPrefix(text, "−")
		}
		plus := false
		if !minus {
			rest, plus = strings.CutPrefix(text, "+")
		}
		if minus || plus {
			if signed {
				return false
			}
			signed, n.negative, text = true, minus, trim(rest)
		}
		return true
	}
	if !sign() {
		return number{}, false
	}
	text, n.affix = cutAffix(text)
	if !sign() || n.affix != "" && !isAffix(n.affix) {
		return number{}, false
	}
	n.body = text
	return n, n.body != "" && strings.IndexFunc(n.body, isDigit) >= 0
}

// cutAffix cuts off what stands before or behind the digits of a text.
func cutAffix(text string) (rest, affix string) {
	first := strings.IndexFunc(text, func(r rune) bool { return isDigit(r) || r == '-' || r == '+' || r == '−' || r == '.' || r == ',' })
	last := strings.LastIndexFunc(text, isDigit)
	if first < 0 || last < first {
		return "", text
	}
	before, behind := trim(text[:first]), trim(text[last+1:])
	switch {
	case before == "":
		return text[first : last+1], behind
	case behind == "" && isCurrency(before): // a unit or "%" in front is something else
		return text[first : last+1], before
	}
	return "", text
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// trim cuts off blanks, also those that do not break lines.
func trim(text string) string { return strings.TrimFunc(text, unicode.IsSpace) }

// currencies are signs and codes of money; commaCurrencies are those of countries in which a comma
// separates thousands and never decimals.
var (
	commaCurrencies = []string{"$", "£", "¥", "₹", "US$", "C$", "A$", "USD", "GBP", "JPY", "INR", "CNY", "CAD", "AUD", "HKD", "NZD", "MXN"}
	currencies      = append([]string{"€", "₽", "₩", "₺", "₪", "฿", "R$", "kr", "kr.", "zł", "Kč", "Ft", "Fr.", "EUR", "CHF", "SEK", "NOK", "DKK", "PLN",
		"CZK", "HUF", "RUB", "TRY", "BRL", "KRW", "ZAR", "ILS", "THB", "SGD"}, commaCurrencies...)
)

func isCurrency(affix string) bool { return slices.Contains(currencies, affix) }

// longestUnit is the most characters of a unit, such as "sq ft" or "km/h".
const longestUnit = 12

// isAffix reports whether a text can stand beside a number: a currency, "%", or a unit, which begins with a
// letter or a degree sign and has no digits.
func isAffix(affix string) bool {
	if affix == "%" || isCurrency(affix) {
		return true
	}
	if utf8.RuneCountInString(affix) > longestUnit {
		return false
	}
	for i, r := range affix {
		if !unicode.IsLetter(r) && r != '°' && (i == 0 || !strings.ContainsRune("/ ²³.·%", r)) {
			return false
		}
	}
	return true
}
