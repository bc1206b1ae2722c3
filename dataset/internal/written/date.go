package written

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// date is a date of three numbers and a time of day.
type date struct {
	parts     [3]int // as they are written; day, month, year where the month has its name
	yearFirst bool
	named     bool // the month has its name
	short     bool // the year has two digits
	separator byte
	clock     int // seconds after midnight
}

// readDate takes a text apart that may be a date: 12/31/2024, 31.12.2024, 2024/12/31, 3 Jan 2024, January 3, 2024,
// with or without a time such as 13:45, 1:45:10 PM. A year of two digits comes last, and its century is not known.
func readDate(text string) (d date, ok bool) {
	text = trim(text)
	if d, ok := readNamed(text); ok {
		return d, true
	}
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
			if d.short = len(field) == 2; !d.short && len(field) != 4 {
				return d, false
			}
			width = len(field)
		}
		if len(field) > width || !areDigits(field) {
			return d, false
		}
		d.parts[i], _ = strconv.Atoi(field)
	}
	d.clock, ok = readClock(clock)
	return d, ok
}

// readNamed reads a date in which the month has its English name, in full or as three letters.
func readNamed(text string) (d date, ok bool) {
	i := strings.IndexFunc(text, unicode.IsLetter)
	if i < 0 || strings.HasPrefix(text[i:], "T") { // of a time
		return d, false
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,-/.", r) })
	if len(fields) < 3 {
		return d, false
	}
	at := slices.IndexFunc(fields[:2], func(field string) bool { return monthOf(field) > 0 })
	if at < 0 {
		return d, false
	}
	d.named, d.parts[1] = true, monthOf(fields[at])
	day, year := fields[1-at], fields[2]
	if len(day) == 4 {
		day, year = year, day
	}
	if d.short = len(year) == 2; !d.short && len(year) != 4 || len(day) > 2 || !areDigits(day) || !areDigits(year) {
		return d, false
	}
	d.parts[0], _ = strconv.Atoi(day)
	d.parts[2], _ = strconv.Atoi(year)
	d.clock, ok = readClock(strings.Join(fields[3:], " "))
	return d, ok
}

// monthOf returns the number of a month by its name, 0 for another word.
func monthOf(word string) int {
	for month := time.January; month <= time.December; month++ {
		if name := month.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return int(month)
		}
	}
	return 0
}

// IsShortDate reports whether a text is a date with a year of two digits. With points, as version numbers have them,
// day and month have two digits too.
func IsShortDate(text string) bool {
	d, ok := readDate(text)
	if !ok || !d.short || d.separator == '.' && strings.IndexByte(trim(text), '.') != 2 {
		return false
	}
	d.short = false
	return d.named || d.fits(MonthFirst) || d.fits(DayFirst)
}

// NoDay reports whether a text is written like a date, of a day that is in no calendar: 2024-02-30, 9/31/2024.
func NoDay(text string) bool {
	if text = trim(text); len(text) > 10 && text[4] == '-' && text[7] == '-' { // whatever the form of its time
		text = text[:10]
	}
	d, ok := readDate(text)
	if !ok || d.short {
		return false
	}
	for order := MonthFirst; order <= NamedMonth; order++ {
		if _, ok := d.seconds(order); ok {
			return false
		}
	}
	return true
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

// fits reports whether the date may be written in an order. Points stand in dates with the day first. Dates with the
// name of the month, and those of ISO 8601, fit every order.
func (d *date) fits(order Order) bool {
	if d.short || order == NamedMonth && !d.named && !(d.yearFirst && d.separator == '-') {
		return false
	}
	if !d.named && !d.yearFirst && (order == YearFirst || order == MonthFirst && d.separator == '.') {
		return false
	}
	_, ok := d.seconds(order)
	return ok
}

// seconds returns the seconds since 1970 UTC, and false for a day that does not exist.
func (d *date) seconds(order Order) (float64, bool) {
	day, month, year := d.parts[0], d.parts[1], d.parts[2]
	switch {
	case d.named:
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
