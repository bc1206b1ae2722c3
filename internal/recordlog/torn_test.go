package recordlog_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"path/filepath"
	"slices"
	"testing"

	"boost/internal/recordlog"
)

// A damaged record is told from a torn one by a record behind it that says that it was on the
// disk, wherever that one lies: also across the edge of two pieces that the bytes are searched in.
func TestDamageBeforeAnEdge(t *testing.T) {
	for _, before := range []int{0, 1, 20, recordlog.RecordHeader - 1, recordlog.RecordHeader} { // bytes of the mark before the edge
		dir := t.TempDir()
		l := open(t, dir)
		put(t, l, 1, "first", "", "")
		_, start := l.Size()
		payload := recordlog.ScanBuffer - before - recordlog.RecordHeader - len("long")
		put(t, l, 1, "long", "", string(make([]byte, payload)))
		if err := l.Sync(); err != nil { // writes a mark, which says so
			t.Fatal(err)
		}
		log := mustFile(t, filepath.Join(dir, "00000001.log"))
		log[start] ^= 1
		var damage *recordlog.DamageError
		if _, err := readAll(t, folder(t, "00000001.log", log)); !errors.As(err, &damage) || damage.Offset != start {
			t.Errorf("%d bytes of the mark lie before the edge: %v, want damage at byte %d", before, err, start)
		}
	}
}

// logOf makes a log of records without heads, of these sequence numbers, by the layout in
// format.go, and returns where each begins.
func logOf(seqs ...uint64) (log []byte, starts []int64) {
	const name = 7
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	log = recordlog.EncodeHeader(0, name)
	for i, seq := range seqs {
		id, payload := []byte{byte('a' + i)}, []byte("payload")
		b := make([]byte, recordlog.RecordHeader)
		b[4] = 1
		binary.LittleEndian.PutUint16(b[6:], uint16(len(id)))
		binary.LittleEndian.PutUint32(b[12:], uint32(len(payload)))
		binary.LittleEndian.PutUint64(b[16:], seq)
		binary.LittleEndian.PutUint64(b[24:], recordlog.LogHeader)
		binary.LittleEndian.PutUint32(b[32:], crc32.Checksum(id, castagnoli))
		binary.LittleEndian.PutUint32(b[36:], crc32.Checksum(payload, castagnoli))
		starts = append(starts, int64(len(log)))
		recordlog.Seal(b, name, int64(len(log)))
		log = slices.Concat(log, b, id, payload)
	}
	return log, starts
}

// Sequence numbers grow. A record whose number does not is damage, and said with its place.
func TestSequenceNumbersGrow(t *testing.T) {
	for _, c := range []struct {
		seqs []uint64
		bad  int // the record that is refused, -1 for none
	}{
		{[]uint64{1, 2, 3}, -1},
		{[]uint64{5, 9, 1 << 40}, -1}, // removed records leave gaps
		{[]uint64{0, 1}, 0},
		{[]uint64{1, 2, 2}, 2},
		{[]uint64{1, 3, 2, 4}, 2},
		{[]uint64{7, 1}, 1},
		{[]uint64{1, 1<<64 - 1}, 1}, // none could follow
	} {
		log, starts := logOf(c.seqs...)
		dir := folder(t, "00000001.log", log)
		got, err := readAll(t, dir)
		var damage *recordlog.DamageError
		switch {
		case c.bad < 0 && (err != nil || len(got) != len(c.seqs)):
			t.Errorf("numbers %v: %v, %v, want %d records", c.seqs, got, err, len(c.seqs))
		case c.bad >= 0 && (!errors.As(err, &damage) || damage.Offset != starts[c.bad]):
			t.Errorf("numbers %v: %v, want damage at byte %d", c.seqs, err, starts[c.bad])
		}
		if now := mustFile(t, filepath.Join(dir, "00000001.log")); !bytes.Equal(now, log) {
			t.Errorf("numbers %v: reading changed the log", c.seqs)
		}
	}
}
