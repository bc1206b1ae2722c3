package sidefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"
)

// reader reads the side files of one kind, those of several inputs one after
// another.
type reader struct {
	kind   fileKind
	column string // in messages
	width  int    // numbers per row, 0 until the first
	values []float64
	ends   []int32 // of queries: the row behind each one's last
}

// read reads one file and returns the number of rows that it is for.
func (r *reader) read(file string) (rows int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, chunk.Errorf("%s cannot be read: %w", file, chunk.WithoutPath(err))
	}
	defer f.Close()
	err = chunk.ReadUnchanged(f, file, func() error {
		rows, err = r.lines(f, file)
		return err
	})
	return rows, err
}

// lines reads the lines of a file.
func (r *reader) lines(f io.Reader, file string) (rows int, err error) {
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	before := r.rows()
	blank := 0 // the line of the first of the blank ones just seen
	for line := 1; lines.Scan(); line++ {
		cells := bytes.FieldsFunc(lines.Bytes(), func(c rune) bool { return c == ' ' || c == '\t' || c == ',' || c == '\r' })
		if len(cells) == 0 {
			if blank == 0 {
				blank = line
			}
			continue
		}
		if blank > 0 {
			return 0, r.bad(file, blank, "")
		}
		if err := r.line(file, line, cells); err != nil {
			return 0, err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return 0, chunk.Errorf("%s: a line is longer than 1 MiB; is this a file of %s?", file, r.kind.title)
	} else if err != nil && err != io.EOF {
		return 0, chunk.Errorf("%s cannot be read: %w", file, chunk.WithoutPath(err))
	}
	return r.rows() - before, nil
}

// rows returns for how many rows there are values so far.
func (r *reader) rows() int {
	switch {
	case r.width == 0:
		return 0
	case r.kind.role == chunk.GroupRole:
		return int(r.ends[len(r.ends)-1])
	}
	return len(r.values) / r.width
}

// line reads the numbers of one line.
func (r *reader) line(file string, line int, cells [][]byte) error {
	width := len(cells)
	if width > 1 && r.kind.role != chunk.InitScoreRole || r.width > 0 && width != r.width {
		return &chunk.ParseError{File: file, Line: line, Want: fmt.Sprintf("%d numbers, expected %d", width, max(r.width, 1))}
	}
	r.width = width
	for _, cell := range cells {
		v, ok := plain.ParseNumber(cell, '.')
		if !ok || math.IsInf(v, 0) {
			return r.bad(file, line, chunk.Excerpt(cell))
		}
		if r.kind.role != chunk.GroupRole {
			r.values = append(r.values, v)
			continue
		}
		before := 0
		if n := len(r.ends); n > 0 {
			before = int(r.ends[n-1])
		}
		if v != math.Floor(v) || v < 0 || v > float64(math.MaxInt32-before) {
			return r.bad(file, line, chunk.Excerpt(cell))
		}
		r.ends = append(r.ends, int32(before+int(v)))
	}
	return nil
}

func (r *reader) bad(file string, line int, text string) error {
	want := map[chunk.Role]string{
		chunk.WeightRole:    "a number, and each line holds the weight of one row",
		chunk.GroupRole:     "a whole number of rows, and each line holds how many rows a query has",
		chunk.PositionRole:  "a number, and each line holds the position of one row",
		chunk.InitScoreRole: "a number, and each line holds the init scores of one row",
	}[r.kind.role]
	return &chunk.ParseError{File: file, Line: line, Column: r.column, Value: text, Want: want}
}
