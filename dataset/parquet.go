package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/internal/cpu"
)

const parquetFormat = "parquet"

// isParquet knows a Parquet file by its magic. Text may begin with the same four
// letters, but soon after them a file has control characters, which text has not.
func isParquet(start []byte, _ string) bool {
	if !bytes.HasPrefix(start, []byte("PAR1")) && !bytes.HasPrefix(start, []byte("PARE")) {
		return false
	}
	return bytes.ContainsFunc(start[4:min(len(start), 64)], func(r rune) bool { return r < '\t' })
}

// parquetSource reads Parquet files. A row group is a chunk, or several where the
// pass asks for smaller ones; its columns are decoded in parallel, and those of the
// next row groups where there are too few. Only the column chunks of the targets
// are read. docs/design/010-parquet-reader.md says why pages are decoded here.
type parquetSource struct {
	*options
	inputs []input
	first  *parquetFile // opened for its columns, until it is read
	fields []parquetField
	copies map[int]*blob // of inputs that can be read only once or are compressed
	hidden []string      // index columns of pandas that are no columns of the table
}

// parquetFile is an opened file.
type parquetFile struct {
	*blob
	index int // among the inputs
	meta  *parquetMeta
	open  atomic.Int32 // row groups that are still read, and the one who deals them out
}

func newParquetSource(o *options, inputs []input) source {
	return &parquetSource{options: o, inputs: inputs, copies: make(map[int]*blob)}
}

// open opens an input and reads its footer.
func (s *parquetSource) open(index int) (*parquetFile, error) {
	b := s.copies[index]
	if b == nil {
		var err error
		if b, err = s.blob(&s.inputs[index], parquetFormat); err != nil {
			return nil, err
		}
		if b.shared || b.remove != "" {
			s.copies[index] = b
		}
	}
	f := &parquetFile{blob: b, index: index}
	meta, err := readFooter(b)
	if err != nil {
		s.closeFile(f)
		return nil, err
	}
	f.meta = meta
	return f, nil
}

// closeFile closes a file that is no copy; those stay for the next pass.
func (s *parquetSource) closeFile(f *parquetFile) {
	if s.copies[f.index] != f.blob {
		f.blob.close()
	}
}

// readFooter finds and reads the metadata:
//
//	PAR1 … footer, length of the footer (4 bytes), PAR1
func readFooter(b *blob) (*parquetMeta, error) {
	const tail = 8
	var end [tail]byte
	if b.size < 4+tail {
		return nil, complain("%s is too short for a Parquet file", b.name)
	}
	if _, err := b.ReadAt(end[:], b.size-tail); err != nil {
		return nil, err
	}
	switch string(end[4:]) {
	case "PAR1":
	case "PARE":
		return nil, complain("%s is an encrypted Parquet file; write it without encryption", b.name)
	default:
		return nil, complain("%s is cut off or damaged: it does not end as a Parquet file does", b.name)
	}
	size := int64(binary.LittleEndian.Uint32(end[:]))
	if size > b.size-4-tail {
		return nil, complain("%s is damaged: its footer claims %d bytes, the file has %d", b.name, size, b.size)
	}
	footer := make([]byte, size)
	if _, err := b.ReadAt(footer, b.size-tail-size); err != nil {
		return nil, err
	}
	meta, err := readParquetMeta(footer, b.size-tail-size)
	if err != nil {
		return nil, complain("%s is damaged: %w", b.name, err)
	}
	return meta, nil
}

// pandasIndex matches the names that pandas gives to an index without a name.
var pandasIndex = regexp.MustCompile(`^__index_level_\d+__$`)

// columns returns the top-level fields of the first file's schema. An index that
// pandas wrote beside the columns of a frame is none of them, unless it is asked for.
func (s *parquetSource) columns(context.Context) ([]string, error) {
	f, err := s.open(0)
	if err != nil {
		return nil, err
	}
	s.first = f
	var names []string
	for _, field := range f.meta.fields {
		if f.meta.pandas && pandasIndex.MatchString(field.name) && !s.mentions(field.name) {
			s.hidden = append(s.hidden, field.name)
			continue
		}
		s.fields = append(s.fields, field)
		names = append(names, field.name)
	}
	return names, nil
}

func (s *parquetSource) notes(int) []string {
	if len(s.hidden) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %s of %s: the frame's index is not read (set id = %q to keep it)",
		plural(len(s.hidden), "column"), nameList(s.hidden, 3), s.inputs[0].name, s.hidden)}
}

func (s *parquetSource) close() {
	if s.first != nil {
		s.closeFile(s.first)
	}
	for _, b := range s.copies {
		b.close()
	}
}

// rowGroupJob is a row group on its way.
type rowGroupJob struct {
	file    *parquetFile
	group   int
	index   int // of its first chunk
	rows    int // of each chunk but the last
	chunk   *chunk
	waiting atomic.Int32 // columns that are not decoded yet
	failed  atomic.Bool
}

// columnJob is a column of a row group, or all of them if target is −1.
type columnJob struct {
	*rowGroupJob
	target int
}

// parquetPass is one way through all files.
type parquetPass struct {
	*parquetSource
	*pass
	wide  []atomic.Bool // per target: float64 was needed before
	rows  int64         // of all files so far
	next  int           // index of the next chunk
	mutex sync.Mutex
	at    int   // the place of err
	err   error // the first by place
}

// read deals the columns of all row groups out to workers.
func (s *parquetSource) read(ctx context.Context, p *pass) error {
	pp := &parquetPass{parquetSource: s, pass: p, wide: make([]atomic.Bool, len(p.targets))}
	jobs := make(chan columnJob)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		if err := pp.deal(groupCtx, jobs); err != nil {
			pp.fail(pp.next*len(p.targets), err)
		}
		return groupCtx.Err()
	})
	threads := s.threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	for range threads {
		group.Go(func() error {
			w := &columnWorker{parquetPass: pp, scratch: &columnScratch{}}
			defer w.tools.close()
			for j := range jobs {
				w.work(groupCtx, j)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return pp.err
}

// fail keeps the error that stands first in the files.
func (p *parquetPass) fail(at int, err error) {
	p.mutex.Lock()
	if p.err == nil || at < p.at {
		p.at, p.err = at, err
	}
	p.mutex.Unlock()
	p.stop.Store(true)
}

// deal opens the files and sends their columns.
func (p *parquetPass) deal(ctx context.Context, jobs chan<- columnJob) error {
	for index := range p.inputs {
		f := p.first
		p.first = nil
		if index > 0 || f == nil {
			var err error
			if f, err = p.open(index); err != nil {
				return err
			}
		}
		f.open.Store(1)
		err := p.suits(f)
		for g := 0; g < len(f.meta.rowGroups) && err == nil && !p.stop.Load() && ctx.Err() == nil; g++ {
			p.dealGroup(ctx, f, g, jobs)
		}
		p.leave(f)
		if err != nil || p.stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// dealGroup sends the columns of a row group.
func (p *parquetPass) dealGroup(ctx context.Context, f *parquetFile, g int, jobs chan<- columnJob) {
	rows := int(f.meta.rowGroups[g].rows)
	if rows == 0 {
		return
	}
	j := &rowGroupJob{file: f, group: g, index: p.next, rows: rows}
	f.open.Add(1)
	send := func(target int) {
		select {
		case jobs <- columnJob{j, target}:
		case <-ctx.Done():
		}
	}
	if p.chunkRows > 0 && rows > p.chunkRows {
		j.rows = p.chunkRows
		p.next += (rows + j.rows - 1) / j.rows
		send(-1)
		return
	}
	p.next++
	j.chunk = newColumnarChunk(j.index, f.index, rows, len(p.targets), j.firstRow())
	j.waiting.Store(int32(len(p.targets)))
	for i := range p.targets {
		send(i)
	}
}

// firstRow returns the row of the file with which the row group begins.
func (j *rowGroupJob) firstRow() int {
	first := int64(0)
	for _, g := range j.file.meta.rowGroups[:j.group] {
		first += g.rows
	}
	return int(first)
}

// newColumnarChunk makes a chunk of a file that has rows instead of lines.
func newColumnarChunk(index, file, rows, targets, firstRow int) *chunk {
	return &chunk{index: index, file: file, byRow: true, rows: rows, pieces: make([]piece, targets),
		before: firstRow, lines: rows, runs: []placeRun{{}}}
}

// leave closes a file once nobody reads it any more.
func (p *parquetPass) leave(f *parquetFile) {
	if f.open.Add(-1) > 0 {
		return
	}
	if err := f.unchanged(); err != nil {
		p.fail(math.MaxInt, err)
	}
	p.mutex.Lock()
	p.closeFile(f)
	p.mutex.Unlock()
}

// suits makes sure that a file has the first one's columns, that those of the
// targets can be read, and that there is memory for them.
func (p *parquetPass) suits(f *parquetFile) error {
	var names, first []string
	for _, field := range f.meta.fields {
		if !slices.Contains(p.hidden, field.name) {
			names = append(names, field.name)
		}
	}
	for _, field := range p.fields {
		first = append(first, field.name)
	}
	if err := sameColumns(f.name, names, p.inputs[0].name, first); err != nil {
		return err
	}
	bytes := int64(0)
	for _, t := range p.targets {
		field := f.field(t.name)
		if err := f.readable(field); err != nil {
			return err
		}
		bytes += rowBytes(t, field)
	}
	for _, g := range f.meta.rowGroups {
		p.rows += g.rows
	}
	if p.memoryLimit > 0 && p.chunkRows == 0 && p.rows*bytes > p.memoryLimit {
		return complain("%s: %d rows of %d columns take %s or more; memory_limit is %s (ignore columns, or raise it)",
			f.name, p.rows, len(p.targets), byteText(p.rows*bytes), byteText(p.memoryLimit))
	}
	return nil
}

// field returns a file's field of that name, which is there.
func (f *parquetFile) field(name string) *parquetField { return &f.meta.fields[f.meta.byName[name]] }

// readable refuses a column that no value can be read of.
func (f *parquetFile) readable(field *parquetField) error {
	if field.nested {
		return complain("%s: column %q holds lists, maps or records; leave it out with ignore, or write its parts as columns of their own", f.name, field.name)
	}
	for _, g := range f.meta.rowGroups {
		switch c := g.columns[field.leaf]; {
		case c.encrypted:
			return complain("%s: column %q is encrypted; write the file without encryption, or leave the column out with ignore", f.name, field.name)
		case c.elsewhere || !c.described:
			return complain("%s: column %q lies in another file; write the table as one file", f.name, field.name)
		case c.physical != field.physical || c.values != g.rows:
			return complain("%s is damaged: column %q has %d values of type %s in a row group, its schema says %d of %s",
				f.name, field.name, c.values, c.physical, g.rows, field.physical)
		case c.codec == codecLZO || c.codec == codecLZ4 || c.codec < 0 || c.codec > codecLZ4Raw:
			return complain("%s: column %q is compressed with %s, which cannot be read; write it with SNAPPY, GZIP, BROTLI, ZSTD or LZ4_RAW",
				f.name, field.name, c.codec)
		}
	}
	if !field.readable() {
		return complain("%s: column %q is of the Parquet type %s, which is no number, date or text; leave it out with ignore",
			f.name, field.name, field.typeName())
	}
	return nil
}

// rowBytes returns the least bytes that a row takes in a column.
func rowBytes(t target, f *parquetField) int64 {
	if t.want != wantText && !f.isText() && f.size() == 8 {
		return 8
	}
	return 4
}

// columnWorker is one worker's state.
type columnWorker struct {
	*parquetPass
	scratch *columnScratch
	tools   unpacker
}

// work decodes a column, or a whole row group chunk by chunk, and emits what is
// complete. Reading never trusts a file, but a mistake here must not end the program
// on a damaged one.
func (w *columnWorker) work(ctx context.Context, j columnJob) {
	target := max(j.target, 0)
	defer func() {
		if broken := recover(); broken != nil {
			w.failColumn(j, target, fmt.Errorf("%v", broken))
		}
		if j.target < 0 || j.waiting.Add(-1) == 0 {
			if j.chunk != nil && !j.failed.Load() {
				w.emit(j.chunk)
			}
			w.leave(j.file)
		}
	}()
	if ctx.Err() != nil || w.stop.Load() {
		j.failed.Store(true)
		return
	}
	if j.target < 0 {
		w.workByChunks(ctx, j, &target)
		return
	}
	c := w.reader(j, j.target)
	p, err := c.read(j.rows, j.index)
	if err != nil {
		w.failColumn(j, target, err)
		return
	}
	if c.wide {
		w.wide[target].Store(true)
	}
	j.chunk.pieces[target] = *p
}

// workByChunks decodes a row group so many rows at a time.
func (w *columnWorker) workByChunks(ctx context.Context, j columnJob, target *int) {
	readers := make([]*columnReader, len(w.targets))
	for i := range readers {
		readers[i] = w.reader(j, i)
	}
	total := int(j.file.meta.rowGroups[j.group].rows)
	for first, index := 0, j.index; first < total; first, index = first+j.rows, index+1 {
		rows := min(j.rows, total-first)
		ch := newColumnarChunk(index, j.file.index, rows, len(readers), j.firstRow()+first)
		for i, c := range readers {
			*target = i
			p, err := c.read(rows, index)
			if err != nil {
				w.failColumn(j, i, err)
				return
			}
			ch.pieces[i] = *p
		}
		if ctx.Err() != nil || w.stop.Load() {
			return
		}
		w.emit(ch)
	}
}

// reader prepares decoding a column of a row group.
func (w *columnWorker) reader(j columnJob, target int) *columnReader {
	t := w.targets[target]
	field := j.file.field(t.name)
	group := &j.file.meta.rowGroups[j.group]
	chunk := &group.columns[field.leaf]
	return &columnReader{options: w.options, field: field, kind: t, left: group.rows, wide: w.wide[target].Load(),
		guard:   int(min(group.rows, 1<<20+64*chunk.size)),
		scratch: w.scratch,
		pages: pageStream{file: j.file.blob, codec: chunk.codec, at: chunk.start, left: chunk.size,
			tools: &w.tools},
	}
}

// failColumn notes what is wrong with a column of a row group.
func (w *columnWorker) failColumn(j columnJob, target int, err error) {
	j.failed.Store(true)
	var encoding *unreadableEncoding
	var text *notText
	name := w.targets[target].name
	switch {
	case errors.Is(err, ErrTable):
	case errors.As(err, &encoding), errors.As(err, &text):
		err = complain("%s: column %q: %w", j.file.name, name, err)
	default:
		err = complain("%s is damaged: column %q in row group %d: %w", j.file.name, name, j.group, err)
	}
	w.fail(j.index*len(w.targets)+target, err)
}
