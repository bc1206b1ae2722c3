package xlsx

import (
	"math"
	"strings"
	"time"
)

// kind is the kind of number that the format of a cell shows.
type kind uint8

const (
	general kind = iota // also of durations, which are days
	date                // with or without a time
	clock               // a time of day
)

// kindOfBuiltin returns the kind of a format that workbooks do not write out (ECMA-376 part 1, 18.8.30).
func kindOfBuiltin(id int) kind {
	switch {
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 36, id >= 50 && id <= 58:
		return date
	case id >= 18 && id <= 21, id == 45, id == 47:
		return clock
	}
	return general
}

// kindOfCode returns the kind of a format by its code, like yyyy\-mm\-dd or [h]:mm.
func kindOfCode(code string) kind {
	var letters strings.Builder // what stands for parts of a date
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';': // what follows is for negative numbers
			i = len(code)
		case '\\', '_', '*':
			i++
		case '"', '[':
			closing := map[byte]byte{'"': '"', '[': ']'}[c]
			end := strings.IndexByte(code[i+1:], closing)
			if end < 0 {
				i = len(code)
				break
			}
			inside := strings.ToLower(code[i+1 : i+1+end])
			if c == '[' && inside != "" && strings.Trim(inside, "hms") == "" {
				return general // a duration
			}
			i += end + 1
		default:
			letters.WriteByte(c | 0x20)
		}
	}
	text := strings.ReplaceAll(strings.ReplaceAll(letters.String(), "am/pm", "h"), "general", "")
	switch {
	case strings.ContainsAny(text, "yd"), strings.Contains(text, "m") && !strings.ContainsAny(text, "hs"):
		return date
	case strings.ContainsAny(text, "hs"):
		return clock
	}
	return general
}

// secondsOf returns a number of days as seconds since 1970-01-01. Excel counts a day 60, 1900-02-29, which did not exist. Times
// are kept to the millisecond, as Excel shows them: a day's fraction is not exact in binary.
func (w *workbook) secondsOf(days float64) float64 {
	const day1970 = 25_569
	switch {
	case w.since904:
		days += 1462
	case days < 60:
		days++
	}
	return math.Round((days-day1970)*86_400_000) / 1000
}

// dateText writes seconds since 1970 as ISO 8601, without a time at midnight.
func dateText(seconds float64) string {
	t := time.UnixMilli(int64(math.Round(seconds * 1000))).UTC()
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999")
}

// clockText writes a part of a day as hh:mm:ss, with the digits of the fraction up to the last that is not 0.
func clockText(days float64) string {
	return time.UnixMilli(int64(math.Round(days * 86_400_000))).UTC().Format("15:04:05.999")
}
