package written

import (
	"strconv"
	"strings"
	"time"
)

// date is a date of three numbers and a time of day.
type date struct {
	parts     [3]int // as they are written
	yearFirst bool
	separator byte
	clock     int // seconds after midnight
}

// readDate takes a text apart that may be a date with a year of four digits: 12/31/2024, 31.12.2024,
// 2024/12/31, with or without a time such as 13:45, 1:45:10 PM.
func readDate(text string) (d date, ok bool) {
	text = trim(text)
	day, clock := text, ""
	if i := strings.IndexAny(text, " T,"); i >= 0 {
		day, clock = text[:i], strings.Trim(text[i:], " T,")
	}
	i := strings.IndexAny(day, "/.-")
	if i < 0 {
		return d, false
	}
	d.separator = day[i]
	fields := strings.Split(day, string(d.separator))
	if len(fields) != 3 {
		return d, false
	}
	d.yearFirst = len(fields[0]) == 4
	for i, field := range fields {
		width := 2
		if i == 0 && d.yearFirst || i == 2 && !d.yearFirst {
			if width = 4; len(field) != 4 {
				return d, false
			}
		}
		if len(field) > width || !areDigits(field) {
			return d, false
		}
		d.parts[i], _ = strconv.Atoi(field)
	}
	d.clock, ok = readClock(clock)
	return d, ok
}

// readClock reads a time of day, of 24 hours or with AM and PM; nothing is midnight.
func readClock(text string) (seconds int, ok bool) {
	if text == "" {
		return 0, true
	}
	upper := strings.ToUpper(text)
	digits, pm := strings.CutSuffix(upper, "PM")
	digits, am := strings.CutSuffix(digits, "AM")
	fields := strings.Split(strings.TrimSpace(digits), ":")
	if len(fields) < 2 || len(fields) > 3 {
		return 0, false
	}
	var parts [3]int
	for i, field := range fields {
		if len(field) > 2 || i > 0 && len(field) != 2 || !areDigits(field) {
			return 0, false
		}
		parts[i], _ = strconv.Atoi(field)
	}
	hour := parts[0]
	switch {
	case (am || pm) && (hour < 1 || hour > 12), hour > 23, parts[1] > 59, parts[2] > 59:
		return 0, false
	case am || pm:
		hour %= 12
		if pm {
			hour += 12
		}
	}
	return hour*3600 + parts[1]*60 + parts[2], true
}

// fits reports whether the date may be written in an order. Points stand in dates with the day first.
func (d *date) fits(order Order) bool {
	if !d.yearFirst && (order == YearFirst || order == MonthFirst && d.separator == '.') {
		return false
	}
	_, ok := d.seconds(order)
	return ok
}

// seconds returns the seconds since 1970 UTC, and false for a day that does not exist.
func (d *date) seconds(order Order) (float64, bool) {
	day, month, year := d.parts[0], d.parts[1], d.parts[2]
	switch {
	case d.yearFirst:
		year, month, day = d.parts[0], d.parts[1], d.parts[2]
	case order == MonthFirst:
		month, day = d.parts[0], d.parts[1]
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, d.clock, 0, time.UTC)
	if t.Day() != day {
		return 0, false
	}
	return float64(t.Unix()), true
}
