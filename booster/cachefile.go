package booster

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
)

// cacheVersion is the version of the cache file that this program writes; it reads no
// other, as a cache can always be made again.
const cacheVersion = 3

const (
	cacheMagic  = "BOOSTBIN"
	cacheHeader = 64
	cacheAlign  = 64
	cachePage   = 1 << 20 // bytes read or written at a time
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrCache is wrapped by errors about a cache file that cannot be used. Load reads the
// tables then; TrainOn returns it where only training shows that the cache holds other
// rows than the run's: load with Input.Rebuild and train again.
var ErrCache = errors.New("unusable cache")

// A cache file opens with a header; what follows are sections, and a table of them at
// the end. Numbers of the header and of tables are little-endian; codes have the byte
// order of the machine that wrote them.
//
//	offset size
//	0      8    magic 42 4f 4f 53 54 42 49 4e ("BOOSTBIN")
//	8      4    version, 3
//	12     4    01 02 03 04 as the machine writes the number 04030201h
//	16     8    offset of the table
//	24     8    length of the table
//	32     8    length of the file, which ends with the table
//	40     4    CRC32C of the table
//	44     16   0
//	60     4    CRC32C of the 60 bytes before
//	64     …    sections at multiples of 64, zeros between; the table, JSON
type cacheEntry struct {
	Name   string `json:"name"`
	Offset uint64 `json:"offset"`
	Length uint64 `json:"length"`
	CRC    uint32 `json:"crc32c"`
}

const byteOrderWord = 0x04030201

// cacheWriter writes a cache file from front to back. After an error it writes nothing
// more and keeps the error.
type cacheWriter struct {
	file    *os.File
	out     *bufio.Writer
	at      uint64
	entries []cacheEntry
	err     error
}

func newCacheWriter(f *os.File) *cacheWriter {
	w := &cacheWriter{file: f, out: bufio.NewWriterSize(f, cachePage)}
	w.write(make([]byte, cacheHeader))
	return w
}

func (w *cacheWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += uint64(len(b))
	}
}

// section adds a section made of pieces.
func (w *cacheWriter) section(name string, pieces ...[]byte) {
	w.write(make([]byte, -w.at&(cacheAlign-1)))
	entry := cacheEntry{Name: name, Offset: w.at}
	for _, piece := range pieces {
		w.write(piece)
		entry.CRC = crc32.Update(entry.CRC, castagnoli, piece)
	}
	entry.Length = w.at - entry.Offset
	w.entries = append(w.entries, entry)
}

// finish writes the table and the header.
func (w *cacheWriter) finish() error {
	table, err := json.Marshal(w.entries)
	if err != nil {
		return err
	}
	w.write(make([]byte, -w.at&(cacheAlign-1)))
	start := w.at
	w.write(table)
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if w.err != nil {
		return w.err
	}
	h := append(make([]byte, 0, cacheHeader), cacheMagic...)
	h = binary.LittleEndian.AppendUint32(h, cacheVersion)
	h = binary.NativeEndian.AppendUint32(h, byteOrderWord)
	h = binary.LittleEndian.AppendUint64(h, start)
	h = binary.LittleEndian.AppendUint64(h, uint64(len(table)))
	h = binary.LittleEndian.AppendUint64(h, w.at)
	h = binary.LittleEndian.AppendUint32(h, crc32.Checksum(table, castagnoli))
	h = append(h, make([]byte, 16)...)
	h = binary.LittleEndian.AppendUint32(h, crc32.Checksum(h, castagnoli))
	_, err = w.file.WriteAt(h, 0)
	return err
}

// cacheReader reads the sections of a cache file.
type cacheReader struct {
	in      io.ReaderAt
	entries []cacheEntry
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: it is damaged: %s", ErrCache, fmt.Sprintf(format, args...))
}

// readHeader returns what lies before the sections of a cache of this version.
func readHeader(in io.ReaderAt, size uint64) ([]byte, error) {
	if size < cacheHeader {
		return nil, damaged("%d bytes are no cache", size)
	}
	h := make([]byte, cacheHeader)
	if _, err := in.ReadAt(h, 0); err != nil {
		return nil, damaged("%v", err)
	}
	if string(h[:8]) != cacheMagic {
		return nil, fmt.Errorf("%w: it is another kind of file", ErrCache)
	}
	if version := binary.LittleEndian.Uint32(h[8:]); version != cacheVersion {
		return nil, fmt.Errorf("%w: it has version %d, this program writes %d", ErrCache, version, cacheVersion)
	}
	if crc32.Checksum(h[:60], castagnoli) != binary.LittleEndian.Uint32(h[60:]) {
		return nil, damaged("the checksum of its header does not match")
	}
	return h, nil
}

// newCacheReader checks the header and the table of a file of size bytes. Bytes that
// belong to no section have to be 0.
func newCacheReader(in io.ReaderAt, size uint64) (*cacheReader, error) {
	h, err := readHeader(in, size)
	if err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint32(h[12:]) != byteOrderWord {
		return nil, fmt.Errorf("%w: a machine with another byte order wrote it", ErrCache)
	}
	start, length := binary.LittleEndian.Uint64(h[16:]), binary.LittleEndian.Uint64(h[24:])
	if binary.LittleEndian.Uint64(h[32:]) != size || start > size || length != size-start {
		return nil, damaged("it has %d bytes", size)
	}
	table := make([]byte, length)
	if _, err := in.ReadAt(table, int64(start)); err != nil {
		return nil, damaged("%v", err)
	}
	if crc32.Checksum(table, castagnoli) != binary.LittleEndian.Uint32(h[40:]) {
		return nil, damaged("the checksum of its table does not match")
	}
	r := &cacheReader{in: in}
	if err := json.Unmarshal(table, &r.entries); err != nil {
		return nil, damaged("%v", err)
	}
	return r, r.checkEntries(start)
}

// checkEntries makes sure that the sections lie one behind the other up to the table.
func (r *cacheReader) checkEntries(end uint64) error {
	at := uint64(cacheHeader)
	for _, e := range append(slices.Clip(r.entries), cacheEntry{Name: "table", Offset: end}) {
		if e.Offset < at || e.Offset-at >= cacheAlign || e.Offset%cacheAlign != 0 || e.Offset > end || e.Length > end-e.Offset {
			return damaged("section %q cannot lie at %d", e.Name, e.Offset)
		}
		var gap [cacheAlign]byte
		between := gap[:e.Offset-at]
		if _, err := r.in.ReadAt(between, int64(at)); err != nil {
			return damaged("%v", err)
		}
		if slices.ContainsFunc(between, func(b byte) bool { return b != 0 }) {
			return damaged("bytes before section %q are not zero", e.Name)
		}
		at = e.Offset + e.Length
	}
	return nil
}

// entry returns the section's place, or an error.
func (r *cacheReader) entry(name string) (cacheEntry, error) {
	i := slices.IndexFunc(r.entries, func(e cacheEntry) bool { return e.Name == name })
	if i < 0 {
		return cacheEntry{}, damaged("it has no section %q", name)
	}
	return r.entries[i], nil
}

// bytes returns a section, its checksum having been checked.
func (r *cacheReader) bytes(name string) ([]byte, error) {
	e, err := r.entry(name)
	if err != nil {
		return nil, err
	}
	b := make([]byte, e.Length)
	if _, err := r.in.ReadAt(b, int64(e.Offset)); err != nil {
		return nil, damaged("%v", err)
	}
	if crc32.Checksum(b, castagnoli) != e.CRC {
		return nil, damaged("the checksum of section %q does not match", name)
	}
	return b, nil
}

// stream returns what fills slices with the next bytes of a section, and with the last
// of them checks their sum.
func (r *cacheReader) stream(e cacheEntry) func([]byte) error {
	at, end, sum := e.Offset, e.Offset+e.Length, uint32(0)
	return func(b []byte) error {
		if uint64(len(b)) > end-at {
			return damaged("section %q is cut short", e.Name)
		}
		for len(b) > 0 {
			page := b[:min(len(b), cachePage)]
			if _, err := r.in.ReadAt(page, int64(at)); err != nil {
				return damaged("%v", err)
			}
			sum = crc32.Update(sum, castagnoli, page)
			at += uint64(len(page))
			b = b[len(page):]
		}
		if at == end && sum != e.CRC {
			return damaged("the checksum of section %q does not match", e.Name)
		}
		return nil
	}
}
