package compress

// KeepPlaces sets how many bytes the leaves of rows may take that are kept, until it is undone.
func KeepPlaces(bytes int) (undo func()) {
	was := mostPlaces
	mostPlaces = bytes
	return func() { mostPlaces = was }
}
