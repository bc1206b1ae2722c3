package recordlog

import (
	"bytes"
	"encoding/binary"
	"os"
)

// WithSteps returns options whose log names its files 1, 2, … and tells of each step of
// a compaction.
func WithSteps(o Options, step func(string)) Options {
	name := uint64(0)
	o.name = func() uint64 { name++; return name }
	o.step = step
	return o
}

// ScanBytes reads a log from memory and returns the end of its last whole record.
func ScanBytes(b []byte, each func(kind uint8, id string, head []byte, size int64)) (int64, error) {
	h, err := readFileHeader(bytes.NewReader(b), "log", 0)
	if err != nil {
		return 0, err
	}
	s := newScanner(bytes.NewReader(b), "log", h.id)
	err = s.run(int64(len(b)), func(_ int64, h header, id string, head []byte) { each(h.kind, id, head, h.payload) })
	return s.end, err
}

// DecodeIndex reads the entries of an index and returns how many there are.
func DecodeIndex(b []byte, count uint64, end int64, next uint64) (int, bool) {
	live, ok := decodeEntries(b, count, end, next)
	return len(live), ok
}

// EncodeHeader returns a log's first bytes.
func EncodeHeader(kind uint32, id uint64) []byte { return fileHeader{kind: kind, id: id}.encode() }

// Seal gives the first bytes of a record the checksum that they have at an offset of the file called id.
func Seal(b []byte, id uint64, offset int64) {
	binary.LittleEndian.PutUint32(b, recordMagic)
	binary.LittleEndian.PutUint32(b[40:], headerSum(b, id, offset))
}

const (
	LogHeader    = logHeader
	RecordHeader = recordHeader
)

// SaveIndex does what Close does before it closes.
func (l *Log) SaveIndex() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	if err := l.sync(); err != nil {
		return err
	}
	return l.saveIndex()
}

// Torn returns the bytes behind the last record that the next one replaces.
func (l *Log) Torn() int64 { return l.tail }

// VerifyMeanwhile is Verify, which calls each after every record.
func (l *Log) VerifyMeanwhile(each func()) error { return l.verify(each) }

// OpenForReading puts a handle of the log's file in place of its own that can neither write nor sync.
func (l *Log) OpenForReading() error {
	f, err := l.fsys.OpenFile(l.path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	_ = l.file.File.Close()
	l.file.File = f
	return nil
}
