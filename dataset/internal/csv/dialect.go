package csv

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// How much of a file is looked at to find separator and header: headSize bytes,
// more if they hold fewer than headLines lines, and of those headRecords records.
const (
	headSize    = 64 << 10
	headLines   = 20
	headMost    = 8 << 20
	headRecords = 200
)

// head is the beginning of a file's text.
type head struct {
	text []byte
	all  bool // the text is the whole file
	sep  byte // that a line before the text named, else 0
	// Of the file, what stands before the text: the bytes, if they are not compressed, and the lines.
	at, lines int
}

func readHead(s *chunk.Stream) (*head, error) {
	h := &head{}
	for size := headSize; ; size *= 2 {
		grown := make([]byte, size)
		n := copy(grown, h.text)
		more, err := chunk.ReadFull(s.Reader, grown[n:])
		h.text = grown[:n+more]
		switch {
		case err == io.EOF:
			h.all = true
			return h, nil
		case err != nil:
			return nil, s.Failure(err)
		}
		if size >= headMost || bytes.Count(h.text, []byte{'\n'}) >= headLines {
			return h, nil
		}
	}
}

// records returns the first records of the head, the one that the head cuts off left out, as their
// cells. The cells of a record are parts of one text: a million by themselves would take 16 bytes more
// each.
func (h *head) records(sep byte, most int) (records [][]string) {
	line, _, _ := bytes.Cut(h.text, []byte{'\n'})
	text, ends := make([]byte, 0, len(line)), make([]int, 0, bytes.Count(line, []byte{sep})+1)
	h.eachRecord(sep, most, func(content []byte, last bool) {
		text, ends = append(text, content...), append(ends, len(text)+len(content))
		if !last {
			return
		}
		whole, start := string(text), 0
		record := make([]string, len(ends))
		for k, end := range ends {
			record[k], start = whole[start:end], end
		}
		records, text, ends = append(records, record), text[:0], ends[:0]
	})
	return records
}

// lengths returns how many cells the first records of the head have.
func (h *head) lengths(sep byte, most int) (lengths []int) {
	n := 0
	h.eachRecord(sep, most, func(_ []byte, last bool) {
		if n++; last {
			lengths, n = append(lengths, n), 0
		}
	})
	return lengths
}

// eachRecord shows the cells of the first records of the head, the one that the head cuts off left out. What is
// shown is valid until the next call.
func (h *head) eachRecord(sep byte, most int, show func(content []byte, last bool)) {
	text := h.text
	r := &CellReader{Sep: sep}
	if h.all {
		text = append(text[:len(text):len(text)], '\n')
	} else if end := r.LastRecordEnd(text); end > 0 {
		text = text[:end]
	} else {
		text = append(text[:len(text):len(text)], '\n')
	}
	for i := 0; i < len(text) && most > 0; {
		if n := blankLine(text, i); n > 0 {
			i += n
			continue
		}
		for last := false; !last; {
			content, end, _, p := r.cell(text, i)
			if p == openQuote {
				return
			}
			last = text[end] == '\n'
			show(content, last)
			i = end + 1
		}
		most--
	}
}

// blankLine returns the length of the blank line at b[i], 0 if there is none.
func blankLine(b []byte, i int) int {
	switch {
	case b[i] == '\n':
		return 1
	case b[i] == '\r' && b[i+1] == '\n':
		return 2
	}
	return 0
}

// dialect is how a text is divided into cells and where its names come from.
type dialect struct {
	sep    byte
	header bool
	names  []string // from the first file's header, or c1, c2, …
	guess  []bool   // per column: some cell of the head is no number
	padded []bool   // per column: most cells of the head are whole numbers with zeros before them
	above  int      // lines of the file above that which looks like the names of the columns, where that is not the first; else 0
}

// findDialect looks at the head of the first file.
func findDialect(o *chunk.Options, name string, h *head) (*dialect, error) {
	if h.all && len(bytes.TrimSpace(h.text)) == 0 {
		return nil, chunk.Errorf("%s is empty", name)
	}
	d := &dialect{sep: o.Separator}
	if d.sep == 0 {
		d.sep = h.sep
	}
	if d.sep == 0 && o.Schema != nil {
		d.sep = recalledSeparator(o, h)
	}
	if d.sep == 0 {
		d.sep = findSeparator(&o.Dialect, h)
	}
	records := h.records(d.sep, headRecords)
	if len(records) == 0 {
		return nil, &chunk.ParseError{File: name, Line: h.lines + 1, Want: "the first record does not end: a quote is opened and not closed"}
	}
	if bytes.IndexByte(h.text, 0) >= 0 {
		return nil, chunk.Errorf("%s is not a text file (contains NUL bytes)", name)
	}
	if i := bytes.IndexByte(h.text, '\r'); i >= 0 && i < len(h.text)-1 && bytes.IndexByte(h.text, '\n') < 0 {
		return nil, chunk.Errorf(`%s ends its lines with a carriage return alone; write them with a line feed (tr '\r' '\n')`, name)
	}
	if n := len(records[0]); n > chunk.MostColumns {
		return nil, chunk.Errorf("%s has %d columns; a table may have up to %d", name, n, chunk.MostColumns)
	}
	if o.Header != nil {
		d.header = *o.Header
	} else {
		d.header = findHeader(o, records)
	}
	rest := records
	if d.header {
		rest = records[1:]
		names, err := headerNames(o, name, h.lines+1, records[0])
		if err != nil {
			return nil, err
		}
		d.names = names
	} else {
		for i := range records[0] {
			d.names = append(d.names, fmt.Sprintf("c%d", i+1))
		}
	}
	if (d.header || o.Header == nil) && looksLikeTitle(o, records) {
		d.above = linesAbove(o, h)
	}
	d.guess = make([]bool, len(d.names))
	for _, record := range rest {
		for i, cell := range record {
			if i < len(d.guess) && !d.guess[i] && !o.IsMissing([]byte(cell)) {
				_, _, ok := plain.ParseValue([]byte(cell), o.Decimal)
				d.guess[i] = !ok
			}
		}
	}
	d.padded = make([]bool, len(d.names))
	for i := range d.padded {
		d.padded[i] = !d.guess[i] && isPadded(o, rest, i)
	}
	return d, nil
}

// isPadded reports whether all cells of a column are digits, as many in each, and more than half begin with 0.
func isPadded(o *chunk.Options, records [][]string, column int) bool {
	cells, zeros, width := 0, 0, 0
	for _, record := range records {
		if column >= len(record) {
			continue
		}
		cell := chunk.TrimText(record[column])
		if o.IsMissing([]byte(cell)) {
			continue
		}
		if cells == 0 {
			width = len(cell)
		}
		if len(cell) != width || width < 2 || strings.Trim(cell, "0123456789") != "" {
			return false
		}
		cells++
		if cell[0] == '0' {
			zeros++
		}
	}
	return 2*zeros > cells
}

// recalledSeparator returns the separator of the schema's table, if the first record has it. Where
// the schema has a decimal comma, and commas and nothing else separate cells, numbers have decimal points here. It
// returns 0 where the data decide.
func recalledSeparator(o *chunk.Options, h *head) byte {
	if o.UsualSeparator != 0 {
		if lengths := h.lengths(o.UsualSeparator, 1); len(lengths) > 0 && lengths[0] > 1 {
			return o.UsualSeparator
		}
	}
	if o.Decimal != ',' || o.Said.Decimal {
		return 0
	}
	points := o.Dialect
	points.Decimal = '.'
	if findSeparator(&points, h) == ',' && (findSeparator(&o.Dialect, h) != ',' || h.hasPointsOnly()) {
		o.Decimal, o.PointInstead = '.', true
		return ','
	}
	return 0
}

// hasPointsOnly reports whether, of the cells between commas, some are numbers with a decimal point, and none is one
// with a decimal comma, which would stand in quotes.
func (h *head) hasPointsOnly() (points bool) {
	commas := false
	h.eachRecord(',', headRecords, func(content []byte, _ bool) {
		if point, comma := bytes.IndexByte(content, '.') >= 0, bytes.IndexByte(content, ',') >= 0; point != comma {
			_, isPoint := plain.ParseNumber(content, '.')
			_, isComma := plain.ParseNumber(content, ',')
			points, commas = points || point && isPoint, commas || comma && isComma
		}
	})
	return points && !commas
}

// headerNames decodes a header record. Columns without a name are called by
// their position.
func headerNames(o *chunk.Options, file string, line int, record []string) ([]string, error) {
	names := make([]string, len(record))
	for i, cell := range record {
		name, ok := o.Decode(plain.Trim([]byte(cell)))
		if !ok {
			return nil, &chunk.ParseError{File: file, Line: line, Want: fmt.Sprintf("the name of column %d is not UTF-8 text", i+1),
				Fix: `set encoding = "latin1" or "cp1252" if the file is written in one of them`}
		}
		if name == "" {
			name = fmt.Sprintf("c%d", i+1)
		}
		names[i] = name
	}
	if o.Schema != nil {
		o.Schema.PutBlanks(names)
	}
	return names, nil
}

// findSeparator returns the character that gives most records as many cells as
// the first one has, and more than one; the rarer character first. A decimal comma
// separates cells only in a text that has quotes, and if nothing else does.
func findSeparator(o *chunk.Dialect, h *head) byte {
	best, share := byte(0), 0.0
	for _, sep := range []byte{'\t', ';', '|', ','} {
		if sep == o.Decimal && (best != 0 || bytes.IndexByte(h.text, '"') < 0) {
			continue
		}
		lengths := h.lengths(sep, headRecords)
		if len(lengths) == 0 || lengths[0] < 2 {
			continue
		}
		alike := 0
		for _, n := range lengths {
			if n == lengths[0] {
				alike++
			}
		}
		if s := float64(alike) / float64(len(lengths)); s > share {
			best, share = sep, s
		}
	}
	switch {
	case best != 0:
		return best
	case o.Decimal == ',':
		return ';'
	}
	return ','
}

// findHeader reports whether the first record holds names: it does if it has text
// above a column of numbers, or a name that the caller asked for; it does not if
// it has a number, or only texts of which half come again below it.
func findHeader(o *chunk.Options, records [][]string) bool {
	first, rest := records[0], records[1:]
	// Names that stand again below, as where files are joined, are no cells of a column of numbers.
	others := slices.DeleteFunc(slices.Clone(rest), func(record []string) bool {
		return slices.EqualFunc(record, first, func(a, b string) bool { return strings.TrimPrefix(a, chunk.ByteOrderMark) == b })
	})
	hasNumber := false
	repeated := 0
	for i, cell := range first {
		switch {
		case o.IsMissing([]byte(cell)):
			continue
		case chunk.Mentions(o, cell):
			return true
		}
		if _, _, ok := plain.ParseValue([]byte(cell), o.Decimal); ok {
			hasNumber = true
			continue
		}
		if areNumbers(&o.Dialect, others, i) {
			return true
		}
		if slices.ContainsFunc(rest, func(record []string) bool { return i < len(record) && record[i] == cell }) {
			repeated++
		}
	}
	return !hasNumber && (repeated == 0 || 2*repeated < len(first))
}

// looksLikeTitle reports whether the first record has one name at most, or other cells than most records have.
func looksLikeTitle(o *chunk.Options, records [][]string) bool {
	first, named, others := records[0], 0, 0
	for _, cell := range first {
		if !o.IsMissing([]byte(cell)) {
			named++
		}
	}
	for _, record := range records[1:] {
		if len(record) != len(first) {
			others++
		}
	}
	return named <= 1 && len(first) > 2 || 2*others > len(records)-1
}

// mostAbove is how many lines are looked at for the names of the columns.
const mostAbove = 20

// linesAbove returns the lines of the file above the one that looks like the names of the columns: different texts, as many as the records below have
// cells. It is 0 where none does.
func linesAbove(o *chunk.Options, h *head) int {
	below := *h
	for range mostAbove {
		line, rest, found := bytes.Cut(below.text, []byte{'\n'})
		if !found {
			return 0
		}
		below.text = rest
		if below.lines++; len(bytes.TrimSpace(line)) == 0 && len(rest) == 0 {
			return 0
		}
		sep := o.Separator
		if sep == 0 {
			sep = findSeparator(&o.Dialect, &below)
		}
		if records := below.records(sep, mostAbove); len(records) > 1 && !isBlank(rest) && areNames(o, records) {
			return below.lines
		}
	}
	return 0
}

func isBlank(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return len(bytes.TrimSpace(line)) == 0
}

// areNames reports whether the first record looks like the names of the others' columns, one of numbers at least.
func areNames(o *chunk.Options, records [][]string) bool {
	names := records[0]
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		_, _, isNumber := plain.ParseValue([]byte(name), o.Decimal)
		if isNumber || seen[name] || o.IsMissing([]byte(name)) {
			return false
		}
		seen[name] = true
	}
	if len(names) < 2 || looksLikeTitle(o, records) {
		return false
	}
	for i := range names {
		if areNumbers(&o.Dialect, records[1:], i) {
			return true
		}
	}
	return false
}

// areNumbers reports whether all cells of a column are numbers.
func areNumbers(o *chunk.Dialect, records [][]string, column int) bool {
	present := 0
	for _, record := range records {
		if column >= len(record) || o.IsMissing([]byte(record[column])) {
			continue
		}
		present++
		if _, _, ok := plain.ParseValue([]byte(record[column]), o.Decimal); !ok {
			return false
		}
	}
	return present > 0
}
