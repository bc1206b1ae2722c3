package write

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"boost/internal/kernel/text"
)

// textRows is how many rows of text are made at a time.
const textRows = 4096

// textForm is a format of a line per row.
type textForm struct {
	header func(columns []Column) []byte // what comes before the lines
	lines  func(b []byte, columns []Column, lo, hi int) []byte
}

var textForms = map[string]*textForm{"csv": {csvHeader, csvLines}, "jsonl": {noHeader, jsonLines}}

// write writes the header, then all lines.
func (f *textForm) write(ctx context.Context, w io.Writer, tables []Table) error {
	if _, err := w.Write(f.header(tables[0].Columns)); err != nil {
		return err
	}
	var b []byte
	for _, table := range tables {
		err := everyBlock(ctx, table.Rows, textRows, func(lo, hi int) error {
			b = f.lines(b[:0], table.Columns, lo, hi)
			_, err := w.Write(b)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func noHeader([]Column) []byte { return nil }

func csvHeader(columns []Column) []byte {
	var b []byte
	for i, name := range Names(columns) {
		b = csvCell(comma(b, i), name)
	}
	return csvEnd(b, 0)
}

func csvLines(b []byte, columns []Column, lo, hi int) []byte {
	for row := lo; row < hi; row++ {
		start := len(b)
		for i := range columns {
			b = columns[i].appendCSV(comma(b, i), row)
		}
		b = csvEnd(b, start)
	}
	return b
}

// csvEnd ends the line that began at start. One that is empty, the cell of the only column, gets quotes: readers skip empty lines.
func csvEnd(b []byte, start int) []byte {
	if len(b) == start {
		b = append(b, '"', '"')
	}
	return append(b, '\n')
}

func comma(b []byte, i int) []byte {
	if i == 0 {
		return b
	}
	return append(b, ',')
}

// appendCSV appends a cell. Numbers have the shortest text that reads back as the same.
func (c *Column) appendCSV(b []byte, row int) []byte {
	switch {
	case c.Ints != nil:
		return strconv.AppendInt(b, int64(c.int(row)), 10)
	case c.Floats != nil:
		return text.AppendFloat(b, c.float(row))
	}
	return csvCell(b, c.text(row))
}

// csvCell appends a cell, in quotes where RFC 4180 asks for them.
func csvCell(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// jsonLines writes an object per row.
func jsonLines(b []byte, columns []Column, lo, hi int) []byte {
	keys := make([][]byte, len(columns))
	for i, name := range Names(columns) {
		keys[i] = append(jsonText(nil, name), ':')
	}
	for row := lo; row < hi; row++ {
		b = append(b, '{')
		for i := range columns {
			b = append(comma(b, i), keys[i]...)
			b = columns[i].appendJSON(b, row)
		}
		b = append(b, '}', '\n')
	}
	return b
}

// appendJSON appends a cell as JSON: texts are text, levels that are numbers are numbers,
// and what is no finite number is null, as is a text that is empty, the missing cell of an id.
func (c *Column) appendJSON(b []byte, row int) []byte {
	switch {
	case c.Ints != nil:
		return strconv.AppendInt(b, int64(c.int(row)), 10)
	case c.Codes != nil && c.Codes[row] < 0, c.Texts != nil && c.Texts[row] == "":
		return append(b, "null"...)
	case c.Texts != nil || !c.NumericLevels && c.Codes != nil:
		return jsonText(b, c.text(row))
	}
	v := c.float(row)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return append(b, "null"...)
	case c.Codes != nil:
		return append(b, c.text(row)...)
	}
	return text.AppendFloat(b, v)
}

// jsonText appends s as a JSON string.
func jsonText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
