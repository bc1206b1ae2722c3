package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// count writes a whole number with commas.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted writes a number of things: "1 row", "1,200 rows".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// metricText writes a metric with six digits, "undefined" where it has no value.
func metricText(v float64) string {
	if math.IsNaN(v) {
		return "undefined"
	}
	return sixDigits(v)
}

// sixDigits writes a number with six digits.
func sixDigits(v float64) string { return significant(v, 6) }

// significant writes a number with so many digits, more where whole numbers have more,
// without an exponent where people can do without one.
func significant(v float64, digits int) string {
	size := math.Abs(v)
	if size != 0 && (size < 1e-4 || size >= 1e12) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	decimals := digits
	for ; size >= 1 && decimals > 0; size /= 10 {
		decimals--
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// bytesText writes a size in the unit that fits.
func bytesText(n int64) string {
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

// secondsText writes a duration with three digits.
func secondsText(s float64) string {
	switch {
	case s >= 90:
		return time.Duration(s * 1e9).Round(time.Second).String()
	case s >= 1:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.3g ms", s*1000)
}

// writeTable writes cells in columns two spaces apart; align holds 'l' or 'r' for
// each column.
func writeTable(w io.Writer, rows [][]string, align string) error {
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

// printable keeps control characters that a table brings along from the terminal, line
// breaks excepted.
func printable(s string) string {
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

// oneLine keeps control characters of a name from the terminal.
func oneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
		return strconv.Quote(s)
	}
	return s
}
