package format

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Count writes a whole number with commas.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted writes a number of things: "1 row", "1,200 rows".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Metric writes a metric with six digits, "undefined" where it has no value.
func Metric(v float64) string {
	if math.IsNaN(v) {
		return "undefined"
	}
	return SixDigits(v)
}

// People writes a number with four digits, or all of its whole part with commas; one below 1e-9 is 0.
func People(v float64) string {
	if math.IsNaN(v) {
		return "undefined"
	}
	if math.Abs(v) < 1e-9 { // what rounding leaves of 0
		return "0"
	}
	if math.Abs(v) < 999.95 || math.Abs(v) >= 1e12 {
		return Significant(v, 4)
	}
	return Count(int(math.Round(v)))
}

// SixDigits writes a number with six digits.
func SixDigits(v float64) string { return Significant(v, 6) }

// Significant writes a number with so many significant digits, more where whole numbers have more,
// without an exponent where people can do without one.
func Significant(v float64, digits int) string {
	size := math.Abs(v)
	if size != 0 && (size < 1e-4 || size >= 1e12) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	decimals := digits
	for ; size >= 1 && decimals > 0; size /= 10 {
		decimals--
	}
	for ; size != 0 && size < 0.1; size *= 10 { // zeros behind the point are no digits
		decimals++
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Bytes writes a size in the unit that fits.
func Bytes(n int64) string {
	const units = "KMGT"
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	v := float64(n)
	for i := range len(units) {
		v /= 1000
		if v < 999.5 || i == len(units)-1 {
			return fmt.Sprintf("%.3g %cB", v, units[i])
		}
	}
	return ""
}

// Seconds writes a duration with three digits.
func Seconds(s float64) string {
	switch {
	case s >= 90:
		return time.Duration(s * 1e9).Round(time.Second).String()
	case s >= 1:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.3g ms", s*1000)
}

// Table writes cells in columns two spaces apart; align holds 'l' or 'r' for
// each column.
func Table(w io.Writer, rows [][]string, align string) error {
	width := make([]int, len(align))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line += "  "
			}
			if align[i] == 'r' {
				line += pad + cell
			} else {
				line += cell + pad
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Printable keeps control characters that a table brings along from the terminal, line
// breaks excepted.
func Printable(s string) string {
	control := func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 }
	if !strings.ContainsFunc(s, control) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if control(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// OneLine keeps control characters of a name from the terminal.
func OneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
		return strconv.Quote(s)
	}
	return s
}

// Percent words a share, never as 0 % where there is something.
func Percent(part, whole int) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	if p < 0.1 {
		return "< 0.1 %"
	}
	return strconv.FormatFloat(math.Floor(p*10)/10, 'f', 1, 64) + " %"
}

// Shorten cuts a text to a number of characters.
func Shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return strings.TrimRight(string(r[:max(most-1, 0)]), " ") + "…"
}

// ShortName cuts the middle out of a long name, since names often differ at their end.
func ShortName(name string, most int) string {
	r := []rune(OneLine(name))
	if len(r) <= most {
		return string(r)
	}
	end := (most - 1) / 2
	return string(r[:most-1-end]) + "…" + string(r[len(r)-end:])
}

// WholePercent words a share, all and nothing only where they are meant.
func WholePercent(share float64) string {
	switch {
	case share > 0 && share < 0.01:
		return "< 1 %"
	case share > 0.99 && share < 1:
		return "> 99 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// Share writes a share with its sign, never as 0 where there is something; one of 0 has no bound.
func Share(share float64) string {
	switch {
	case math.IsNaN(share):
		return "unknown"
	case math.IsInf(share, 0):
		return "no bound" // a share of 0
	case share != 0 && math.Abs(share) < 5e-6:
		return fmt.Sprintf("%+.1g %%", 100*share)
	}
	return fmt.Sprintf("%+.3f %%", 100*share)
}

// Finite is null for a value that JSON has no number for.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// JSON writes v indented, with a line's end.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// Cosine writes a cosine with six decimals, more where they would all be nines.
func Cosine(c float64) string {
	switch {
	case math.IsNaN(c):
		return "undefined"
	case c == 1:
		return "1"
	case c > 0.999999:
		return fmt.Sprintf("1 - %.3g", 1-c)
	}
	return fmt.Sprintf("%.6f", c)
}

// Pasted is a word of a command line as a shell reads it.
func Pasted(word string) string {
	if word != "" && word[0] != '=' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+@%=,-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
