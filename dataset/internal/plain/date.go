package plain

import "time"

// ParseDate reads an ISO-8601 date or time stamp in the extended form,
//
//	YYYY-MM-DD[(T| )hh:mm[:ss[(.|,)fraction]][Z|(+|-)hh[[:]mm]]]
//
// as seconds since 1970-01-01 00:00 UTC. Without a zone the time is UTC.
func ParseDate(cell []byte) (seconds float64, ok bool) {
	if len(cell) < 10 || cell[4] != '-' || cell[7] != '-' {
		return 0, false
	}
	year, ok1 := digitsOf(cell[0:4])
	month, ok2 := digitsOf(cell[5:7])
	day, ok3 := digitsOf(cell[8:10])
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || day < 1 {
		return 0, false
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Day() != day { // 30 February became March
		return 0, false
	}
	if len(cell) == 10 {
		return float64(date.Unix()), true
	}
	if cell[10] != 'T' && cell[10] != ' ' {
		return 0, false
	}
	clock, fraction, ok := parseClock(cell[11:])
	if !ok {
		return 0, false
	}
	return float64(date.Unix()+int64(clock)) + fraction, true
}

// parseClock reads hh:mm[:ss[.fraction]][zone] as seconds after midnight UTC.
func parseClock(b []byte) (seconds int, fraction float64, ok bool) {
	if len(b) < 5 || b[2] != ':' {
		return 0, 0, false
	}
	hour, ok1 := digitsOf(b[0:2])
	minute, ok2 := digitsOf(b[3:5])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return 0, 0, false
	}
	seconds = hour*3600 + minute*60
	b = b[5:]
	if len(b) >= 3 && b[0] == ':' {
		second, ok := digitsOf(b[1:3])
		if !ok || second > 59 {
			return 0, 0, false
		}
		seconds += second
		b = b[3:]
		if len(b) > 0 && (b[0] == '.' || b[0] == ',') {
			end := 1
			for end < len(b) && b[end]-'0' <= 9 {
				end++
			}
			if end == 1 {
				return 0, 0, false
			}
			text := append([]byte("0."), b[1:end]...)
			fraction, _ = decimal(text, 0, '.')
			b = b[end:]
		}
	}
	offset, ok := parseZone(b)
	return seconds - offset, fraction, ok
}

// parseZone reads "", Z, ±hh, ±hhmm or ±hh:mm as seconds east of UTC.
func parseZone(b []byte) (seconds int, ok bool) {
	if len(b) == 0 || len(b) == 1 && b[0] == 'Z' {
		return 0, true
	}
	sign := 1
	switch b[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, false
	}
	b = b[1:]
	if len(b) == 5 && b[2] == ':' {
		b = append(append([]byte(nil), b[:2]...), b[3:]...)
	}
	if len(b) != 2 && len(b) != 4 {
		return 0, false
	}
	hour, ok := digitsOf(b[:2])
	minute := 0
	if ok && len(b) == 4 {
		minute, ok = digitsOf(b[2:])
	}
	if !ok || hour > 23 || minute > 59 {
		return 0, false
	}
	return sign * (hour*3600 + minute*60), true
}

// digitsOf reads a run of decimal digits.
func digitsOf(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
