package dataset

import "sort"

// places maps rows to files and lines. The zero value says that rows come from
// memory.
type places struct {
	files []string
	runs  []placeRun
	byRow bool // the files have rows, from 1, and no lines
	// origin maps a row of a subset to the row that runs knows; nil is the identity.
	origin []int32
}

// placeRun says that rows from row on begin on the lines from line on, one each,
// until the next run. Only blank lines, line breaks inside cells, skipped rows
// and new files begin a run.
type placeRun struct {
	row  int
	line int
	file int32
}

// appendRun adds a run unless the last one goes on as it says.
func appendRun(runs []placeRun, next placeRun) []placeRun {
	if n := len(runs); n > 0 {
		last := runs[n-1]
		if last.file == next.file && next.line-last.line == next.row-last.row {
			return runs
		}
	}
	return append(runs, next)
}

func (p *places) locate(row int) (file string, line int) {
	if p.origin != nil {
		row = int(p.origin[row])
	}
	if len(p.runs) == 0 {
		return "", row + 1
	}
	i := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].row > row }) - 1
	run := p.runs[i]
	return p.files[run.file], run.line + row - run.row
}

// mark writes a row's place into an error.
func (p *places) mark(e *ParseError, row int) {
	e.File, e.Line = p.locate(row)
	e.Row = p.byRow
}

func (p *places) take(rows []int32) places {
	origin := make([]int32, len(rows))
	for i, row := range rows {
		origin[i] = row
		if p.origin != nil {
			origin[i] = p.origin[row]
		}
	}
	return places{files: p.files, runs: p.runs, byRow: p.byRow, origin: origin}
}

// shift puts all rows so many lines further down.
func (p *places) shift(lines int) {
	for i := range p.runs {
		p.runs[i].line += lines
	}
}

// sound says whether every row of n can be located.
func (p *places) sound(n int) bool {
	last := -1
	for i, run := range p.runs {
		if run.row <= last && i > 0 || i == 0 && run.row != 0 || int(run.file) >= len(p.files) || run.file < 0 {
			return false
		}
		last = run.row
	}
	for _, row := range p.origin {
		if row < 0 {
			return false
		}
	}
	return p.origin == nil || len(p.origin) == n
}
