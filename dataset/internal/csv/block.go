package csv

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"boost/dataset/internal/chunk"
	"boost/internal/kernel/text"
)

// blockCells is about how many cells of text are located before they are read.
const blockCells = 2048

// cellBlock holds where the cells of some records end. Records are taken apart in two
// steps: first all separators and line feeds of a block are found, many bytes at a time,
// then the cells are read column by column. So no cell waits for the end of the one
// before it, and what depends on the column alone is done once a block.
//
//	b     a , b c , " d , e " \n f …
//	ends  ↑ ↑     ↑           ↑        of three columns; the first stands before b[i]
//
// A block takes the usual forms of records only: as many cells as columns, quotes around
// whole cells or none, no quotes and no line breaks within. It refuses others as a whole.
type cellBlock struct {
	ends [1 + blockCells + 64]int32
	// wait is the number of records to read one by one after a block was refused, penalty
	// what it becomes the next time.
	wait, penalty int

	batch wordBatch
}

// mostPenalty bounds how many records are read one by one after a refusal.
const mostPenalty = 4096

// block reads records from b[i] on into the sinks and returns the index behind them, or i
// where they are not of the usual forms. quotes reports whether there are quotes in b.
func (p *chunkParser) block(b []byte, i int, ch *chunk.Chunk, quotes bool) (next int) {
	x, columns := p.located, len(p.sinks)
	if x.wait > 0 {
		x.wait--
		return i
	}
	var records int
	if quotes {
		records = x.locateQuoted(b, i, p.sep) / columns
	} else {
		records = x.locate(b, i, p.sep) / columns
	}
	if records == 0 {
		return i
	}
	ends := x.ends[:1+records*columns]
	if !usual(b, ends, columns) {
		x.penalty = min(max(16, 2*x.penalty), mostPenalty)
		x.wait = x.penalty
		return i
	}
	x.penalty = 0
	blanks := hasBlank(b[ends[0]+1 : ends[len(ends)-1]])
	ch.Begins(ch.Rows, ch.Lines)
	for col := range p.sinks {
		s := &p.sinks[col]
		if blanks && s.kind == levelSink && !s.outer && p.blanksAround(b, ends, col) {
			for k, row := col, ch.Rows; k < len(ends)-1; k, row = k+columns, row+1 {
				p.cell(s, b, int(ends[k])+1, row)
			}
			continue
		}
		switch s.kind {
		case skipSink:
		case levelSink:
			p.levelColumn(b, ends, col, ch.Rows, s, quotes)
		case textSink:
			p.textColumn(b, ends, col, ch.Rows, s, quotes)
		case numberSink:
			p.numberColumn(b, ends, col, ch.Rows)
		default:
			for k, row := col, ch.Rows; k < len(ends)-1; k, row = k+columns, row+1 {
				p.cell(s, b, int(ends[k])+1, row)
			}
		}
	}
	ch.Rows += records
	ch.Lines += records
	return int(ends[len(ends)-1]) + 1
}

// hasBlank reports whether a text has a blank.
func hasBlank(text []byte) bool {
	return bytes.IndexByte(text, ' ') >= 0 || bytes.IndexByte(text, '\t') >= 0
}

// blanksAround reports whether a cell of a column of a block begins or ends with a blank.
func (p *chunkParser) blanksAround(b []byte, ends []int32, col int) bool {
	columns := len(p.sinks)
	for k := col; k+1 < len(ends); k += columns {
		first, end := int(ends[k])+1, int(ends[k+1])
		if end > first && b[end-1] == '\r' {
			end--
		}
		if end > first && (p.cells.blank(b[first]) || p.cells.blank(b[end-1])) {
			return true
		}
	}
	return false
}

// usual reports whether records end where the cells of so many columns do and nowhere
// else, and quotes stand around whole cells only. Then every quote opens or closes what the
// search for ends took it to.
func usual(b []byte, ends []int32, columns int) bool {
	for k := columns; k < len(ends); k += columns {
		if b[ends[k]] != '\n' {
			return false
		}
	}
	records := b[ends[0]+1 : ends[len(ends)-1]+1]
	if bytes.Count(records, []byte{'\n'}) != (len(ends)-1)/columns {
		return false
	}
	quotes := bytes.Count(records, []byte{'"'})
	return quotes == 0 || quotes == 2*quotedCells(b, ends, columns)
}

// locate finds where the cells from b[i] on end, as far as the block goes, in text without
// quotes. It returns how many it found.
func (x *cellBlock) locate(b []byte, i int, sep byte) (cells int) {
	x.ends[0] = int32(i) - 1
	if text.Usable() {
		return text.Ends(x.ends[1:1+blockCells+63], b[:max(i, len(b)-chunk.QuickReach)], i, sep)
	}
	seps := ones * uint64(sep)
	n := 1
	for ; n <= blockCells && i+64+chunk.QuickReach <= len(b); i += 64 {
		var ends uint64
		for w := 0; w < 64; w += 8 {
			word := wordAt(b, i+w)
			ends |= gathered(zeroBytes(word^feeds)|zeroBytes(word^seps)) << w
		}
		n = x.add(n, i, ends)
	}
	return n - 1
}

// add notes the ends among the 64 bytes from i on behind the n that there are.
func (x *cellBlock) add(n, i int, ends uint64) int {
	list := x.ends[n : n+64]
	for k := range list {
		if ends == 0 {
			return n + k
		}
		list[k] = int32(i + bits.TrailingZeros64(ends))
		ends &= ends - 1
	}
	return n + 64
}

// locateQuoted is locate for text with quotes: separators within them end no cell.
func (x *cellBlock) locateQuoted(b []byte, i int, sep byte) (cells int) {
	x.ends[0] = int32(i) - 1
	n := 1
	var inside uint64 // all ones within quotes
	for ; n <= blockCells && i+64+chunk.QuickReach <= len(b); i += 64 {
		m := maskBytes((*[64]byte)(b[i:]), sep)
		// The bytes within quotes, the opening one among them.
		within := parities(m.quotes) ^ inside
		inside = uint64(int64(within) >> 63)
		n = x.add(n, i, m.lines|m.seps&^within)
	}
	return n - 1
}

// quotedCells counts the cells that begin and end with a quote.
func quotedCells(b []byte, ends []int32, columns int) (n int) {
	for k := 1; k < len(ends); k++ {
		start, end := int(ends[k-1])+1, int(ends[k])
		if end-start >= 2 && k%columns == 0 && b[end-1] == '\r' {
			end--
		}
		if end-start >= 2 && b[start] == '"' && b[end-1] == '"' {
			n++
		}
	}
	return n
}

// contentOf returns where the content of a cell of a block begins and ends. last reports whether
// the cell ends its line, quoted that there are cells with quotes.
func contentOf(b []byte, start, end int, last, quoted bool) (int, int) {
	if last && end > start && b[end-1] == '\r' {
		end--
	}
	if quoted && end > start && b[start] == '"' {
		return start + 1, end - 1
	}
	return start, end
}

// levelColumn reads the cells of one column as levels.
func (p *chunkParser) levelColumn(b []byte, ends []int32, col, row int, s *sink, quoted bool) {
	c := levelCells{ends: ends, columns: len(p.sinks), last: col == len(p.sinks)-1, quoted: quoted}
	for k := col; k+1 < len(ends); {
		var cell []byte
		if s.dict.Pairs == nil {
			cell, k, row = c.words(b, k, row, s, &p.located.batch)
		} else {
			cell, k, row = c.pairs(b, k, row, s)
		}
		if cell == nil {
			return
		}
		code := s.dict.Code(cell, &p.Options.Dialect)
		if code == chunk.BrokenCode {
			s.column.AddOdd(row, cell, p.SkipBadRows)
		}
		s.column.Codes[row] = code
		k, row = k+c.columns, row+1
	}
}

// levelCells are the cells of one column of a block.
type levelCells struct {
	ends         []int32
	columns      int
	last, quoted bool // as contentOf has them
}

// wordBatch holds some cells of up to chunk.WordCell bytes, as slots have them. Taking cells
// out of the text and looking them up are two loops, as one would need more registers than
// there are.
type wordBatch struct {
	words [batchCells]uint64
	sizes [batchCells]int32
}

const batchCells = 128

// words gives the cells from the k-th on their codes, as far as the dictionary, whose slots
// are words, knows them. It returns the first other cell, nil for none, with its place.
func (c *levelCells) words(b []byte, k, row int, s *sink, batch *wordBatch) (cell []byte, at, atRow int) {
	codes, d := s.column.Codes, s.dict
	for k+1 < len(c.ends) {
		n := c.cut(b, k, batch)
		known := codesOf(d, batch, n, codes[row:])
		row, k = row+known, k+known*c.columns
		if k+1 >= len(c.ends) || n == len(batch.words) && known == n {
			continue
		}
		start, end := contentOf(b, int(c.ends[k])+1, int(c.ends[k+1]), c.last, c.quoted)
		code := int32(chunk.UnknownCode)
		if end-start > chunk.ShortCell {
			code = d.FindLong(b[start:end])
		}
		if code < chunk.MissingCode {
			return b[start:end], k, row
		}
		codes[row] = code
		row, k = row+1, k+c.columns
	}
	return nil, k, row
}

// cut takes cells from the k-th on out of the text, up to the first of more than WordCell
// bytes, and returns how many.
func (c *levelCells) cut(b []byte, k int, batch *wordBatch) (n int) {
	ends, columns := c.ends, c.columns
	if c.last || c.quoted {
		for n = 0; n < len(batch.words) && k+1 < len(ends); n, k = n+1, k+columns {
			start, end := contentOf(b, int(ends[k])+1, int(ends[k+1]), c.last, c.quoted)
			if end-start > chunk.WordCell {
				break
			}
			batch.words[n] = wordAt(b, start) & (1<<(8*uint(end-start)) - 1)
			batch.sizes[n] = int32(end-start) + 1
		}
		return n
	}
	for n = 0; n < len(batch.words) && k+1 < len(ends); n, k = n+1, k+columns {
		start := int(ends[k]) + 1
		length := int(ends[k+1]) - start
		if length > chunk.WordCell {
			break
		}
		batch.words[n] = wordAt(b, start) & (1<<(8*uint(length)) - 1)
		batch.sizes[n] = int32(length) + 1
	}
	return n
}

// pairs is words for a dictionary whose slots are pairs.
func (c *levelCells) pairs(b []byte, k, row int, s *sink) (cell []byte, at, atRow int) {
	ends, codes, d := c.ends, s.column.Codes, s.dict
	slots := d.Pairs
	for ; k+1 < len(ends); k, row = k+c.columns, row+1 {
		start, end := contentOf(b, int(ends[k])+1, int(ends[k+1]), c.last, c.quoted)
		length := end - start
		code := int32(chunk.UnknownCode)
		if length <= chunk.ShortCell {
			mask := &cellMasks[length]
			lo, hi := wordAt(b, start)&mask[0], wordAt(b, start+8)&mask[1]
			slot := &slots[chunk.HashOfPair(lo, hi)&uint64(len(slots)-1)]
			if (slot.Lo^lo)|(slot.Hi^hi)|uint64(slot.Size^int32(length+1)) == 0 {
				code = slot.Code
			} else {
				code = d.FindPair(lo, hi, length)
			}
		} else {
			code = d.FindLong(b[start:end])
		}
		if code < chunk.MissingCode {
			return b[start:end], k, row
		}
		codes[row] = code
	}
	return nil, k, row
}

// cellMasks cut two words to cells of up to chunk.ShortCell bytes.
var cellMasks = func() (masks [chunk.ShortCell + 1][2]uint64) {
	for n := range masks {
		masks[n] = [2]uint64{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return masks
}()

// textColumn reads the cells of one column as text.
func (p *chunkParser) textColumn(b []byte, ends []int32, col, row int, s *sink, quoted bool) {
	columns := len(p.sinks)
	for k := col; k+1 < len(ends); k += columns {
		start, end := contentOf(b, int(ends[k])+1, int(ends[k+1]), col == columns-1, quoted)
		if cell := b[start:end]; p.Encoding == nil && utf8.Valid(cell) {
			s.column.SetText(row, cell)
		} else {
			p.put(s, cell, row)
		}
		row++
	}
}

// numberColumn reads the cells of one column as numbers.
func (p *chunkParser) numberColumn(b []byte, ends []int32, col, row int) {
	columns := len(p.sinks)
	sinks := p.sinks[col : col+1]
	for k := col; k+1 < len(ends); k += columns {
		start := int(ends[k]) + 1
		if _, n := quickNumbers(b, start, row, sinks, p.sep, p.Decimal); n == 0 {
			if _, done, _ := p.quickNumber(b, start, row, &sinks[0]); !done {
				p.cell(&sinks[0], b, start, row)
			}
		}
		row++
	}
}

// codesOf looks n cells up and writes their codes to codes, up to the first cell that has
// none. It returns how many have.
func codesOf(d *chunk.Dictionary, batch *wordBatch, n int, codes []int32) (known int) {
	slots := d.Words
	codes = codes[:n]
	for i := range codes {
		word, size := batch.words[i%batchCells], batch.sizes[i%batchCells]
		slot := &slots[chunk.HashOfWord(word)&uint64(len(slots)-1)]
		code := slot.Code
		if slot.Word^word|uint64(slot.Size^size) != 0 {
			code = d.FindWord(word, int(size)-1)
		}
		if code < chunk.MissingCode {
			return i
		}
		codes[i] = code
	}
	return n
}
