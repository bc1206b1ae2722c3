package sidefile

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"boost/dataset/internal/chunk"
)

// fileKind is one of the files that LightGBM looks for beside a table. Their columns
// are called by these names unless a model calls them otherwise.
type fileKind struct {
	ending string // of the name, behind that of the table's file
	column string
	role   chunk.Role
	option string // by which a column of the table itself is named
	title  string
}

var kinds = []fileKind{
	{".weight", "weight", chunk.WeightRole, "weight", "weights"},
	{".query", "qid", chunk.GroupRole, "group", "queries"},
	{".position", "position", chunk.PositionRole, "position", "positions"},
	{".init", "init_score", chunk.InitScoreRole, "init_score", "init scores"},
}

// fileColumn is a column that stands in files beside the inputs.
type fileColumn struct {
	name   string
	values []float64 // of all inputs, one after another
	ends   []int32   // instead of the values of queries: the row behind each one's last
}

// fill writes the values of the rows from first on, as far as there are any.
func (c *fileColumn) fill(dst []float64, first int) {
	if c.ends == nil {
		if first < len(c.values) {
			copy(dst, c.values[first:])
		}
		return
	}
	// A count is what a file claims; rows take memory only as the table has them.
	query, _ := slices.BinarySearch(c.ends, int32(first+1))
	for i := range dst {
		for query < len(c.ends) && int(c.ends[query]) <= first+i {
			query++
		}
		if query == len(c.ends) {
			return
		}
		dst[i] = float64(query + 1)
	}
}

// sideFile is a file beside an input, and the rows that it speaks of.
type sideFile struct {
	name  string
	input int
	rows  int
	ends  []int32 // of queries: the row behind each line's last, rows of files before it counted too
	first int     // the rows of files before it
}

// disagrees describes a file that speaks of another number of rows than its table has, at
// the line with which it begins to, or at its last.
func (f *sideFile) disagrees(table string, rows int) *chunk.ParseError {
	last := f.rows
	line := min(rows+1, last)
	if f.ends != nil {
		last = len(f.ends)
		for line = 1; line < last && int(f.ends[line-1])-f.first <= rows; {
			line++
		}
	}
	return &chunk.ParseError{File: f.name, Line: max(line, 1), Want: fmt.Sprintf("the file is for %d rows, %s has %d", f.rows, table, rows),
		Fix: `write it anew for this table, or set side_files = "ignore"`}
}

// Source adds the columns of side files to those of a source.
type Source struct {
	chunk.Source
	*chunk.Options
	inputs []chunk.Input
	own    int // columns of the source
	added  []fileColumn
	files  []sideFile
	said   []string
}

// NewSource adds the files beside the inputs to a source of them.
func NewSource(inner chunk.Source, o *chunk.Options, inputs []chunk.Input) *Source {
	return &Source{Source: inner, Options: o, inputs: inputs}
}

// Names returns the names of the files that stand beside the inputs.
func Names(inputs []chunk.Input) ([]string, error) {
	var names []string
	for _, kind := range kinds {
		files, err := beside(inputs, kind)
		if err != nil {
			return nil, err
		}
		names = append(names, files...)
	}
	return names, nil
}

// Files returns the names of the files that give the table columns. It is called after Columns.
func (s *Source) Files() []string {
	var names []string
	for i := range s.files {
		names = append(names, s.files[i].name)
	}
	return names
}

// Unwrap returns the source of the table itself.
func (s *Source) Unwrap() chunk.Source { return s.Source }

// Columns reads the side files and names the columns, theirs last.
func (s *Source) Columns(ctx context.Context) ([]string, error) {
	names, err := s.Source.Columns(ctx)
	if err != nil {
		return nil, err
	}
	s.own = len(names)
	found := false
	for _, kind := range kinds {
		files, err := beside(s.inputs, kind)
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			found = true
			if err := s.add(kind, files, names); err != nil {
				return nil, err
			}
		}
	}
	names = slices.Clip(names)
	for _, c := range s.added {
		names = append(names, c.name)
	}
	if text, is := chunk.Find[chunk.Headed](s.Source); is && found && !text.HasHeader() && s.Schema == nil && s.Labels == nil && !s.Assigns(names[0]) {
		s.Labels = names[:1]
		s.said = append(s.said, fmt.Sprintf("%s has no header line and files of LightGBM's beside it: its first column, %s, is taken for the label", s.inputs[0].Name, names[0]))
	}
	return names, nil
}

// beside returns the files of one kind, one for each input, or none.
func beside(inputs []chunk.Input, kind fileKind) ([]string, error) {
	var files []string
	for _, in := range inputs {
		if in.Spool != nil {
			return nil, nil
		}
		candidates := []string{in.Name + kind.ending}
		for _, packed := range []string{".gz", ".zst", ".zstd"} {
			if plain, is := strings.CutSuffix(in.Name, packed); is {
				candidates = append(candidates, plain+kind.ending)
			}
		}
		for _, name := range candidates {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				files = append(files, name)
				break
			}
		}
	}
	if len(files) > 0 && len(files) < len(inputs) {
		return nil, chunk.Errorf("%s stands beside one of the files that are read as one, and others have none like it; give each one, or set side_files = \"ignore\"", files[0])
	}
	return files, nil
}

// add reads the files of one kind, unless the table or the model has no use for them.
func (s *Source) add(kind fileKind, files, names []string) error {
	called := []string{kind.column}
	switch {
	case s.Schema != nil:
		called = s.Schema.RoleNames(kind.role)
		if len(called) == 0 || slices.Contains(names, called[0]) {
			return nil
		}
	case givenColumn(s.Options, kind.role) != "":
		s.said = append(s.said, fmt.Sprintf("%s is not read, as %s = %q names a column of the table", files[0], kind.option, givenColumn(s.Options, kind.role)))
		return nil
	}
	r := &reader{kind: kind, column: called[0]}
	for i, file := range files {
		before, lines := r.rows(), len(r.ends)
		rows, err := r.read(file)
		if err != nil {
			return err
		}
		s.files = append(s.files, sideFile{name: file, input: i, rows: rows, ends: r.ends[lines:], first: before})
	}
	if s.Schema == nil && r.width > 1 {
		called = nil
		for k := range r.width {
			called = append(called, fmt.Sprintf("%s%d", kind.column, k+1))
		}
	}
	if r.width > 0 && len(called) != r.width {
		return chunk.Errorf("%s has %d columns, the model has %d of them: %s", files[0], r.width, len(called), chunk.NameList(called, 5))
	}
	for k, name := range called {
		if slices.Contains(names, name) {
			return chunk.Errorf("%s gives the table a column %q, and it has one; rename that one, or set side_files = \"ignore\"", files[0], name)
		}
		if s.Assigns(name) {
			return chunk.Errorf("%s gives the table a column %q, whose role is %s: leave out the setting that gives it another one", files[0], name, kind.role)
		}
		c := fileColumn{name: name, ends: r.ends}
		for i := k; i < len(r.values); i += r.width {
			c.values = append(c.values, r.values[i])
		}
		s.added = append(s.added, c)
	}
	if s.Schema == nil {
		takeOptions(s.Options, kind.role, called)
		s.said = append(s.said, fmt.Sprintf("%s are read from %s", kind.title, chunk.NameList(files, 3)))
	}
	return nil
}

// givenColumn returns the column that an option names for the role, "" without one.
func givenColumn(o *chunk.Options, role chunk.Role) string {
	switch {
	case role == chunk.WeightRole:
		return o.Weight
	case role == chunk.GroupRole:
		return o.Group
	case role == chunk.PositionRole:
		return o.Position
	case len(o.InitScores) > 0:
		return o.InitScores[0]
	}
	return ""
}

// takeOptions names columns for the role as an option would.
func takeOptions(o *chunk.Options, role chunk.Role, columns []string) {
	switch role {
	case chunk.WeightRole:
		o.Weight = columns[0]
	case chunk.GroupRole:
		o.Group = columns[0]
	case chunk.PositionRole:
		o.Position = columns[0]
	case chunk.InitScoreRole:
		o.InitScores = columns
	}
}

// Notes says what the side files gave.
func (s *Source) Notes(blank int) []string { return append(s.Source.Notes(blank), s.said...) }

// Read reads the source and puts the column chunks of side files into its chunks. For that a
// chunk has to wait until the ones before it are there, which say with which row it begins;
// where no target is a side column, rows are counted only.
func (s *Source) Read(ctx context.Context, p *chunk.Pass) error {
	if len(s.added) == 0 {
		return s.Source.Read(ctx, p)
	}
	m := &merge{Source: s, pass: p, outer: p.Emit, targets: p.Targets, rows: make([]int, len(s.inputs))}
	defer func() { p.Targets, p.Emit = m.targets, m.outer }()
	p.Targets, p.Emit = nil, m.emit
	for i, t := range m.targets {
		if t.Source < s.own {
			p.Targets = append(p.Targets, t)
			m.positions = append(m.positions, i)
		}
	}
	err := s.Source.Read(ctx, p)
	for len(m.chunks.Waiting) > 0 { // a chunk is absent: there was an error
		m.emit(nil)
	}
	if err != nil || p.Stop.Load() || ctx.Err() != nil {
		return err
	}
	return m.check()
}

// merge is one pass.
type merge struct {
	*Source
	pass      *chunk.Pass
	outer     func(*chunk.Chunk)
	targets   []chunk.Target // of the whole pass, side columns among them
	positions []int          // of the source's targets among them

	mutex    sync.Mutex
	chunks   chunk.ReorderBuffer[*chunk.Chunk] // to be emitted
	first    int                               // row with which the next one begins
	rows     []int                             // by input
	skipped  int
	mismatch bool // the side files are known to speak of other rows
}

// disagree reports whether a side file is known not to fit, now that rows of an input came.
func (m *merge) disagree(input int) bool {
	for i := range m.files {
		f := &m.files[i]
		if rows := m.rows[f.input]; rows > f.rows || f.input < input && rows < f.rows {
			return true
		}
	}
	return false
}

// emit takes a chunk of the source, and nil for one that never comes.
func (m *merge) emit(ch *chunk.Chunk) {
	m.mutex.Lock()
	if len(m.positions) == len(m.targets) {
		m.count(ch)
		m.mutex.Unlock()
		m.outer(ch)
		return
	}
	if ch == nil {
		m.chunks.Next++
	} else {
		m.chunks.Put(ch.Index, ch)
	}
	var ready []*chunk.Chunk
	var firsts []int
	for ch, ok := m.chunks.Take(); ok; ch, ok = m.chunks.Take() {
		ready, firsts = append(ready, ch), append(firsts, m.first)
		m.first += ch.Rows
		m.count(ch)
		m.mismatch = m.mismatch || m.disagree(ch.File)
		ch.SideMismatch = m.mismatch
	}
	m.mutex.Unlock()
	for i, ch := range ready {
		m.fill(ch, firsts[i])
		m.outer(ch)
	}
}

// count adds a chunk's rows to those that the side files have to speak of.
func (m *merge) count(ch *chunk.Chunk) {
	m.skipped += ch.Skipped
	if ch.FileRows == nil {
		m.rows[ch.File] += ch.Rows
	}
	for file, rows := range ch.FileRows {
		m.rows[file] += rows
	}
}

// fill gives a chunk the column chunks of the side columns.
func (m *merge) fill(ch *chunk.Chunk, first int) {
	columns := chunk.NewColumns(len(m.targets))
	for i, at := range m.positions {
		columns[at] = ch.Columns[i]
	}
	for i, t := range m.targets {
		if t.Source < m.own {
			continue
		}
		values := make([]float64, ch.Rows)
		for k := range values {
			values[k] = math.NaN()
		}
		m.added[t.Source-m.own].fill(values, first) // check reports what does not fit
		o := m.Options
		if t.Role == chunk.GroupRole {
			other := *o
			other.MissingNumbers = nil // the file has none: its numbers count its queries
			o = &other
		}
		if p, err := o.FromNumbers(t, values); err == nil {
			columns[i] = *p
		} else {
			panic("dataset: numbers make a column: " + err.Error())
		}
	}
	ch.Columns = columns
}

// check fails where a side file speaks of more or fewer rows than its table has.
func (m *merge) check() error {
	if len(m.added) > 0 && m.skipped > 0 {
		return chunk.Errorf("%d %s of %s cannot be read, so the rows of %s do not stand for those that are left; correct them, or set side_files = \"ignore\"",
			m.skipped, chunk.Plural(m.skipped, "row"), m.inputs[0].Name, m.files[0].name)
	}
	for i := range m.files {
		f := &m.files[i]
		if rows := m.rows[f.input]; rows != f.rows {
			return f.disagrees(m.inputs[f.input].Name, rows)
		}
	}
	return nil
}
