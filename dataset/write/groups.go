package write

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// groupWriter writes a format that holds its columns in groups of rows.
type groupWriter interface {
	// group writes the rows lo to hi as one.
	group(columns []Column, lo, hi int) error
	// close writes the end of the file.
	close() error
}

// groupForm is such a format.
type groupForm struct {
	open func(w io.Writer, columns []Column) (groupWriter, error)
	most int // rows of a group
}

var groupForms = map[string]groupForm{"arrow": {newArrowWriter, arrowRows}, "parquet": {newParquetWriter, parquetRows}}

// groupBytes is about what the cells of a group take at most, as it is held in memory until
// it is whole; a group of very wide rows has leastGroup of them all the same.
const (
	groupBytes = 64 << 20
	leastGroup = 1 << 10
	idBytes    = 32 // about what an id takes
)

// rows returns how many rows a group of the columns has.
func (f groupForm) rows(columns []Column) int {
	width := 0
	for i := range columns {
		switch {
		case columns[i].Texts != nil:
			width += idBytes
		case columns[i].Floats != nil:
			width += 8
		default:
			width += 4
		}
	}
	return min(f.most, max(leastGroup, groupBytes/max(1, width)))
}

// groupFormOf returns a format of groups.
func groupFormOf(format string) (groupForm, error) {
	form, known := groupForms[format]
	if !known {
		return form, fmt.Errorf("format %q cannot be written: it is one of %s", format, strings.Join(Formats(), ", "))
	}
	return form, nil
}

// writeGroups writes tables that all are there.
func writeGroups(ctx context.Context, w io.Writer, format string, tables []Table) error {
	form, err := groupFormOf(format)
	if err != nil {
		return err
	}
	out, err := form.open(w, tables[0].Columns)
	if err != nil {
		return err
	}
	for _, table := range tables {
		err := everyBlock(ctx, table.Rows, form.rows(table.Columns), func(lo, hi int) error {
			return out.group(table.Columns, lo, hi)
		})
		if err != nil {
			return err
		}
	}
	return out.close()
}
