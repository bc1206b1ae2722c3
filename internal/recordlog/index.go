package recordlog

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"slices"

	"boost/internal/replace"
	"boost/internal/vfs"
)

// An index tells what the records of a log are, up to a place, so that opening reads
// only what follows:
//
//	offset size
//	 0     8    "BOOSTIDX"
//	 8     4    version, 1
//	12     4    0
//	16     8    the number that names the log's file
//	24     8    bytes of the log that the index tells of, all of them on the disk
//	32     8    offset of the last record among them, 0 if there is none
//	40     8    sequence number after its
//	48     8    number of entries, in the order of the records
//	56     …    entries
//	 …     4    CRC32C of everything before
//
// and an entry is
//
//	 0     1    type
//	 1     1    0
//	 2     2    I, bytes of the id
//	 4     4    H, bytes of the head
//	 8     4    P, bytes of the payload
//	12     8    sequence number
//	20     8    offset in the log
//	28     I    id
//	 …     H    head
const (
	indexMagic   = "BOOSTIDX"
	indexVersion = 1
	indexHeader  = 56
	indexEntry   = 28
)

// encodeIndex returns the index of the records up to s.data.
func encodeIndex(live map[key]place, s *scanner) []byte {
	keys := slices.SortedFunc(maps.Keys(live), func(a, b key) int { return cmp.Compare(live[a].seq, live[b].seq) })
	size := indexHeader + 4
	for k, p := range live {
		size += indexEntry + len(k.id) + len(p.head)
	}
	b := make([]byte, indexHeader, size)
	copy(b, indexMagic)
	binary.LittleEndian.PutUint32(b[8:], indexVersion)
	binary.LittleEndian.PutUint64(b[16:], s.id)
	binary.LittleEndian.PutUint64(b[24:], uint64(s.data))
	binary.LittleEndian.PutUint64(b[32:], uint64(s.last))
	binary.LittleEndian.PutUint64(b[40:], s.after)
	binary.LittleEndian.PutUint64(b[48:], uint64(len(keys)))
	for _, k := range keys {
		p := live[k]
		b = append(b, k.kind, 0)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(k.id)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p.head)))
		b = binary.LittleEndian.AppendUint32(b, uint32(p.payload))
		b = binary.LittleEndian.AppendUint64(b, p.seq)
		b = binary.LittleEndian.AppendUint64(b, uint64(p.offset))
		b = append(b, k.id...)
		b = append(b, p.head...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// index is what an index says.
type index struct {
	path    string
	id      uint64 // names the log
	covered uint64 // bytes of the log
	last    uint64 // offset of the last record in them
	next    uint64 // sequence number after its
	count   uint64
	entries []byte
}

// readIndex reads an index; nil stands for one that is not there, not whole or of a newer version: it only
// makes opening slower.
func readIndex(fsys vfs.FS, path string) (*index, error) {
	err := regular(fsys, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := fsys.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrapPath(path, err)
	}
	if len(b) < indexHeader+4 || string(b[:8]) != indexMagic ||
		binary.LittleEndian.Uint32(b[len(b)-4:]) != crc32.Checksum(b[:len(b)-4], castagnoli) ||
		binary.LittleEndian.Uint32(b[8:]) != indexVersion {
		return nil, nil
	}
	return &index{
		path: path, id: binary.LittleEndian.Uint64(b[16:]), covered: binary.LittleEndian.Uint64(b[24:]),
		last: binary.LittleEndian.Uint64(b[32:]), next: binary.LittleEndian.Uint64(b[40:]),
		count: binary.LittleEndian.Uint64(b[48:]), entries: b[indexHeader : len(b)-4],
	}, nil
}

// start begins the view with an index. All that it tells of was on the disk: a log of size bytes that does not
// have it is damaged.
func (v *view) start(i *index, size int64) error {
	s := v.scan
	if i.id != s.id {
		return &DamageError{File: i.path, Offset: 16, What: "the index is of another log than " + v.path}
	}
	if i.covered > uint64(size) {
		return s.damage(size, fmt.Sprintf("the log ends here and had %d bytes when its index was written", i.covered))
	}
	s.end, s.data, s.synced = int64(i.covered), int64(i.covered), int64(i.covered)
	s.last, s.next, s.after = int64(i.last), i.next, i.next
	if !s.endsWith(v.file) {
		return v.contradicts(i)
	}
	live, ok := decodeEntries(i.entries, i.count, s.end, s.next)
	if !ok {
		return &DamageError{File: i.path, Offset: indexHeader, What: "the checksum is right and the entries cannot be"}
	}
	v.scan, v.live = s, live
	for k, p := range live {
		v.bytes += k.size(p)
	}
	return nil
}

// contradicts says where the log is not what its index tells of.
func (v *view) contradicts(i *index) error {
	s := v.scan
	if err := s.run(int64(i.covered), func(int64, header, string, []byte) {}); err != nil {
		return err
	}
	if s.end < int64(i.covered) {
		return s.damage(s.end, fmt.Sprintf("%s, and there was one when the index was written", noRecord))
	}
	return &DamageError{File: i.path, Offset: 32, What: "the checksum is right and the last record is another one in " + v.path}
}

// endsWith reports whether the last record that an index tells of is in the log.
func (s *scanner) endsWith(f io.ReaderAt) bool {
	if s.last == 0 {
		return s.end == logHeader
	}
	if s.last < logHeader || s.last > s.end-recordHeader {
		return false
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, s.last, s.end-s.last), int(min(scanBuffer, s.end-s.last)))
	probe := scanner{file: f, id: s.id, end: s.last}
	wrong, err := probe.record(r, s.end, func(int64, header, string, []byte) {})
	return wrong == "" && err == nil && probe.end == s.end && probe.next == s.next
}

// decodeEntries reads count entries of records that lie before end.
func decodeEntries(b []byte, count uint64, end int64, next uint64) (map[key]place, bool) {
	if count > uint64(len(b)/indexEntry) {
		return nil, false
	}
	live := make(map[key]place, count)
	at := int64(logHeader) // where the next record may begin
	for range count {
		if len(b) < indexEntry {
			return nil, false
		}
		k := key{kind: b[0]}
		idLen := int(binary.LittleEndian.Uint16(b[2:]))
		headLen := int64(binary.LittleEndian.Uint32(b[4:]))
		p := place{
			payload: int64(binary.LittleEndian.Uint32(b[8:])),
			seq:     binary.LittleEndian.Uint64(b[12:]),
			offset:  int64(binary.LittleEndian.Uint64(b[20:])),
		}
		b = b[indexEntry:]
		if headLen > MaxHead || int64(len(b)) < int64(idLen)+headLen {
			return nil, false
		}
		k.id = string(b[:idLen])
		p.head = string(b[idLen : idLen+int(headLen)])
		b = b[idLen+int(headLen):]
		if p.offset < at || p.offset > end || k.size(p) > end-p.offset || p.seq >= next || k.kind == markType {
			return nil, false
		}
		at = p.offset + k.size(p)
		if _, twice := live[k]; twice {
			return nil, false
		}
		live[k] = p
	}
	return live, len(b) == 0
}

// saveIndex writes the index of a log that is on the disk up to s.data.
func saveIndex(fsys vfs.FS, path string, live map[key]place, s *scanner) error {
	b := encodeIndex(live, s)
	return replace.File(fsys, path, func(f vfs.File) error {
		_, err := f.Write(b)
		return err
	})
}
