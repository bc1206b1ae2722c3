package dataset

// ChunkSize sets the bytes of text that are parsed at a time.
func ChunkSize(n int) Option { return func(o *options) { o.chunkSize = n } }

var (
	ParseNumber = parseNumber
	ParseDate   = parseDate
)

// LastRecordEnd is where the last whole record of text ends.
func LastRecordEnd(text []byte, sep byte) int {
	return (&cellReader{sep: sep}).lastRecordEnd(text)
}
