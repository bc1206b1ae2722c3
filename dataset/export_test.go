package dataset

var (
	ParseNumber = parseNumber
	ParseDate   = parseDate
)

// LastRecordEnd is where the last whole record of text ends.
func LastRecordEnd(text []byte, sep byte) int {
	return (&cellReader{sep: sep}).lastRecordEnd(text)
}
