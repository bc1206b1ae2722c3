package csv

import (
	"bytes"
	"math/bits"
)

// problem says why a stretch of text is no cell.
type problem uint8

const (
	sound      problem = iota
	openQuote          // a quote is opened and never closed
	afterQuote         // text follows the closing quote
)

// CellReader takes records apart as RFC 4180 says, with these liberties: blanks
// around cells and around quotes are no part of cells, a quote inside an unquoted cell is an
// ordinary character, lines end in LF or CRLF.
type CellReader struct {
	Sep     byte
	scratch []byte
	outer   []byte // the latest cell with the blanks around it; of a cell in quotes, its content
}

// blank reports whether c may stand between a separator and a quote.
func (r *CellReader) blank(c byte) bool { return (c == ' ' || c == '\t') && c != r.Sep }

// cell reads the cell that begins at b[i]; b ends in a line feed. It returns the
// cell's content, which is valid until the next call, the index of the separator
// or line feed behind it, and how many line breaks lie inside. After a problem
// other than openQuote, end is where the cell would end without it.
func (r *CellReader) cell(b []byte, i int) (content []byte, end, breaks int, p problem) {
	end = i
	for r.blank(b[end]) {
		end++
	}
	if b[end] == '"' {
		return r.quoted(b, end+1)
	}
	first := end
	for b[end] != r.Sep && b[end] != '\n' {
		end++
	}
	last := end
	if b[end] == '\n' && last > i && b[last-1] == '\r' {
		last--
	}
	r.outer = b[i:last]
	for last > first && r.blank(b[last-1]) {
		last--
	}
	return b[min(first, last):last], end, 0, sound
}

// quoted reads the rest of a cell whose opening quote is b[i-1].
func (r *CellReader) quoted(b []byte, i int) (content []byte, end, breaks int, p problem) {
	start := i
	doubled := false
	for {
		for i < len(b) && b[i] != '"' {
			if b[i] == '\n' {
				breaks++
			}
			i++
		}
		if i == len(b) {
			return nil, len(b) - 1, 0, openQuote
		}
		i++
		if b[i] != '"' {
			break
		}
		doubled = true
		i++
	}
	content = b[start : i-1]
	if doubled || breaks > 0 {
		content = r.plain(content)
	}
	r.outer = content
	for r.blank(b[i]) {
		i++
	}
	if b[i] == '\r' && b[i+1] == '\n' {
		i++
	}
	if b[i] == r.Sep || b[i] == '\n' {
		return content, i, breaks, sound
	}
	for b[i] != r.Sep && b[i] != '\n' {
		i++
	}
	return content, i, breaks, afterQuote
}

// plain resolves doubled quotes and makes every line break a line feed.
func (r *CellReader) plain(quoted []byte) []byte {
	r.scratch = r.scratch[:0]
	for i := 0; i < len(quoted); i++ {
		c := quoted[i]
		if i+1 < len(quoted) && (c == '"' || c == '\r' && quoted[i+1] == '\n') {
			i++
			c = quoted[i]
		}
		r.scratch = append(r.scratch, c)
	}
	return r.scratch
}

// recordEnd returns the index after the line feed that ends the record which
// goes on at b[i], and the line breaks up to there.
func (r *CellReader) recordEnd(b []byte, i int) (end, breaks int) {
	for {
		_, at, inside, _ := r.cell(b, i)
		breaks += inside
		i = at + 1
		if b[at] == '\n' {
			return i, breaks + 1
		}
	}
}

// LastRecordEnd returns the index after the last line feed in b that ends a
// record, 0 if none does. b begins with a record and may end anywhere.
func (r *CellReader) LastRecordEnd(b []byte) int {
	if bytes.IndexByte(b, '"') < 0 {
		return bytes.LastIndexByte(b, '\n') + 1
	}
	last := r.usualRecordEnd(b)
	i := last
	for {
		at := nextQuote(b, i)
		if feed := bytes.LastIndexByte(b[i:at], '\n'); feed >= 0 {
			last = i + feed + 1
		}
		if at == len(b) {
			return last
		}
		i = at + 1
		if !r.opensCell(b, at) {
			continue
		}
		for {
			i = nextQuote(b, i) + 1
			if i > len(b) {
				return last
			}
			if i == len(b) || b[i] != '"' {
				break
			}
			i++
		}
	}
}

// usualRecordEnd goes through b as far as each quote begins a cell, without blanks before
// it, or lies in a cell that one began, 64 bytes at a time. It returns the index after the
// last line feed there that ends a record.
func (r *CellReader) usualRecordEnd(b []byte) (last int) {
	before := uint64(1) // whether the byte before the 64 allows a quote, in the lowest bit
	var inside uint64
	for i := 0; i+64 <= len(b); i += 64 {
		m := maskBytes((*[64]byte)(b[i:]), r.Sep)
		within := parities(m.quotes) ^ inside
		allowed := (m.lines|m.seps|m.quotes)<<1 | before
		if m.quotes&within&^allowed != 0 {
			break
		}
		if ends := m.lines &^ within; ends != 0 {
			last = i + 64 - bits.LeadingZeros64(ends)
		}
		inside = uint64(int64(within) >> 63)
		before = (m.lines | m.seps | m.quotes) >> 63
	}
	return last
}

// nextQuote returns the index of the first quote from b[i] on, or len(b). It looks
// at the next bytes itself, as quotes mostly come close together or not at all.
func nextQuote(b []byte, i int) int {
	for near := min(i+16, len(b)); i < near; i++ {
		if b[i] == '"' {
			return i
		}
	}
	if at := bytes.IndexByte(b[i:], '"'); at >= 0 {
		return i + at
	}
	return len(b)
}

// opensCell reports whether the quote at b[at] is the first character of its cell.
func (r *CellReader) opensCell(b []byte, at int) bool {
	for at > 0 && r.blank(b[at-1]) {
		at--
	}
	return at == 0 || b[at-1] == r.Sep || b[at-1] == '\n'
}
