package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/parts"
	"boost/dataset/internal/sidefile"
	"boost/internal/comm"
	"boost/internal/kernel/mix"
)

// Share makes a ChunkedTable one that ranks read together: each reads its own files, whose rows follow in the order of ranks. Types,
// dictionaries, notes, the columns that are no features, and errors are those of the table of all files, and known to all ranks. All
// of them make the same calls. rows is what the table has to have, 0 for any number.
func Share(c comm.Comm, rows int) Option {
	return func(o *chunk.Options) { o.Ranks, o.AllRows = c, rows }
}

// Split makes a ChunkedTable one that ranks read together: all are given the same files, and each reads a part of them. Laid end to end in
// their order, the files have S bytes, of which rank r of n has those from ⌊S·r/n⌋ on and before ⌊S·(r+1)/n⌋; it reads the records of CSV
// and JSON lines, the row groups of Parquet and the record batches of Arrow whose first byte is among them. A file that is compressed, or
// has another format, is read whole by the rank that has its first byte. Rows keep their order. All else is as with Share.
func Split(c comm.Comm, rows int) Option {
	return func(o *chunk.Options) { o.Ranks, o.AllRows, o.Split = c, rows, true }
}

// shared is what an input knows of those of other ranks.
type shared struct {
	names  []string // of the files of all ranks
	files  []int    // by rank: number of its first one
	chunk  int      // number of the first own chunk among those of all
	chunks int      // own ones
	notes  []string // about how rows are divided
}

// message is what a rank tells the others of a step.
type message struct {
	Names   []string
	Columns []sharedColumn
	Chunks  []byte
}

// sharedColumn is what has to be the same in the files of all ranks.
type sharedColumn struct {
	Name   string
	Role   Role
	Padded bool
}

// openShared opens the inputs. Where all ranks see them, it gives this rank its part.
func (in *input) openShared(ctx context.Context) error {
	if !in.Split {
		if err := in.open(); err != nil {
			return in.meet(ctx, nil, err)
		}
		return nil
	}
	err := in.open()
	if err == nil {
		err = in.cannotShare()
	}
	if err == nil {
		err = parts.Divide(in.inputs, in.Opened.Cuts, in.Ranks.Rank(), in.Ranks.Size())
	}
	return parts.Compare(ctx, in.Ranks, in.inputs, err)
}

// meet tells the ranks what files and columns there are.
func (in *input) meet(ctx context.Context, targets []chunk.Target, err error) error {
	if in.Ranks == nil {
		return err
	}
	err = cmp.Or(in.cannotShare(), err, in.cannotSplit(targets))
	own := message{Names: in.names()}
	for _, t := range targets {
		own.Columns = append(own.Columns, sharedColumn{t.Name, t.Role, t.Padded})
	}
	messages, err := parts.Tell(ctx, in.Ranks, own, err, in.Split)
	if err != nil {
		return err
	}
	in.shared = &shared{}
	for rank := range messages {
		m := &messages[rank]
		if in.Split {
			in.shared.files, in.shared.names = append(in.shared.files, 0), own.Names
		} else {
			in.shared.files = append(in.shared.files, len(in.shared.names))
			in.shared.names = append(in.shared.names, m.Names...)
		}
		if err := sameColumns(messages[0].Columns, m.Columns); err != "" {
			return &comm.Error{Rank: rank, Text: fmt.Sprintf("%s: %s; all ranks need the same columns as rank 0", m.Names[0], err)}
		}
	}
	for i := range targets { // the first file of the table says it
		targets[i].Padded = messages[0].Columns[i].Padded
	}
	return nil
}

// sameColumns returns how columns differ, "" for not at all.
func sameColumns(want, got []sharedColumn) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d columns instead of %d", len(got), len(want))
	}
	for i := range want {
		if want[i].Name != got[i].Name || want[i].Role != got[i].Role {
			return fmt.Sprintf("column %d is %q and not %q", i+1, got[i].Name, want[i].Name)
		}
	}
	return ""
}

// exchange returns the chunks of all ranks, in the order of rows, given this rank's own and what ended its files early. That is an error of
// all, behind the chunks before it; chunks behind it are left out.
func (in *input) exchange(ctx context.Context, chunks []*chunk.Chunk, readErr error) ([]*chunk.Chunk, error) {
	if in.shared == nil {
		return chunks, readErr
	}
	data, err := chunk.Encode(chunks)
	if err != nil {
		return nil, err
	}
	messages, errs, err := parts.Exchange(ctx, in.Ranks, message{Chunks: data}, readErr, in.Split)
	if err != nil {
		return nil, err
	}
	var all []*chunk.Chunk
	rows := make([]int, len(messages))
	for rank := range messages {
		theirs := chunks
		if rank == in.Ranks.Rank() {
			in.shared.chunk, in.shared.chunks = len(all), len(chunks)
		} else if theirs, err = chunk.Decode(messages[rank].Chunks); err != nil {
			return nil, &comm.Error{Rank: rank, Text: err.Error()}
		}
		for _, ch := range theirs {
			ch.File += in.shared.files[rank]
			ch.Index = len(all)
			all = append(all, ch)
			rows[rank] += ch.Rows
		}
		if errs[rank] != nil || len(theirs) > 0 && !theirs[len(theirs)-1].Shape.Allows(true) {
			return all, errs[rank]
		}
	}
	if in.Split {
		in.shared.notes = parts.Uneven(rows)
	}
	return all, nil
}

// cannotShare returns why ranks cannot read the table together, nil if they can.
func (in *input) cannotShare() error {
	if in.Ranks == nil {
		return nil
	}
	if _, counts := chunk.Find[chunk.CellCounter](in.source); counts {
		return chunk.Errorf("%s: LibSVM text cannot be shared among ranks: give CSV, Parquet or Arrow files, or all rows to each", in.name())
	}
	if in.SkipBadRows {
		return chunk.Errorf("%s: bad rows cannot be skipped (on_bad_row) where ranks share a table: clean it before", in.name())
	}
	return nil
}

// cannotSplit returns why ranks cannot read a part each of files with these columns, nil if they can.
func (in *input) cannotSplit(targets []chunk.Target) error {
	if !in.Split {
		return nil
	}
	for _, t := range targets {
		if t.Role == GroupRole {
			return chunk.Errorf("%s: column %q says which rows are one query, and the parts of ranks may cut queries: give each rank files of its own, with whole queries", in.name(), t.Name)
		}
	}
	if beside, is := chunk.Find[*sidefile.Source](in.source); is && len(beside.Files()) > 0 {
		return chunk.Errorf("%s is for the rows of a whole file, and a rank reads a part: make it a column of the table, or set side_files = \"ignore\"", beside.Files()[0])
	}
	return nil
}

// ownChunks returns what is known of the chunks of this rank's files.
func (s *ChunkedTable) ownChunks() []knownChunk {
	if s.in.shared == nil {
		return s.chunks
	}
	return s.chunks[s.in.shared.chunk : s.in.shared.chunk+s.in.shared.chunks]
}

// Own returns the rows that this rank's files hold: all without ranks.
func (s *ChunkedTable) Own() (first, end int) {
	if s.in.shared == nil {
		return 0, s.rows
	}
	at := func(chunk int) int {
		if chunk == len(s.chunks) {
			return s.rows
		}
		return s.chunks[chunk].first
	}
	return at(s.in.shared.chunk), at(s.in.shared.chunk + s.in.shared.chunks)
}

// Ranks returns what joins the ranks that read the table, nil for none.
func (s *ChunkedTable) Ranks() comm.Comm {
	if s.in.shared == nil {
		return nil
	}
	return s.in.Ranks
}

// addSums adds up what the ranks have seen for the fingerprint.
func (s *ChunkedTable) addSums(ctx context.Context, own mix.Sum) (sum mix.Sum, err error) {
	if s.in.shared == nil {
		return own, nil
	}
	all, err := s.in.Ranks.Gather(ctx, own.Bytes())
	if err != nil {
		return sum, err
	}
	for rank, data := range all {
		part, ok := mix.SumOf(data)
		if !ok {
			return sum, &comm.Error{Rank: rank, Text: "told no fingerprint"}
		}
		sum.Add(part)
	}
	return sum, nil
}

// cells are those of a feature of some rows on their way.
type cells struct {
	F32   []float32
	F64   []float64
	Codes []int32
}

// GatherRows returns rows of the features that the ranks have read, those of each rank after those of the ranks before; own are this
// rank's, nil for none.
func (s *ChunkedTable) GatherRows(ctx context.Context, own *Table) (*Table, error) {
	if s.in.shared == nil {
		return own, nil
	}
	var sent []cells
	if own != nil {
		for _, c := range own.columns {
			switch c.kind {
			case Category:
				sent = append(sent, cells{Codes: c.Codes()})
			case Float32:
				sent = append(sent, cells{F32: c.Float32s()})
			default:
				sent = append(sent, cells{F64: c.Float64s()})
			}
		}
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(sent); err != nil {
		return nil, err
	}
	all, err := s.in.Ranks.Gather(ctx, b.Bytes())
	if err != nil {
		return nil, err
	}
	joined := make([]cells, len(s.features))
	for rank, data := range all {
		var theirs []cells
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&theirs); err != nil || len(theirs) != 0 && len(theirs) != len(joined) {
			return nil, &comm.Error{Rank: rank, Text: "told rows that cannot be read"}
		}
		for i := range theirs {
			joined[i].F32 = append(joined[i].F32, theirs[i].F32...)
			joined[i].F64 = append(joined[i].F64, theirs[i].F64...)
			joined[i].Codes = append(joined[i].Codes, theirs[i].Codes...)
		}
	}
	t := &Table{index: new(nameIndex)}
	for i, c := range s.features {
		var column *Column
		switch c.kind {
		case Category:
			column = codedColumn(c.Name, c.Role, joined[i].Codes, c.levels, c.texts, c.numericLevels)
		case Float32:
			column = float32Column(c.Name, c.Role, joined[i].F32)
		default:
			column = float64Column(c.Name, c.Role, joined[i].F64)
		}
		if t.rows = column.Len(); i > 0 && t.rows != t.columns[0].Len() {
			return nil, fmt.Errorf("%w: features of rows differ in length", comm.ErrComm)
		}
		t.columns = append(t.columns, column)
	}
	return t, nil
}
