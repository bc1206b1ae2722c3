package chunk

import "sort"

// Places maps rows to files and lines. The zero value says that rows come from
// memory.
type Places struct {
	Files []string
	Runs  []PlaceRun
	ByRow bool // the files have rows, from 1, and no lines
	// Origin maps a row of a subset to the row that runs knows; nil is the identity.
	Origin []int32
}

// PlaceRun says that rows from row on begin on the lines from line on, one each,
// until the next run. Only blank lines, line breaks inside cells, skipped rows
// and new files begin a run.
type PlaceRun struct {
	Row  int
	Line int
	File int32
}

// AppendRun adds a run unless the last one goes on as it says.
func AppendRun(runs []PlaceRun, next PlaceRun) []PlaceRun {
	if n := len(runs); n > 0 {
		last := runs[n-1]
		if last.File == next.File && next.Line-last.Line == next.Row-last.Row {
			return runs
		}
	}
	return append(runs, next)
}

func (p *Places) Locate(row int) (file string, line int) {
	if p.Origin != nil {
		row = int(p.Origin[row])
	}
	if len(p.Runs) == 0 {
		return "", row + 1
	}
	i := sort.Search(len(p.Runs), func(i int) bool { return p.Runs[i].Row > row }) - 1
	run := p.Runs[i]
	return p.Files[run.File], run.Line + row - run.Row
}

// Mark writes a row's place into an error.
func (p *Places) Mark(e *ParseError, row int) {
	e.File, e.Line = p.Locate(row)
	e.Row = p.ByRow
}

func (p *Places) Take(rows []int32) Places {
	origin := make([]int32, len(rows))
	for i, row := range rows {
		origin[i] = row
		if p.Origin != nil {
			origin[i] = p.Origin[row]
		}
	}
	return Places{Files: p.Files, Runs: p.Runs, ByRow: p.ByRow, Origin: origin}
}

// Shift puts all rows so many lines further down.
func (p *Places) Shift(lines int) {
	for i := range p.Runs {
		p.Runs[i].Line += lines
	}
}

// Sound reports whether every row of n can be located.
func (p *Places) Sound(n int) bool {
	last := -1
	for i, run := range p.Runs {
		if run.Row <= last && i > 0 || i == 0 && run.Row != 0 || int(run.File) >= len(p.Files) || run.File < 0 {
			return false
		}
		last = run.Row
	}
	for _, row := range p.Origin {
		if row < 0 {
			return false
		}
	}
	return p.Origin == nil || len(p.Origin) == n
}
