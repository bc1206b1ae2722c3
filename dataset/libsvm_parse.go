package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"boost/dataset/internal/chunk"
)

// svmChunk is what became of one stretch of LibSVM text: rows of stored entries, one
// after another (CSR).
type svmChunk struct {
	index, file int
	lines       int              // line breaks in the text
	runs        []chunk.PlaceRun // rows and lines counted from the chunk's own start, lines from 0

	labels   []float64 // per row, NaN where missing
	queries  []float64 // per row, NaN where it has none; nil where no row has one
	ends     []int32   // per row: where its entries end
	features []int32   // per entry: the index as written, ascending within a row
	f32      []float32 // per entry: every value is exact in it
	f64      []float64 // per entry: at least one is not

	least, most int32 // smallest and largest index, stored or not; least > most without any
	entries     int   // that were parsed, kept or not
	mostAt      int   // row of the first largest one
	unknown     int   // entries of features that the schema lacks
	skipped     int   // rows that were left out
	bad         *chunk.ShapeError
}

func (ch *svmChunk) rows() int { return len(ch.ends) }

// sees notes the smallest and the largest index of the next row.
func (ch *svmChunk) sees(least, most int32) {
	ch.least = min(ch.least, least)
	if most > ch.most {
		ch.most, ch.mostAt = most, len(ch.ends)
	}
}

// bytes returns how much memory the chunk takes.
func (ch *svmChunk) bytes() int64 {
	return int64(4*len(ch.features) + 4*len(ch.f32) + 8*len(ch.f64) + 4*len(ch.ends) + 8*len(ch.labels) + 8*len(ch.queries))
}

// value returns the value of an entry.
func (ch *svmChunk) value(i int) float64 {
	if ch.f64 != nil {
		return ch.f64[i]
	}
	return float64(ch.f32[i])
}

// add stores an entry, moving the chunk to float64 at the first value that needs it.
func (ch *svmChunk) add(feature int32, v float64) {
	ch.features = append(ch.features, feature)
	if ch.f64 == nil {
		f := float32(v)
		if float64(f) == v || v != v {
			ch.f32 = append(ch.f32, f)
			return
		}
		ch.f64 = make([]float64, len(ch.f32), cap(ch.f32))
		for i, f := range ch.f32 {
			ch.f64[i] = float64(f)
		}
		ch.f32 = nil
	}
	ch.f64 = append(ch.f64, v)
}

// cut takes back the entries from n on.
func (ch *svmChunk) cut(n int) {
	ch.features = ch.features[:n]
	if ch.f64 != nil {
		ch.f64 = ch.f64[:n]
	} else {
		ch.f32 = ch.f32[:n]
	}
}

// svmEntry is an index with its value.
type svmEntry struct {
	feature int32
	value   float64
}

// svmParser is one worker's state.
type svmParser struct {
	*chunk.Options
	known   []bool     // by index: the features that the schema has; nil takes all
	wide    bool       // float64 was needed before
	fields  [][]byte   // of one line
	entries []svmEntry // of one row
}

// parse turns text, whole lines that end in a line feed, into a chunk.
func (p *svmParser) parse(text []byte) *svmChunk {
	lines, entries := bytes.Count(text, []byte{'\n'}), bytes.Count(text, []byte{':'})
	ch := &svmChunk{least: math.MaxInt32, most: -1,
		labels: make([]float64, 0, lines), ends: make([]int32, 0, lines), features: make([]int32, 0, entries)}
	if p.wide {
		ch.f64 = make([]float64, 0, entries)
	} else {
		ch.f32 = make([]float32, 0, entries)
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
	p.wide = ch.f64 != nil
	ch.clip()
	return ch
}

// clip gives back memory where much of it was set aside for entries that are not stored.
func (ch *svmChunk) clip() {
	if 4*len(ch.features) < 3*cap(ch.features) {
		ch.features, ch.f32, ch.f64 = slices.Clone(ch.features), slices.Clone(ch.f32), slices.Clone(ch.f64)
	}
}

// quickRow reads the row at b[i] if it is written in the usual way: a label, perhaps a
// qid, entries in ascending order with short numbers, single spaces between them, a line
// feed. Otherwise it returns false and leaves the chunk as it was.
func (p *svmParser) quickRow(b []byte, i int, ch *svmChunk) (next int, ok bool) {
	stored, unknown := len(ch.features), ch.unknown
	label, i := quickNumber(b, i)
	if i < 0 {
		return 0, false
	}
	query := math.NaN()
	if i+chunk.QuickReach <= len(b) && string(b[i:i+5]) == " qid:" {
		number, n := chunk.LeadingDigits(binary.LittleEndian.Uint64(b[i+5:]))
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
		feature, n := chunk.LeadingDigits(binary.LittleEndian.Uint64(b[i:]))
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
			ch.add(last, v)
		}
	}
	ch.cut(stored)
	ch.unknown = unknown
	return 0, false
}

// ended notes that a row ends, whose entries were added.
func (ch *svmChunk) ended(label, query float64) {
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
	ch.ends = append(ch.ends, int32(len(ch.features)))
}

func (p *svmParser) knows(feature int32) bool {
	return p.known == nil || int(feature) < len(p.known) && p.known[feature]
}

// begins notes that the next row begins on the current line.
func (ch *svmChunk) begins() {
	row, line := len(ch.ends), ch.lines
	if n := len(ch.runs); n > 0 {
		if last := &ch.runs[n-1]; line-last.Line == row-last.Row {
			return
		}
	}
	ch.runs = append(ch.runs, chunk.PlaceRun{Row: row, Line: line})
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
	mantissa, n := chunk.LeadingDigits(binary.LittleEndian.Uint64(b[i:]))
	if n == 8 {
		return 0, -1
	}
	i += n
	fraction := 0
	if b[i] == '.' {
		i++
		m := 8
		for m == 8 && fraction <= chunk.MaxDigits {
			var value uint64
			value, m = chunk.LeadingDigits(binary.LittleEndian.Uint64(b[i:]))
			mantissa = mantissa*chunk.WholePowers[m&15] + value
			i += m
			fraction += m
		}
	}
	if digits := n + fraction; uint(digits-1) >= chunk.MaxDigits {
		return 0, -1
	}
	exponent := -fraction
	if b[i]|0x20 == 'e' {
		e, after := chunk.ExponentPart(b, i+1)
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
		v = float64(int64(mantissa)) / chunk.ExactPowers[-exponent]
	} else {
		var proven bool
		if v, proven = chunk.Scale(mantissa, exponent); !proven {
			return 0, -1
		}
	}
	return math.Float64frombits(math.Float64bits(v) | sign), i
}

// row reads any line, without its line feed. It returns false after an error that
// ends the reading.
func (p *svmParser) row(line []byte, ch *svmChunk) bool {
	if at := bytes.IndexByte(line, '#'); at >= 0 {
		line = line[:at]
	}
	p.fields = svmFields(p.fields[:0], line)
	if len(p.fields) == 0 {
		return true
	}
	label, query, bad := p.cells(p.fields, ch)
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
			ch.add(e.feature, e.value)
		}
	}
	ch.ended(label, query)
	return true
}

// svmFields cuts a line at spaces and tabs.
func svmFields(fields [][]byte, line []byte) [][]byte {
	for {
		for len(line) > 0 && svmBlank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return fields
		}
		n := 1
		for n < len(line) && !svmBlank(line[n]) {
			n++
		}
		fields = append(fields, line[:n])
		line = line[n:]
	}
}

func svmBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// Names of the columns of a LibSVM table; features are called by svmFeature.
const (
	svmLabel = "label"
	svmQuery = "qid"
)

func svmFeature(index int) string { return fmt.Sprintf("f%d", index) }

// cells reads the cells of a row; query is NaN where it has none. The entries, sorted
// by index, are left in p.entries.
func (p *svmParser) cells(fields [][]byte, ch *svmChunk) (label, query float64, bad *chunk.ShapeError) {
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
		case string(name) == svmQuery:
			if query == query {
				return 0, 0, &chunk.ShapeError{Text: "this row has qid twice"}
			}
			if query, bad = svmQueryNumber(text); bad != nil {
				return 0, 0, bad
			}
			continue
		}
		index, ok := svmIndex(name)
		if !ok {
			return 0, 0, &chunk.ShapeError{Fix: "the largest index that can be read is " + fmt.Sprint(largestIndex),
				Text: fmt.Sprintf("%q is not a feature: its index is not a whole number from 0 on", chunk.Excerpt(field))}
		}
		if int(index) < p.IndexBase {
			return 0, 0, &chunk.ShapeError{Text: "index 0 stands in this row, and index_base is \"1\"", Fix: `set index_base = "0"`}
		}
		v, ok := chunk.ParseNumber(text, '.')
		if !ok {
			if len(text) == 0 || !p.IsMissing(text) {
				return 0, 0, &chunk.ShapeError{Column: svmFeature(int(index)), Value: chunk.Excerpt(text), Text: "a number",
					Fix: fmt.Sprintf("add %q to missing = […] if it means no value", chunk.Excerpt(text))}
			}
			v = math.NaN()
		}
		if n := len(p.entries); n > 0 && p.entries[n-1].feature >= index {
			ascending = false
		}
		p.entries = append(p.entries, svmEntry{index, v})
	}
	if !ascending {
		return label, query, p.sortEntries()
	}
	return label, query, nil
}

// sortEntries brings the entries of a row into order and refuses one that is there twice.
func (p *svmParser) sortEntries() *chunk.ShapeError {
	slices.SortStableFunc(p.entries, func(a, b svmEntry) int { return int(a.feature) - int(b.feature) })
	for i := 1; i < len(p.entries); i++ {
		if index := p.entries[i].feature; index == p.entries[i-1].feature {
			return &chunk.ShapeError{Text: fmt.Sprintf("index %d stands in this row twice", index), Fix: "leave one of them out"}
		}
	}
	return nil
}

func (p *svmParser) label(text []byte) (float64, *chunk.ShapeError) {
	if v, ok := chunk.ParseNumber(text, '.'); ok {
		return v, nil
	}
	switch {
	case p.IsMissing(text):
		return math.NaN(), nil
	case bytes.IndexByte(text, ':') >= 0:
		return 0, &chunk.ShapeError{Text: fmt.Sprintf("a row begins with its label, this one begins with %q", chunk.Excerpt(text)),
			Fix: "write 0 before rows without a label; weights belong into a file of their own, named like this one with .weight"}
	case bytes.IndexByte(text, ',') >= 0:
		return 0, &chunk.ShapeError{Column: svmLabel, Value: chunk.Excerpt(text), Text: "one label, and rows with several cannot be learned from",
			Fix: "write one file per label"}
	}
	return 0, &chunk.ShapeError{Column: svmLabel, Value: chunk.Excerpt(text), Text: "a number, as labels of LibSVM files are",
		Fix: "number the classes"}
}

// largestIndex is the largest index of a feature.
const largestIndex = 1<<31 - 2

func svmIndex(text []byte) (index int32, ok bool) {
	v, ok := svmWhole(text, largestIndex)
	return int32(v), ok
}

// svmWhole reads a whole number from 0 to most.
func svmWhole(text []byte, most int64) (int64, bool) {
	if len(text) == 0 || len(text) > chunk.MaxDigits {
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

func svmQueryNumber(text []byte) (float64, *chunk.ShapeError) {
	v, ok := svmWhole(text, 1<<53)
	if !ok {
		return 0, &chunk.ShapeError{Column: svmQuery, Value: chunk.Excerpt(text), Text: "a query number: a whole number from 0 to 2⁵³"}
	}
	return float64(v), nil
}

// looksLikeSVM reports whether text, which may be cut off at its end, is in the LibSVM
// form: the first line that holds more than a number is `label [qid:n] index:value …`.
func looksLikeSVM(start []byte) bool {
	start = bytes.TrimPrefix(start, []byte(chunk.ByteOrderMark))
	for rest := start; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if at := bytes.IndexByte(line, '#'); at >= 0 {
			line, ended = line[:at], true
		}
		fields := svmFields(nil, line)
		if !ended && len(fields) > 2 {
			fields = fields[:len(fields)-1] // it may be cut off
		}
		switch len(fields) {
		case 0:
			continue
		case 1:
			if _, ok := chunk.ParseNumber(fields[0], '.'); !ok {
				return false
			}
			continue
		}
		return svmLine(fields)
	}
	return false
}

// svmLine reports whether fields are a label and features.
func svmLine(fields [][]byte) bool {
	label, _, _ := bytes.Cut(fields[0], []byte{','}) // several labels are refused later, in words
	if _, ok := chunk.ParseNumber(label, '.'); !ok {
		return false
	}
	for _, field := range fields[1:] {
		name, text, found := bytes.Cut(field, []byte{':'})
		if _, ok := svmIndex(name); !found || !ok && string(name) != svmQuery {
			return false
		}
		if _, ok := chunk.ParseNumber(text, '.'); !ok && !chunk.EqualFold(text, "nan") {
			return false
		}
	}
	return true
}
