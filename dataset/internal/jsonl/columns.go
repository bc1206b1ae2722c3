package jsonl

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/records"
)

// columnIndex finds columns by name.
type columnIndex struct {
	names []string
	byKey map[string]int
	next  int // the column behind the last one: rows mostly have their keys in one order
}

func newColumnIndex(names []string) *columnIndex {
	x := &columnIndex{names: names, byKey: make(map[string]int, len(names))}
	for i, name := range names {
		x.byKey[name] = i
	}
	return x
}

// find returns the number of a name, −1 for an unknown one. Bytes that are not UTF-8 count as U+FFFD, as in
// encoding/json.
func (x *columnIndex) find(name []byte) int {
	if x.next < len(x.names) && x.names[x.next] == string(name) {
		x.next++
		return x.next - 1
	}
	i, ok := x.byKey[string(name)]
	if !ok && !utf8.Valid(name) {
		i, ok = x.byKey[string(validName(name))]
	}
	if !ok {
		return -1
	}
	x.next = i + 1
	return i
}

func validName(name []byte) []byte { return bytes.ToValidUTF8(name, []byte("\uFFFD")) }

// keys are the names that rows have, as one worker met them.
type keys struct {
	*columnIndex
	piece       int   // the current one
	firsts      []int // by name: the piece in which it was met first
	filled      []bool
	rows, cells int
	tooMany     bool
	refused     *chunk.ParseError // the first row of the first piece that cannot be read
}

func newKeys() *keys { return &keys{columnIndex: newColumnIndex(nil)} }

func (k *keys) column(name []byte) int {
	if i := k.find(name); i >= 0 {
		return i
	}
	if len(k.names) > chunk.MostColumns {
		k.tooMany = true
		return -1
	}
	i := len(k.names)
	k.names, k.firsts, k.filled = append(k.names, string(validName(name))), append(k.firsts, k.piece), append(k.filled, false)
	k.byKey[k.names[i]] = i
	k.next = i + 1
	return i
}

func (k *keys) cell(column int, v value, _ []byte) *refusal {
	if column >= 0 && v != null {
		k.filled[column] = true
	}
	k.cells++
	return nil
}

// take collects the names in the rows of a piece. Rows that cannot be read are refused later, by the parser.
func (k *keys) take(text []byte, piece int) {
	k.piece = piece
	s, number := &scanner{visitor: k}, 0
	for line := range lines(text) {
		number++
		if isBlank(line) {
			continue
		}
		k.rows++
		if r := s.row(line); r != nil && piece == 0 && k.refused == nil {
			k.refused = &chunk.ParseError{Line: number, Want: r.want, Fix: r.fix}
		}
	}
}

// met is a name that stands in rows.
type met struct {
	Name   string
	Filled bool // with something else than null or an object
}

// found is what was found in rows.
type found struct {
	Names       []met // in the order of the rows
	Rows, Cells int
	TooMany     bool
	Refused     *chunk.ParseError // the first row of the input, if it cannot be read
}

// union returns what workers met.
func union(workers []*keys) (f found) {
	all := newKeys()
	type first struct {
		name         string
		piece, place int
	}
	var firsts []first
	for _, k := range workers {
		f.Rows, f.Cells, f.TooMany = f.Rows+k.rows, f.Cells+k.cells, f.TooMany || k.tooMany
		if k.refused != nil {
			f.Refused = k.refused
		}
		for i, name := range k.names {
			at := all.column([]byte(name))
			if at < 0 {
				f.TooMany = true
				return f
			}
			all.filled[at] = all.filled[at] || k.filled[i]
			if met := (first{name, k.firsts[i], i}); at == len(firsts) {
				firsts = append(firsts, met)
			} else if met.piece < firsts[at].piece {
				firsts[at] = met
			}
		}
	}
	slices.SortFunc(firsts, func(a, b first) int {
		if a.piece != b.piece {
			return a.piece - b.piece
		}
		return a.place - b.place
	})
	for _, x := range firsts {
		f.Names = append(f.Names, met{x.name, all.filled[all.byKey[x.name]]})
	}
	return f
}

// join puts together what was found in parts of the rows that follow each other.
func join(parts []found) (all found) {
	at := make(map[string]int)
	for i := range parts {
		f := &parts[i]
		all.Rows, all.Cells, all.TooMany = all.Rows+f.Rows, all.Cells+f.Cells, all.TooMany || f.TooMany
		if all.Refused == nil {
			all.Refused = f.Refused
		}
		for _, m := range f.Names {
			k, known := at[m.Name]
			if !known {
				k = len(all.Names)
				at[m.Name] = k
				all.Names = append(all.Names, m)
			}
			all.Names[k].Filled = all.Names[k].Filled || m.Filled
		}
	}
	all.TooMany = all.TooMany || len(all.Names) > chunk.MostColumns
	return all
}

// columns returns the names of columns. A name that stands for nothing but null, or for objects, is left out.
func (f *found) columns() (names []string) {
	above := make(map[string]bool) // names of objects
	for _, m := range f.Names {
		for i, c := range m.Name {
			if c == '.' {
				above[m.Name[:i]] = true
			}
		}
	}
	for _, m := range f.Names {
		if !above[m.Name] || m.Filled {
			names = append(names, m.Name)
		}
	}
	return names
}

// Columns returns the names in the rows. Without a model they are known only at the end of the last input.
// With one, the beginning of the input shows which other columns there are, and all features of the model are expected.
func (r *Reader) Columns(ctx context.Context) ([]string, error) {
	if r.inputs[0].Part != nil {
		err := r.dividedColumns(ctx)
		return r.names, err
	}
	t, head, all, err := r.open(0)
	if err != nil {
		return nil, err
	}
	k := newKeys()
	whole := all && len(r.inputs) == 1
	switch {
	case whole || r.Schema != nil:
		k.take(head, 0)
		r.first = t
		if err = r.takeNext(k, all); err == nil {
			err = r.nameColumns(union([]*keys{k}))
		}
	case r.inputs[0].Spool != nil && !r.inputs[0].Spool.Keep:
		t.Stream.Close()
		err = chunk.Errorf("%s is JSON lines, whose columns are known at the end only, and no copy was kept to read it again (leave out --no-spool, or read from a file)", r.inputs[0].Name)
	default:
		var f found
		if f, err = r.collectKeys(ctx, t); err == nil {
			err = r.nameColumns(f)
		}
	}
	if err != nil {
		return nil, err
	}
	if r.Schema != nil {
		r.assumed = len(r.names)
		for i := range r.Schema.Columns {
			if c := &r.Schema.Columns[i]; c.Role == chunk.Feature && !whole && !slices.Contains(r.names, c.Name) {
				r.names = append(r.names, c.Name)
			}
		}
		r.met = make([]atomic.Bool, len(r.names)-r.assumed)
	}
	if len(r.names) == 0 {
		return nil, r.nothing()
	}
	return r.names, nil
}

// takeNext collects the names in the beginning of the first input that has rows, where those before it are read and have none.
func (r *Reader) takeNext(k *keys, all bool) error {
	for file := 1; all && k.rows == 0 && file < len(r.inputs); file++ {
		if spool := r.inputs[file].Spool; spool != nil && !spool.Keep { // it can be read once
			return nil
		}
		t, head, ended, err := r.open(file)
		if err != nil {
			return err
		}
		t.Stream.Close()
		k.take(head, file)
		all = ended
	}
	return nil
}

// nothing is the error about inputs without a key.
func (r *Reader) nothing() error {
	return chunk.Errorf("%s holds no object with a key; JSON lines have one object a line, like {\"age\": 31}", r.inputs[0].Name)
}

// collectKeys goes through all inputs. The first may be open already.
func (r *Reader) collectKeys(ctx context.Context, first *records.Text) (found, error) {
	var mutex sync.Mutex
	var workers []*keys
	var stop atomic.Bool
	err := r.cutter(first, r.ChunkSize, &stop).Run(ctx, func() func(records.Piece) func() {
		k := newKeys()
		mutex.Lock()
		workers = append(workers, k)
		mutex.Unlock()
		return func(p records.Piece) func() {
			k.take(p.Text, p.Index)
			if k.tooMany {
				stop.Store(true)
			}
			return func() {}
		}
	})
	return union(workers), err
}

// A table may have usualCells cells; more only where its text justifies the memory.
const (
	usualCells   = 1 << 26
	cellsPerCell = 256
)

// nameColumns takes the names that were found, unless most cells of their table would be missing.
func (r *Reader) nameColumns(f found) error {
	names, rows, cells := f.columns(), f.Rows, f.Cells
	if f.Refused != nil && (len(names) == 0 && r.Schema == nil || r.lacks(names) || r.lacksNamed(names)) { // else it is refused when it is read
		f.Refused.File = r.inputs[0].Name
		return f.Refused
	}
	if f.TooMany {
		return chunk.Errorf("%s has more than %d different keys; are they values?", r.inputs[0].Name, chunk.MostColumns)
	}
	if rows*len(names) > usualCells+cellsPerCell*cells {
		return chunk.Errorf("%s has %d different keys, of which a row has %.3g; write such data as LibSVM text (or are some keys values?)",
			r.inputs[0].Name, len(names), float64(cells)/float64(rows))
	}
	r.names = names
	return nil
}

// lacks reports whether rows without some features of the model are an error, which one that cannot be read explains.
func (r *Reader) lacks(names []string) bool {
	return r.Schema != nil && !r.SkipBadRows && slices.ContainsFunc(r.Schema.Columns, func(c chunk.ColumnSchema) bool {
		return c.Role == chunk.Feature && !slices.Contains(names, c.Name)
	})
}

// lacksNamed reports whether a column that an option names may stand in a row that cannot be read.
func (r *Reader) lacksNamed(names []string) bool {
	_, err := r.Resolve(names)
	_, absent := errors.AsType[*chunk.AbsentError](err)
	return absent && !r.SkipBadRows
}

// lacking returns the error about features of the model that no row had.
func (r *Reader) lacking(targets []chunk.Target) error {
	var lacking []string
	for _, t := range targets {
		if at := t.Source - r.assumed; t.Role == chunk.Feature && at >= 0 && at < len(r.met) && !r.met[at].Load() {
			lacking = append(lacking, t.Name)
		}
	}
	if lacking == nil {
		return nil
	}
	return chunk.Errorf("%s: %w", r.inputs[0].Name, chunk.Lacks(lacking, r.names[:r.assumed]))
}

// lines visits the lines of a text, with their line feeds.
func lines(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			end := len(text)
			if at := bytes.IndexByte(text, '\n'); at >= 0 {
				end = at + 1
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

// isBlank reports whether a line holds blanks only.
func isBlank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n")) == 0 }
