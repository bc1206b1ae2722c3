package dataset

// ChunkRows sets the most rows of a chunk, for formats that can choose.
func ChunkRows(n int) Option { return func(o *options) { o.chunkRows = n } }

var (
	ParseNumber = parseNumber
	ParseDate   = parseDate
)

// LastRecordEnd is where the last whole record of text ends.
func LastRecordEnd(text []byte, sep byte) int {
	return (&cellReader{sep: sep}).lastRecordEnd(text)
}

// DictionaryCodes numbers cells, none of which is missing.
func DictionaryCodes(cells []string) []int32 {
	d := newDictionary()
	codes := make([]int32, len(cells))
	for i, cell := range cells {
		codes[i] = d.code([]byte(cell), &options{})
	}
	return codes
}
