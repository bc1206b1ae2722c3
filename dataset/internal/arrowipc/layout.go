package arrowipc

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

const (
	FormatName   = "arrow"
	arrowMagic   = "ARROW1"
	continuation = 0xFFFFFFFF // stands before each message
)

// Recognizes knows the magic of an Arrow file, and the mark and the small length with
// which a stream begins.
func Recognizes(start []byte, _ string) bool {
	if bytes.HasPrefix(start, []byte(arrowMagic+"\x00\x00")) {
		return true
	}
	if len(start) < 8 || binary.LittleEndian.Uint32(start) != continuation {
		return false
	}
	size := binary.LittleEndian.Uint32(start[4:])
	return size > 0 && size%8 == 0 && size < 1<<30
}

// Layout is an Arrow file or stream; its groups are record batches. Messages are
// walked when it is opened, bodies are read later, of the columns that are needed:
//
//	file     ARROW1 00 00, messages, footer, length of the footer (4 bytes), ARROW1
//	message  FFFFFFFF, length of the metadata (4 bytes), metadata, body
type Layout struct {
	*chunk.Options
	*arrowSchema
	File    *chunk.Blob
	batches []*arrowBatch
	nulls   int64                        // bytes that columns of nulls take in memory, of those that are read
	endless bool                         // a stream without the mark of its end
	spans   []arrowSpan                  // of the messages of a file, as its footer lists them
	listed  int64                        // bytes of the spans
	latest  map[int64]*arrowDictionary   // by id, as the walk goes on
	seen    bool                         // a batch refers to latest as it is
	of      []map[int64]*arrowDictionary // by batch, its dictionaries
}

func NewLayout(o *chunk.Options, b *chunk.Blob) (columnar.Layout, error) {
	f := &Layout{Options: o, File: b, latest: make(map[int64]*arrowDictionary)}
	var magic [8]byte
	if b.Size < int64(len(magic)) {
		return nil, chunk.Errorf("%s is too short for an Arrow file", b.Name)
	}
	if _, err := b.ReadAt(magic[:], 0); err != nil {
		return nil, err
	}
	walk := f.walkStream
	if string(magic[:len(arrowMagic)]) == arrowMagic {
		walk = f.walkFile
	}
	if err := walk(); err != nil {
		if chunk.IsExplained(err) {
			return nil, err
		}
		return nil, chunk.Errorf("%s is damaged: %w", b.Name, err)
	}
	return f, nil
}

func (f *Layout) Names() []string {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.Name
	}
	return names
}

func (f *Layout) Hides(name string) bool {
	return f.pandas && columnar.PandasIndex.MatchString(name)
}

// IsCategory reports whether a column was a Categorical of pandas. Elsewhere a dictionary is a way to store values.
func (f *Layout) IsCategory(name string) bool {
	c := &f.columns[f.byName[name]]
	return f.pandas && c.dictionary >= 0 && c.hasLevels()
}

func (f *Layout) Notes() []string {
	if f.endless {
		return []string{fmt.Sprintf("%s has no mark at its end: it may be cut off behind row %d", f.File.Name, f.total())}
	}
	return nil
}

func (f *Layout) total() (rows int) {
	for _, b := range f.batches {
		rows += b.rows
	}
	return rows
}

func (f *Layout) Groups() int { return len(f.batches) }

func (f *Layout) Rows(group int) int { return f.batches[group].rows }

func (f *Layout) Begins(group int) int64 { return f.batches[group].body }

func (f *Layout) Suits(t chunk.Target) (rowBytes int64, err error) {
	c := &f.columns[f.byName[t.Name]]
	switch {
	case c.Nested:
		return 0, columnar.Nested(f.File.Name, c.Name)
	case !c.readable() || c.dictionary >= 0 && f.dictionaries[c.dictionary].Logical == columnar.LogicalOther:
		return 0, chunk.CannotRead(f.File.Name, c.Name, "is of the Arrow type %s, which is no number, date or text; leave it out with ignore", c.typeNameOfArrow())
	}
	if c.dictionary < 0 {
		if err := c.SuitsForm(f.File.Name, t); err != nil {
			return 0, err
		}
	}
	if c.store == storeNone {
		return c.RowBytes(t), f.claimNulls(c)
	}
	return c.RowBytes(t), nil
}

// claimNulls notes that a column is read whose rows take no bytes in the file, and
// refuses what all such columns together cannot be believed to have.
func (f *Layout) claimNulls(c *arrowColumn) error {
	const width = 4 // of a row in memory
	f.nulls += width * int64(f.total())
	if most := max(largestNulls, chunk.LargestRatio*f.File.Size); f.nulls > most {
		return chunk.Errorf("%s: column %q is of the type null, and %d rows of it are claimed by a file of %s; leave it out with ignore",
			f.File.Name, c.Name, f.total(), chunk.ByteText(f.File.Size))
	}
	return nil
}

// largestNulls bounds the memory for columns of nulls that a small file can claim.
const largestNulls = 64 << 20

func (c *arrowColumn) typeNameOfArrow() string {
	if c.dictionary >= 0 {
		return "dictionary of " + c.Annotated
	}
	return c.Annotated
}

func (f *Layout) Reader(w *columnar.Worker, group int, t chunk.Target, wide bool) (columnar.ColumnReader, error) {
	c := &f.columns[f.byName[t.Name]]
	r := &arrowReader{ColumnSink: columnar.ColumnSink{Options: f.Options, Ctx: w.Ctx, Field: &c.Field, Kind: t, Wide: wide}, column: c, scratch: w.Scratch}
	b := f.batches[group]
	index := *c
	if c.dictionary >= 0 {
		d := f.of[group][c.dictionary]
		if d == nil && b.rows > 0 {
			d = &arrowDictionary{column: f.dictionaries[c.dictionary]} // allowed where every row is missing
		}
		var err error
		if r.levels, err = d.load(w.Ctx, f); err != nil {
			return nil, err
		}
		index.store, index.width, index.Physical = storeFixed, c.indexWidth, columnar.Int64
		index.Logical, index.Unsigned = columnar.LogicalInteger, c.natural
		r.translated = make([]int32, len(r.levels.raws))
		for i := range r.translated {
			r.translated[i] = untranslated
		}
	}
	var err error
	r.values, err = f.load(w.Ctx, b, &index, b.firstBuffer(c), c.node)
	return r, err
}
