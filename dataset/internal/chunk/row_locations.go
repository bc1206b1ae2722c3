package chunk

import "sort"

// RowLocations maps rows to files and lines. The zero value says that rows come from
// memory.
type RowLocations struct {
	Files []string
	Runs  []LineRun
	ByRow bool // the files have rows, from 1, and no lines
	// Origin maps a row of a subset to the row that runs knows; nil is the identity.
	Origin []int32
}

// LineRun is a run of rows: those from row on begin on the lines from line on, one each,
// until the next run. Only blank lines, line breaks inside cells, skipped rows
// and new files begin a run.
type LineRun struct {
	Row  int
	Line int
	File int32
}

// AppendLineRun adds a run unless the last one goes on as it says.
func AppendLineRun(runs []LineRun, next LineRun) []LineRun {
	if n := len(runs); n > 0 {
		last := runs[n-1]
		if last.File == next.File && next.Line-last.Line == next.Row-last.Row {
			return runs
		}
	}
	return append(runs, next)
}

func (p *RowLocations) Locate(row int) (file string, line int) {
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
func (p *RowLocations) Mark(e *ParseError, row int) {
	e.File, e.Line = p.Locate(row)
	e.Row = p.ByRow
}

func (p *RowLocations) Take(rows []int32) RowLocations {
	origin := make([]int32, len(rows))
	for i, row := range rows {
		origin[i] = row
		if p.Origin != nil {
			origin[i] = p.Origin[row]
		}
	}
	return RowLocations{Files: p.Files, Runs: p.Runs, ByRow: p.ByRow, Origin: origin}
}

// Shift puts all rows so many lines further down.
func (p *RowLocations) Shift(lines int) {
	for i := range p.Runs {
		p.Runs[i].Line += lines
	}
}

// Sound reports whether every row of n can be located.
func (p *RowLocations) Sound(n int) bool {
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
