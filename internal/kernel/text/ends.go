package text

// Ends finds where cells end in the text from text[at] on: it writes the indices of
// separators and line feeds into list, looking at 64 bytes at a time, until 63 or fewer
// elements are left or fewer bytes are, and returns how many it found. Elements behind those
// may hold anything then. It finds none without vector instructions.
func Ends(list []int32, text []byte, at int, sep byte) int { return ends(list, text, at, sep) }
