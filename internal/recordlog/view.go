package recordlog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"boost/internal/vfs"
)

// Entry tells of a record without its payload.
type Entry struct {
	Type uint8
	ID   string
	Head []byte // shared: not to be changed
	Seq  uint64 // grows from record to record of a log
	Size int64  // bytes of the payload
}

// view is what a log holds: the last record of each type and id. The payloads stay on
// disk; a record takes its id, its head and some 150 bytes of memory.
// Its methods may be called from several goroutines.
type view struct {
	fsys vfs.FS
	kind uint32

	mutex sync.RWMutex
	file  *sharedFile // nil: closed
	path  string
	gen   uint64
	scan  scanner
	live  map[key]place
	bytes int64 // of the live records
}

// sharedFile is a file that is closed when the last one who uses it is done: a log that was closed
// or compacted stays readable for those who are at it.
type sharedFile struct {
	vfs.File
	users atomic.Int32 // the view is one
}

func shared(f vfs.File) *sharedFile {
	s := &sharedFile{File: f}
	s.users.Store(1)
	return s
}

func (f *sharedFile) release() error {
	if f.users.Add(-1) > 0 {
		return nil
	}
	return f.File.Close()
}

// extent is the part of a log's file that a view told of at a moment.
type extent struct {
	file *sharedFile
	path string
	id   uint64 // the file's
	end  int64
}

// shown returns the extent. The caller holds mutex, or nothing else can change the view.
func (v *view) shown() extent { return extent{v.file, v.path, v.scan.id, v.scan.end} }

// use is shown for use without mutex; the file has to be released. The caller holds mutex.
func (v *view) use() (extent, error) {
	if v.file == nil {
		return extent{}, ErrClosed
	}
	v.file.users.Add(1)
	return v.shown(), nil
}

func (e extent) damage(offset int64, what string) error {
	return &DamageError{File: e.path, Offset: offset, What: what}
}

type key struct {
	kind uint8
	id   string
}

type place struct {
	offset  int64
	seq     uint64
	payload int64
	head    string // there is a place for each record: a slice would take 8 bytes more
}

func (k key) entry(p place) Entry {
	head := unsafe.Slice(unsafe.StringData(p.head), len(p.head)) // not copied: a log may have many
	return Entry{Type: k.kind, ID: k.id, Head: head, Seq: p.seq, Size: p.payload}
}

func (k key) size(p place) int64 {
	return recordHeader + int64(len(k.id)) + int64(len(p.head)) + p.payload
}

const (
	logSuffix   = ".log"
	indexSuffix = ".index"
	tailSuffix  = ".tail" // what is cut off an index's log, until something else is on the disk
	oldSuffix   = ".old"  // what Repair keeps
	lockName    = "lock"
)

// newest returns the number of the log that counts, the highest one. Errors: fs.ErrNotExist where no log is
// or was, *DamageError where another file tells of a log that is gone.
func newest(fsys vfs.FS, dir string) (uint64, error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return 0, wrapPath(dir, err)
	}
	var gen, told uint64
	var witness string
	for _, name := range names {
		if g, ok := generation(name.Name(), logSuffix); ok {
			gen = max(gen, g)
		}
		file := strings.TrimSuffix(name.Name(), oldSuffix)
		for _, suffix := range []string{logSuffix, indexSuffix} {
			if g, ok := generation(file, suffix); ok && g > told {
				told, witness = g, name.Name()
			}
		}
	}
	switch {
	case told > gen:
		return 0, &DamageError{File: logPath(dir, told), What: "the log is gone, and " + witness + " tells of it"}
	case gen == 0:
		return 0, wrapPath(dir, fs.ErrNotExist)
	}
	return gen, nil
}

// Exists reports whether a folder has a log. Errors: *DamageError where a file tells of one that is gone.
func Exists(dir string, options Options) (bool, error) {
	_, err := newest(options.fs(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func generation(name, suffix string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok {
		return 0, false
	}
	gen, err := strconv.ParseUint(digits, 10, 64)
	return gen, err == nil && gen > 0 && gen <= lastGeneration && digits == fmt.Sprintf("%08d", gen)
}

// lastGeneration is the number of a log that cannot be compacted. None comes so far: it is for files
// that somebody named.
const lastGeneration = 1 << 62

func logPath(dir string, gen uint64) string { return pathOf(dir, gen, logSuffix) }

func indexPath(dir string, gen uint64) string { return pathOf(dir, gen, indexSuffix) }

func pathOf(dir string, gen uint64, suffix string) string {
	return filepath.Join(dir, fmt.Sprintf("%08d%s", gen, suffix))
}

// load opens a log and reads its records, by its index as far as that goes. The caller
// holds the lock or is alone.
func (v *view) load(dir string, gen uint64, flag int) error {
	path := logPath(dir, gen)
	if err := regular(v.fsys, path); err != nil {
		return err
	}
	f, err := v.fsys.OpenFile(path, flag, 0)
	if err != nil {
		return wrapPath(path, err)
	}
	fresh := view{fsys: v.fsys, kind: v.kind, file: shared(f), path: path, gen: gen, live: map[key]place{}}
	if err := fresh.read(dir); err != nil {
		_ = f.Close()
		return err
	}
	if v.file != nil {
		_ = v.file.release() // nothing was written through it that is not synced
	}
	v.file, v.path, v.gen, v.scan, v.live, v.bytes = fresh.file, path, gen, fresh.scan, fresh.live, fresh.bytes
	return nil
}

// regular refuses what opening would wait for, as for the other end of a pipe.
func regular(fsys vfs.FS, path string) error {
	info, err := fsys.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a regular file")
	}
	if err != nil {
		return wrapPath(path, err)
	}
	return nil
}

func (v *view) read(dir string) error {
	h, err := readFileHeader(v.file, v.path, v.kind)
	if err != nil {
		return err
	}
	v.scan = newScanner(v.file, v.path, h.id)
	// The index comes first: a writer beside may make both longer.
	index, err := readIndex(v.fsys, indexPath(dir, v.gen))
	if err != nil {
		return err
	}
	info, err := v.file.Stat()
	if err != nil {
		return wrapPath(v.path, err)
	}
	if index != nil {
		if err := v.start(index, info.Size()); err != nil {
			return err
		}
	}
	return v.scan.run(info.Size(), v.note)
}

func readFileHeader(f io.ReaderAt, path string, kind uint32) (fileHeader, error) {
	b := make([]byte, logHeader)
	damaged := func(what string) error { return &DamageError{File: path, What: what} }
	if _, err := f.ReadAt(b, 0); errors.Is(err, io.EOF) {
		return fileHeader{}, damaged("the header ends too soon")
	} else if err != nil {
		return fileHeader{}, wrapPath(path, err)
	}
	switch {
	case string(b[:8]) != logMagic:
		return fileHeader{}, damaged("not a log of records")
	case binary.LittleEndian.Uint32(b[28:]) != crc32.Checksum(b[:28], castagnoli):
		return fileHeader{}, damaged("the checksum of the header is wrong")
	}
	if version := binary.LittleEndian.Uint32(b[8:]); version != logVersion {
		return fileHeader{}, fmt.Errorf("%s: version %d of the record log; this program reads version %d: use a newer one", path, version, logVersion)
	}
	h := fileHeader{
		kind: binary.LittleEndian.Uint32(b[12:]),
		id:   binary.LittleEndian.Uint64(b[16:]),
	}
	if h.kind != kind {
		return fileHeader{}, &DamageError{File: path, Offset: 12, What: fmt.Sprintf("holds records of kind %#08x, not of kind %#08x: another program's log", h.kind, kind)}
	}
	return h, nil
}

// note takes a record into the view.
func (v *view) note(offset int64, h header, id string, head []byte) {
	k := key{h.kind, id}
	if old, ok := v.live[k]; ok {
		v.bytes -= k.size(old)
	}
	if h.flags == flagRemove {
		delete(v.live, k)
		return
	}
	p := place{offset: offset, seq: h.seq, payload: h.payload, head: string(head)}
	v.live[k] = p
	v.bytes += k.size(p)
}

// Lookup returns what is known of a record without reading it.
func (v *view) Lookup(kind uint8, id string) (Entry, bool) {
	v.mutex.RLock()
	defer v.mutex.RUnlock()
	k := key{kind, id}
	p, ok := v.live[k]
	return k.entry(p), ok
}

// Entries returns all records of a type, in the order in which they were written.
func (v *view) Entries(kind uint8) []Entry {
	v.mutex.RLock()
	defer v.mutex.RUnlock()
	var all []Entry
	for k, p := range v.live {
		if k.kind == kind {
			all = append(all, k.entry(p))
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}

// Read returns a record's payload, checked, and its entry. It lies in buf if that
// is long enough for the whole record, otherwise in a new slice. Errors: ErrNotFound, ErrClosed, *DamageError.
func (v *view) Read(kind uint8, id string, buf []byte) ([]byte, Entry, error) {
	k := key{kind, id}
	v.mutex.RLock()
	p, ok := v.live[k]
	e, err := v.use()
	v.mutex.RUnlock()
	if err != nil {
		return nil, Entry{}, err
	}
	defer e.file.release()
	if !ok {
		return nil, Entry{}, fmt.Errorf("%s: %w: type %d, id %q", e.path, ErrNotFound, kind, id)
	}
	record, err := e.whole(k, p, buf)
	if err != nil {
		return nil, Entry{}, err
	}
	return record[len(record)-int(p.payload):], k.entry(p), nil
}

// whole reads all bytes of a record and checks that they are those of its entry.
func (e extent) whole(k key, p place, buf []byte) ([]byte, error) {
	// The size was checked against the file's when the record or its index was read.
	size := k.size(p)
	if size > math.MaxInt {
		return nil, fmt.Errorf("%s: byte %d: a record of %d bytes is more than this machine can address", e.path, p.offset, size)
	}
	buf = slices.Grow(buf[:0], int(size))[:size]
	if _, err := e.file.ReadAt(buf, p.offset); errors.Is(err, io.EOF) {
		return nil, e.damage(p.offset, "the file ends within the record")
	} else if err != nil {
		return nil, wrapPath(e.path, err)
	}
	h, ok := decodeHeader(buf, e.id, p.offset)
	body := buf[recordHeader : size-p.payload]
	switch {
	case !ok:
		return nil, e.damage(p.offset, noRecord)
	case h.kind != k.kind, h.flags != 0, h.seq != p.seq, h.payload != p.payload, h.idLen != len(k.id), h.headLen != len(p.head):
		return nil, e.damage(p.offset, "the record is another than the index says")
	case crc32.Checksum(body, castagnoli) != h.bodyCRC:
		return nil, e.damage(p.offset, "the checksum of id and head is wrong")
	case string(body[:h.idLen]) != k.id || string(body[h.idLen:]) != p.head:
		return nil, e.damage(p.offset, "the record is another than the index says")
	case crc32.Checksum(buf[size-p.payload:], castagnoli) != h.dataCRC:
		return nil, e.damage(p.offset, "the checksum of the payload is wrong")
	}
	return buf, nil
}

// Size returns the bytes of the records that are there and those of the whole log; the
// difference is what a compaction gives back.
func (v *view) Size() (live, total int64) {
	v.mutex.RLock()
	defer v.mutex.RUnlock()
	return v.bytes, v.scan.end
}

// Verify reads the whole log and returns the first *DamageError. Everything else goes on meanwhile;
// what is written then is not looked at.
func (v *view) Verify() error { return v.verify(func() {}) }

// verify calls each after every record.
func (v *view) verify(each func()) error {
	v.mutex.RLock()
	e, err := v.use()
	v.mutex.RUnlock()
	if err != nil {
		return err
	}
	defer e.file.release()
	h, err := readFileHeader(e.file, e.path, v.kind)
	if err != nil {
		return err
	}
	s := newScanner(e.file, e.path, h.id)
	if err := s.run(e.end, func(int64, header, string, []byte) { each() }); err != nil {
		return err
	}
	if s.end < e.end {
		return e.damage(s.end, noRecord)
	}
	return nil
}

// close releases the file.
func (v *view) close() error {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.file == nil {
		return ErrClosed
	}
	f := v.file
	v.file = nil
	return f.release()
}
