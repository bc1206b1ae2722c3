package cache

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"

	"boost/internal/replace"
)

// version is the version of the file that this program writes. It reads no other, because a cache
// can always be made again.
const version = 5

const (
	magic      = "BOOSTBIN"
	headerSize = 64
	alignment  = 64
	pageSize   = 1 << 20 // bytes read or written at a time
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrUnusable is wrapped by errors about a cache that cannot be used.
var ErrUnusable = errors.New("unusable cache")

// entry is the place of a section in the file. A file opens with a header. Sections follow, and a
// table of them at the end. Numbers of the header and of tables are little-endian; codes have the
// byte order of the machine that wrote them.
//
//	offset size
//	0      8    magic 42 4f 4f 53 54 42 49 4e ("BOOSTBIN")
//	8      4    version, 4
//	12     4    01 02 03 04 as the machine writes the number 04030201h
//	16     8    offset of the table
//	24     8    length of the table
//	32     8    length of the file, which ends with the table
//	40     4    CRC32C of the table
//	44     16   0
//	60     4    CRC32C of the 60 bytes before
//	64     …    sections at multiples of 64, zeros between; the table, JSON
type entry struct {
	Name   string `json:"name"`
	Offset uint64 `json:"offset"`
	Length uint64 `json:"length"`
	CRC    uint32 `json:"crc32c"`
}

const byteOrderWord = 0x04030201

// sectionWriter writes a cache file from front to back. After an error it writes nothing
// more and keeps the error.
type sectionWriter struct {
	file    io.WriterAt
	out     *bufio.Writer
	at      uint64
	entries []entry
	err     error
}

func newSectionWriter(f interface {
	io.Writer
	io.WriterAt
}) *sectionWriter {
	w := &sectionWriter{file: f, out: bufio.NewWriterSize(f, pageSize)}
	w.write(make([]byte, headerSize))
	return w
}

func (w *sectionWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += uint64(len(b))
	}
}

// section adds a section made of pieces.
func (w *sectionWriter) section(name string, pieces ...[]byte) {
	w.write(make([]byte, -w.at&(alignment-1)))
	e := entry{Name: name, Offset: w.at}
	for _, piece := range pieces {
		w.write(piece)
		e.CRC = crc32.Update(e.CRC, castagnoli, piece)
	}
	e.Length = w.at - e.Offset
	w.entries = append(w.entries, e)
}

// finish writes the table and the header.
func (w *sectionWriter) finish() error {
	table, err := json.Marshal(w.entries)
	if err != nil {
		return err
	}
	w.write(make([]byte, -w.at&(alignment-1)))
	start := w.at
	w.write(table)
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if w.err != nil {
		return w.err
	}
	h := append(make([]byte, 0, headerSize), magic...)
	h = binary.LittleEndian.AppendUint32(h, version)
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

// CheckFile returns what else a file is than a cache or empty, nil if it is one of these.
func CheckFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", replace.Reason(err))
	}
	defer f.Close()
	begin := make([]byte, len(magic))
	n, err := io.ReadFull(f, begin)
	switch {
	case err == io.EOF, string(begin[:n]) == magic:
		return nil
	case err != nil && err != io.ErrUnexpectedEOF:
		return fmt.Errorf("cannot be read: %w", replace.Reason(err))
	}
	return errors.New("is a file of another kind")
}

// sectionReader reads the sections of a cache file.
type sectionReader struct {
	in      io.ReaderAt
	entries []entry
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: it is damaged: %s", ErrUnusable, fmt.Sprintf(format, args...))
}

// readHeader returns what lies before the sections of a cache of this version.
func readHeader(in io.ReaderAt, size uint64) ([]byte, error) {
	if size < headerSize {
		return nil, damaged("%d bytes are no cache", size)
	}
	h := make([]byte, headerSize)
	if _, err := in.ReadAt(h, 0); err != nil {
		return nil, damaged("%v", err)
	}
	if string(h[:8]) != magic {
		return nil, fmt.Errorf("%w: it is another kind of file", ErrUnusable)
	}
	if v := binary.LittleEndian.Uint32(h[8:]); v != version {
		return nil, fmt.Errorf("%w: it has version %d, this program writes %d", ErrUnusable, v, version)
	}
	if crc32.Checksum(h[:60], castagnoli) != binary.LittleEndian.Uint32(h[60:]) {
		return nil, damaged("the checksum of its header does not match")
	}
	return h, nil
}

// newSectionReader checks the header and the table of a file of size bytes. Bytes that
// belong to no section have to be 0.
func newSectionReader(in io.ReaderAt, size uint64) (*sectionReader, error) {
	h, err := readHeader(in, size)
	if err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint32(h[12:]) != byteOrderWord {
		return nil, fmt.Errorf("%w: a machine with another byte order wrote it", ErrUnusable)
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
	r := &sectionReader{in: in}
	if !json.Valid(table) {
		return nil, damaged("its table is not JSON")
	}
	if r.entries, err = readList[entry](table, len(`{"name":"rest","offset":64,"length":0,"crc32c":0}`)); err != nil {
		return nil, damaged("%v", err)
	}
	return r, r.checkEntries(start)
}

// checkEntries makes sure that the sections lie one behind the other up to the table.
func (r *sectionReader) checkEntries(end uint64) error {
	at := uint64(headerSize)
	for _, e := range append(slices.Clip(r.entries), entry{Name: "table", Offset: end}) {
		if e.Offset < at || e.Offset-at >= alignment || e.Offset%alignment != 0 || e.Offset > end || e.Length > end-e.Offset {
			return damaged("section %q cannot lie at %d", e.Name, e.Offset)
		}
		var gap [alignment]byte
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

// find returns the section's place, or an error.
func (r *sectionReader) find(name string) (entry, error) {
	i := slices.IndexFunc(r.entries, func(e entry) bool { return e.Name == name })
	if i < 0 {
		return entry{}, damaged("it has no section %q", name)
	}
	return r.entries[i], nil
}

// bytes returns a section, its checksum having been checked.
func (r *sectionReader) bytes(name string) ([]byte, error) {
	e, err := r.find(name)
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

// checked returns a reader of a section, its checksum having been checked.
func (r *sectionReader) checked(name string) (io.Reader, error) {
	e, err := r.find(name)
	if err != nil {
		return nil, err
	}
	sum := crc32.New(castagnoli)
	if _, err := io.Copy(sum, io.NewSectionReader(r.in, int64(e.Offset), int64(e.Length))); err != nil {
		return nil, damaged("%v", err)
	}
	if sum.Sum32() != e.CRC {
		return nil, damaged("the checksum of section %q does not match", name)
	}
	return io.NewSectionReader(r.in, int64(e.Offset), int64(e.Length)), nil
}

// stream returns what fills slices with the next bytes of a section, and with the last
// of them checks their sum.
func (r *sectionReader) stream(e entry) func([]byte) error {
	at, end, sum := e.Offset, e.Offset+e.Length, uint32(0)
	return func(b []byte) error {
		if uint64(len(b)) > end-at {
			return damaged("section %q is cut short", e.Name)
		}
		for len(b) > 0 {
			page := b[:min(len(b), pageSize)]
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
