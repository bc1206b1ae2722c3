package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// cell is a cell with a value or a formula.
type cell struct {
	column   int
	isText   bool
	noResult bool // a formula whose result is not stored; counts as text
	kind     kind
	number   float64 // unless it is text
	text     []byte  // valid while the row is
}

// mostSheetColumns is XFD, the last column that a sheet can have.
const mostSheetColumns = 16_384

// errStop ends a pass over the rows without an error.
var errStop = errors.New("stop")

// eachRow visits the rows that have a cell with a value or a formula, by their numbers from 1 on. The cells ascend by column, and are
// valid until visit returns.
func (w *workbook) eachRow(visit func(row int, cells []cell) error) error {
	p, err := openPart(w.zip, w.sheet, 1<<62)
	if err != nil {
		return err
	}
	s := &sheet{workbook: w, part: p}
	for {
		token, err := p.next()
		if err != nil {
			p.file.Close()
			return cutOff(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			err = s.open(e)
		case xml.EndElement:
			switch e.Name.Local {
			case "row":
				if len(s.cells) > 0 && s.row > w.above {
					err = visit(s.row, s.cells)
				}
			case "sheetData":
				return p.close()
			}
		}
		if err != nil {
			p.file.Close()
			return err
		}
	}
}

// sheet is the state of a pass over the rows.
type sheet struct {
	*workbook
	part   *part
	row    int
	column int // of the last cell, from 0
	cells  []cell
	texts  []byte // of the row's cells
	value  []byte
}

// open takes the beginning of a row or a cell.
func (s *sheet) open(e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		row := s.row + 1
		if r := attribute(e, "r"); r != "" {
			var err error
			if row, err = strconv.Atoi(r); err != nil || row <= s.row || row > 1<<20 {
				return fmt.Errorf("row %q follows row %d", r, s.row)
			}
		}
		s.row, s.column, s.cells, s.texts = row, -1, s.cells[:0], s.texts[:0]
	case "c":
		return s.cell(e)
	}
	return nil
}

// cell reads a cell.
func (s *sheet) cell(e xml.StartElement) error {
	column := s.column + 1
	if r := attribute(e, "r"); r != "" {
		var ok bool
		if column, ok = columnOf(r); !ok || column <= s.column {
			return fmt.Errorf("cell %q stands in row %d behind column %d", r, s.row, s.column+1)
		}
	}
	if column >= mostSheetColumns {
		return fmt.Errorf("row %d has more than %d cells", s.row, mostSheetColumns)
	}
	s.column = column
	inline, formula := false, false
	s.value = s.value[:0]
	for {
		token, err := s.part.next()
		if err != nil {
			return cutOff(err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "c" {
				return s.add(e, column, inline, formula)
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "v":
				s.value, err = s.part.text(s.value[:0], true)
			case "is":
				inline = true
				s.value, err = s.part.text(s.value[:0], false)
			default:
				formula = formula || t.Name.Local == "f"
				_, err = s.part.text(nil, false)
			}
			if err != nil {
				return err
			}
		}
	}
}

// add takes a cell whose value was read. A cell without a value is skipped, unless it is a formula whose result is not known to be
// the empty text.
func (s *sheet) add(e xml.StartElement, column int, inline, formula bool) error {
	if len(s.value) == 0 {
		if formula && attribute(e, "t") != "str" {
			s.cells = append(s.cells, cell{column: column, isText: true, noResult: true})
		}
		return nil
	}
	c := cell{column: column}
	switch t := attribute(e, "t"); t {
	case "", "n":
		if inline {
			return s.addText(c, s.value)
		}
		v, ok := plain.ParseNumber(s.value, '.')
		if !ok {
			return fmt.Errorf("cell %s holds the number %q", s.name(column), chunk.Excerpt(s.value))
		}
		c.number = v
		if style, err := strconv.Atoi(attribute(e, "s")); err == nil && style >= 0 && style < len(s.formats) {
			c.kind = s.formats[style]
		}
		s.cells = append(s.cells, c)
		return nil
	case "s":
		at, err := strconv.Atoi(string(s.value))
		if err != nil || at < 0 || at >= len(s.workbook.texts) {
			return fmt.Errorf("cell %s refers to text %q of %d", s.name(column), chunk.Excerpt(s.value), len(s.workbook.texts))
		}
		return s.addText(c, []byte(s.workbook.texts[at]))
	case "b":
		if string(s.value) == "0" {
			return s.addText(c, []byte("false"))
		}
		return s.addText(c, []byte("true"))
	}
	return s.addText(c, unescape(s.value)) // inlineStr; str, the text of a formula; e, an error; d, a date
}

func (s *sheet) addText(c cell, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if len(s.texts) > mostToken*4 {
		return errors.New("a row has more than 64 MiB of text")
	}
	start := len(s.texts)
	s.texts = append(s.texts, text...)
	c.isText, c.text = true, s.texts[start:len(s.texts):len(s.texts)]
	s.cells = append(s.cells, c)
	return nil
}

// name returns the name of a cell of the row, like B7.
func (s *sheet) name(column int) string { return columnName(column) + strconv.Itoa(s.row) }

// columnOf returns the number of the column of a cell like B7, from 0.
func columnOf(name string) (column int, ok bool) {
	for i, c := range []byte(name) {
		if c < 'A' || c > 'Z' {
			return column - 1, i > 0
		}
		if column = column*26 + int(c-'A') + 1; column > mostSheetColumns {
			return 0, false
		}
	}
	return 0, false
}

// columnName returns the letters of a column.
func columnName(column int) string {
	if column < 26 {
		return string(rune('A' + column))
	}
	return columnName(column/26-1) + string(rune('A'+column%26))
}

// content returns the text that a cell has where texts are wanted.
func (w *workbook) content(c *cell) []byte {
	switch {
	case c.isText:
		return c.text
	case c.kind == date:
		return []byte(dateText(w.secondsOf(c.number)))
	case c.isClock():
		return []byte(clockText(c.number))
	}
	return []byte(plain.FormatNumber(c.number))
}

// isClock reports whether the number is a time of day.
func (c *cell) isClock() bool { return c.kind == clock && c.number >= 0 && c.number < 1 }
