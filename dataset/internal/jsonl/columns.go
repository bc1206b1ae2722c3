package jsonl

import (
	"bytes"
	"context"
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

// union returns the names that workers met, in the order of the rows. A name that stands for nothing
// but null, or for objects, is left out.
func union(workers []*keys) (names []string, rows, cells int, tooMany bool) {
	all := newKeys()
	type first struct {
		name         string
		piece, place int
	}
	var firsts []first
	for _, k := range workers {
		rows, cells, tooMany = rows+k.rows, cells+k.cells, tooMany || k.tooMany
		for i, name := range k.names {
			at := all.column([]byte(name))
			if at < 0 {
				return nil, rows, cells, true
			}
			all.filled[at] = all.filled[at] || k.filled[i]
			if met := (first{name, k.firsts[i], i}); at == len(firsts) {
				firsts = append(firsts, met)
			} else if met.piece < firsts[at].piece {
				firsts[at] = met
			}
		}
	}
	above := make(map[string]bool) // names of objects
	for _, name := range all.names {
		for i, c := range name {
			if c == '.' {
				above[name[:i]] = true
			}
		}
	}
	firsts = slices.DeleteFunc(firsts, func(f first) bool { return above[f.name] && !all.filled[all.byKey[f.name]] })
	slices.SortFunc(firsts, func(a, b first) int {
		if a.piece != b.piece {
			return a.piece - b.piece
		}
		return a.place - b.place
	})
	for _, f := range firsts {
		names = append(names, f.name)
	}
	return names, rows, cells, tooMany
}

// Columns returns the names in the rows. Without a model they are known only at the end of the last input.
// With one, the beginning of the input shows which other columns there are, and all features of the model are expected.
func (r *Reader) Columns(ctx context.Context) ([]string, error) {
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
		err = r.nameColumns([]*keys{k})
	case r.inputs[0].Spool != nil && !r.inputs[0].Spool.Keep:
		t.Stream.Close()
		err = chunk.Errorf("%s is JSON lines, whose columns are known at the end only, and no copy was kept to read it again (leave out --no-spool, or read from a file)", r.inputs[0].Name)
	default:
		err = r.collectKeys(ctx, t)
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
		return nil, chunk.Errorf("%s holds no object with a key; JSON lines have one object a line, like {\"age\": 31}", r.inputs[0].Name)
	}
	return r.names, nil
}

// collectKeys goes through all inputs. The first is already open.
func (r *Reader) collectKeys(ctx context.Context, first *records.Text) error {
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
	if err != nil {
		return err
	}
	return r.nameColumns(workers)
}

// A table may have usualCells cells; more only where its text justifies the memory.
const (
	usualCells   = 1 << 26
	cellsPerCell = 256
)

// nameColumns takes the names that workers met, unless most cells of their table would be missing.
func (r *Reader) nameColumns(workers []*keys) error {
	names, rows, cells, tooMany := union(workers)
	for _, k := range workers {
		if k.refused != nil && len(names) == 0 && r.Schema == nil { // else it is refused when it is read
			k.refused.File = r.inputs[0].Name
			return k.refused
		}
	}
	if tooMany {
		return chunk.Errorf("%s has more than %d different keys; are they values?", r.inputs[0].Name, chunk.MostColumns)
	}
	if rows*len(names) > usualCells+cellsPerCell*cells {
		return chunk.Errorf("%s has %d different keys, of which a row has %.3g; write such data as LibSVM text (or are some keys values?)",
			r.inputs[0].Name, len(names), float64(cells)/float64(rows))
	}
	r.names = names
	return nil
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
