package libsvm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// textChunk is what became of one stretch of text: rows of stored entries, whose columns are the indices
// as they are written.
type textChunk struct {
	index, file int
	lines       int             // line breaks in the text
	runs        []chunk.LineRun // rows and lines counted from the chunk's own start, lines from 0

	labels  []float64 // per row, NaN where missing
	queries []float64 // per row, NaN where it has none; nil where no row has one
	chunk.SparseRows

	least, most int32 // smallest and largest index, stored or not; least > most without any
	entries     int   // that were parsed, kept or not
	mostAt      int   // row of the first largest one
	unknown     int   // entries of features that the schema lacks
	skipped     int   // rows that were left out
	bad         *chunk.ShapeError
}

// sees notes the smallest and the largest index of the next row.
func (ch *textChunk) sees(least, most int32) {
	ch.least = min(ch.least, least)
	if most > ch.most {
		ch.most, ch.mostAt = most, len(ch.Ends)
	}
}

// bytes returns how much memory the chunk takes.
func (ch *textChunk) bytes() int64 {
	return ch.Bytes() + int64(8*len(ch.labels)+8*len(ch.queries))
}

// entry is an index with its value.
type entry struct {
	feature int32
	value   float64
}

// parser is one worker's state.
type parser struct {
	*chunk.Options
	known   []bool   // by index: the features that the schema has; nil takes all
	wide    bool     // float64 was needed before
	fields  [][]byte // of one line
	entries []entry  // of one row
}

// parse turns text, whole lines that end in a line feed, into a chunk.
func (p *parser) parse(text []byte) *textChunk {
	lines, entries := bytes.Count(text, []byte{'\n'}), bytes.Count(text, []byte{':'})
	ch := &textChunk{least: math.MaxInt32, most: -1,
		labels: make([]float64, 0, lines), SparseRows: chunk.SparseRows{Ends: make([]int32, 0, lines), Columns: make([]int32, 0, entries)}}
	if p.wide {
		ch.F64 = make([]float64, 0, entries)
	} else {
		ch.F32 = make([]float32, 0, entries)
	}
	for i := 0; i < len(text); ch.lines++ {
		next, ok := p.quickRow(text, i, ch)
		if !ok {
			next = i + bytes.IndexByte(text[i:], '\n') + 1
			if !p.row(text[i:next-1], ch) {
				break
			}
		}
		i = next
	}
	p.wide = ch.F64 != nil
	ch.clip()
	return ch
}

// clip gives back memory where much of it was set aside for entries that are not stored.
func (ch *textChunk) clip() {
	if 4*len(ch.Columns) < 3*cap(ch.Columns) {
		ch.Columns, ch.F32, ch.F64 = slices.Clone(ch.Columns), slices.Clone(ch.F32), slices.Clone(ch.F64)
	}
}

// quickRow reads the row at b[i] if it is written in the usual way: a label, perhaps a
// qid, entries in ascending order with short numbers, single spaces between them, a line
// feed. Otherwise it returns false and leaves the chunk as it was.
func (p *parser) quickRow(b []byte, i int, ch *textChunk) (next int, ok bool) {
	stored, unknown := len(ch.Columns), ch.unknown
	label, i := quickNumber(b, i)
	if i < 0 {
		return 0, false
	}
	query := math.NaN()
	if i+chunk.QuickReach <= len(b) && string(b[i:i+5]) == " qid:" {
		number, n := plain.LeadingDigits(binary.LittleEndian.Uint64(b[i+5:]))
		if n == 0 || n == 8 {
			return 0, false
		}
		query = float64(number)
		i += 5 + n
	}
	below := int32(max(p.IndexBase, 0)) - 1
	last, first := below, int32(math.MaxInt32)
	for i+chunk.QuickReach+8 <= len(b) {
		c := b[i]
		if c == ' ' {
			i++
			c = b[i]
		}
		if c == '\n' || c == '\r' && b[i+1] == '\n' {
			i += 1 + int(c&1) // CR is odd, LF even
			if last > below {
				ch.sees(first, last)
			}
			ch.ended(label, query)
			return i, true
		}
		feature, n := plain.LeadingDigits(binary.LittleEndian.Uint64(b[i:]))
		if n == 0 || n == 8 || b[i+n] != ':' || int32(feature) <= last || b[i-1] != ' ' {
			break
		}
		var v float64
		if v, i = quickNumber(b, i+n+1); i < 0 {
			break
		}
		if last == below {
			first = int32(feature)
		}
		last = int32(feature)
		if p.known != nil && !p.knows(last) {
			ch.unknown++
		} else if v != 0 || p.AbsentMissing {
			ch.Add(last, v)
		}
	}
	ch.Cut(stored)
	ch.unknown = unknown
	return 0, false
}

// ended notes that a row ends, whose entries were added.
func (ch *textChunk) ended(label, query float64) {
	ch.begins()
	if query == query && ch.queries == nil {
		ch.queries = make([]float64, len(ch.labels), cap(ch.labels))
		for i := range ch.queries {
			ch.queries[i] = math.NaN()
		}
	}
	if ch.queries != nil {
		ch.queries = append(ch.queries, query)
	}
	ch.labels = append(ch.labels, label)
	ch.Ends = append(ch.Ends, int32(len(ch.Columns)))
}

func (p *parser) knows(feature int32) bool {
	return p.known == nil || int(feature) < len(p.known) && p.known[feature]
}

// begins notes that the next row begins on the current line.
func (ch *textChunk) begins() {
	row, line := len(ch.Ends), ch.lines
	if n := len(ch.runs); n > 0 {
		if last := &ch.runs[n-1]; line-last.Line == row-last.Row {
			return
		}
	}
	ch.runs = append(ch.runs, chunk.LineRun{Row: row, Line: line})
}

// quickNumber reads a number in its usual short form that a space or the end of the
// line follows: up to 7 digits before the point, 19 in all, rounding proven right.
// It returns the index behind it, or -1 for any other text.
func quickNumber(b []byte, i int) (v float64, next int) {
	if i+chunk.QuickReach > len(b) {
		return 0, -1
	}
	sign := uint64(0)
	if b[i] == '-' {
		sign = 1 << 63
		i++
	}
	mantissa, n := plain.LeadingDigits(binary.LittleEndian.Uint64(b[i:]))
	if n == 8 {
		return 0, -1
	}
	i += n
	fraction := 0
	if b[i] == '.' {
		i++
		m := 8
		for m == 8 && fraction <= plain.MaxDigits {
			var value uint64
			value, m = plain.LeadingDigits(binary.LittleEndian.Uint64(b[i:]))
			mantissa = mantissa*plain.WholePowers[m&15] + value
			i += m
			fraction += m
		}
	}
	if digits := n + fraction; uint(digits-1) >= plain.MaxDigits {
		return 0, -1
	}
	exponent := -fraction
	if b[i]|0x20 == 'e' {
		e, after := plain.ExponentPart(b, i+1)
		if after == i+1 || after > i+5 {
			return 0, -1
		}
		exponent += e
		i = after
	}
	if c := b[i]; c != ' ' && c != '\n' && c != '\r' {
		return 0, -1
	}
	if mantissa < 1<<53 && uint(-exponent) <= 22 {
		v = float64(int64(mantissa)) / plain.ExactPowers[-exponent]
	} else {
		var proven bool
		if v, proven = plain.Scale(mantissa, exponent); !proven {
			return 0, -1
		}
	}
	return math.Float64frombits(math.Float64bits(v) | sign), i
}

// row reads any line, without its line feed. It returns false after an error that
// ends the reading.
func (p *parser) row(line []byte, ch *textChunk) bool {
	if at := bytes.IndexByte(line, '#'); at >= 0 {
		line = line[:at]
	}
	p.fields = splitFields(p.fields[:0], line)
	if len(p.fields) == 0 {
		return true
	}
	label, query, bad := p.cells(p.fields)
	if bad != nil {
		bad.Line = ch.lines
		if ch.bad == nil {
			ch.bad = bad
		}
		ch.skipped++
		return p.SkipBadRows
	}
	for _, e := range p.entries {
		ch.sees(e.feature, e.feature)
		switch {
		case !p.knows(e.feature):
			ch.unknown++
		case e.value != e.value && p.AbsentMissing, e.value == 0 && !p.AbsentMissing:
		default:
			ch.Add(e.feature, e.value)
		}
	}
	ch.ended(label, query)
	return true
}

// splitFields cuts a line at spaces and tabs.
func splitFields(fields [][]byte, line []byte) [][]byte {
	for {
		for len(line) > 0 && isBlank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return fields
		}
		n := 1
		for n < len(line) && !isBlank(line[n]) {
			n++
		}
		fields = append(fields, line[:n])
		line = line[n:]
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// cells reads the cells of a row; query is NaN where it has none. The entries, sorted
// by index, are left in p.entries.
func (p *parser) cells(fields [][]byte) (label, query float64, bad *chunk.ShapeError) {
	query = math.NaN()
	if label, bad = p.label(fields[0]); bad != nil {
		return 0, 0, bad
	}
	p.entries = p.entries[:0]
	ascending := true
	for _, field := range fields[1:] {
		name, text, found := bytes.Cut(field, []byte{':'})
		switch {
		case !found:
			return 0, 0, &chunk.ShapeError{Text: fmt.Sprintf("%q is not a feature: index:value was expected", chunk.Excerpt(field)),
				Fix: "comments begin with #"}
		case string(name) == queryName:
			if query == query {
				return 0, 0, &chunk.ShapeError{Text: "this row has qid twice"}
			}
			if query, bad = queryNumber(text); bad != nil {
				return 0, 0, bad
			}
			continue
		}
		index, ok := parseIndex(name)
		if !ok {
			return 0, 0, &chunk.ShapeError{Fix: "the largest index that can be read is " + fmt.Sprint(largestIndex),
				Text: fmt.Sprintf("%q is not a feature: its index is not a whole number from 0 on", chunk.Excerpt(field))}
		}
		if int(index) < p.IndexBase {
			return 0, 0, &chunk.ShapeError{Text: "index 0 stands in this row, and index_base is \"1\"", Fix: `set index_base = "0"`}
		}
		v, ok := plain.ParseNumber(text, '.')
		if !ok {
			if len(text) == 0 || !p.IsMissing(text) {
				return 0, 0, &chunk.ShapeError{Column: featureName(int(index)), Value: chunk.Excerpt(text), Text: "a number",
					Fix: fmt.Sprintf("add %q to missing = […] if it means no value", chunk.Excerpt(text))}
			}
			v = math.NaN()
		}
		if n := len(p.entries); n > 0 && p.entries[n-1].feature >= index {
			ascending = false
		}
		p.entries = append(p.entries, entry{index, v})
	}
	if !ascending {
		return label, query, p.sortEntries()
	}
	return label, query, nil
}

// sortEntries brings the entries of a row into order and refuses one that is there twice.
func (p *parser) sortEntries() *chunk.ShapeError {
	slices.SortStableFunc(p.entries, func(a, b entry) int { return int(a.feature) - int(b.feature) })
	for i := 1; i < len(p.entries); i++ {
		if index := p.entries[i].feature; index == p.entries[i-1].feature {
			return &chunk.ShapeError{Text: fmt.Sprintf("index %d stands in this row twice", index), Fix: "leave one of them out"}
		}
	}
	return nil
}

func (p *parser) label(text []byte) (float64, *chunk.ShapeError) {
	if v, ok := plain.ParseNumber(text, '.'); ok {
		return v, nil
	}
	switch {
	case p.IsMissing(text):
		return math.NaN(), nil
	case bytes.IndexByte(text, ':') >= 0:
		return 0, &chunk.ShapeError{Text: fmt.Sprintf("a row begins with its label, this one begins with %q", chunk.Excerpt(text)),
			Fix: "write 0 before rows without a label; weights belong into a file of their own, named like this one with .weight"}
	case bytes.IndexByte(text, ',') >= 0:
		return 0, &chunk.ShapeError{Column: labelName, Value: chunk.Excerpt(text), Text: "one label, and rows with several cannot be learned from",
			Fix: "write one file per label"}
	}
	return 0, &chunk.ShapeError{Column: labelName, Value: chunk.Excerpt(text), Text: "a number, as labels of LibSVM files are",
		Fix: "number the classes"}
}

// largestIndex is the largest index of a feature.
const largestIndex = 1<<31 - 2

func parseIndex(text []byte) (index int32, ok bool) {
	v, ok := parseWhole(text, largestIndex)
	return int32(v), ok
}

// parseWhole reads a whole number from 0 to most.
func parseWhole(text []byte, most int64) (int64, bool) {
	if len(text) == 0 || len(text) > plain.MaxDigits {
		return 0, false
	}
	v := int64(0)
	for _, c := range text {
		if c -= '0'; c > 9 || v > most/10 {
			return 0, false
		} else {
			v = v*10 + int64(c)
		}
	}
	return v, v <= most
}

func queryNumber(text []byte) (float64, *chunk.ShapeError) {
	v, ok := parseWhole(text, 1<<53)
	if !ok {
		return 0, &chunk.ShapeError{Column: queryName, Value: chunk.Excerpt(text), Text: "a query number: a whole number from 0 to 2⁵³"}
	}
	return float64(v), nil
}
