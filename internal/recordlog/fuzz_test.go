package recordlog_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"boost/internal/recordlog"
)

// Any bytes are a log, a log with a torn end, or an error; what is read lies within them.
func FuzzLog(f *testing.F) {
	f.Add([]byte{})
	f.Add(recordlog.EncodeHeader(0, 9))
	dir := f.TempDir()
	l, err := recordlog.Open(dir, recordlog.Options{})
	if err != nil {
		f.Fatal(err)
	}
	for _, payload := range []string{"", "x", "a longer one"} {
		if _, err := l.Append(1, "id"+payload, []byte("head"), []byte(payload)); err != nil {
			f.Fatal(err)
		}
	}
	if err := l.Sync(); err != nil {
		f.Fatal(err)
	}
	if err := l.Remove(1, "id"); err != nil {
		f.Fatal(err)
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "00000001.log"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-60])
	f.Fuzz(func(t *testing.T, b []byte) {
		var read int64
		end, err := recordlog.ScanBytes(b, func(kind uint8, id string, head []byte, size int64) {
			read += recordlog.RecordHeader + int64(len(id)) + int64(len(head)) + size
			if kind == 0 {
				t.Error("a mark was handed out")
			}
		})
		if end > int64(len(b)) || read > int64(len(b)) {
			t.Errorf("%d bytes of records and an end at %d in %d bytes", read, end, len(b))
		}
		var damage *recordlog.DamageError
		if errors.As(err, &damage) && (damage.Offset < 0 || damage.Offset > int64(len(b))) {
			t.Errorf("damage at byte %d of %d", damage.Offset, len(b))
		}
	})
}

// The entries of an index are within the log that they tell of, or refused.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{}, uint64(0), int64(32), uint64(1))
	f.Add(append([]byte{1, 0, 1, 0, 1, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0}, "ih"...), uint64(1), int64(83), uint64(2))
	f.Fuzz(func(t *testing.T, b []byte, count uint64, end int64, next uint64) {
		n, ok := recordlog.DecodeIndex(b, count, end, next)
		if ok && uint64(n) != count {
			t.Errorf("%d entries instead of %d", n, count)
		}
	})
}

// A record whose checksums are right may still say anything of itself: lengths that an int
// does not hold, where it has 32 bits, too.
func FuzzSealed(f *testing.F) {
	f.Add(uint8(1), uint8(0), uint16(2), uint32(1), uint32(3), uint64(1), uint64(32), []byte("idhpay"))
	f.Add(uint8(1), uint8(0), uint16(0), uint32(1<<31), uint32(0), uint64(1), uint64(32), []byte(nil))
	f.Add(uint8(1), uint8(0), uint16(65535), uint32(1<<32-65536), uint32(1<<32-1), uint64(1), uint64(0), []byte(nil))
	f.Add(uint8(0), uint8(1), uint16(0), uint32(0), uint32(0), uint64(1<<64-1), uint64(1<<63), []byte(nil))
	f.Fuzz(func(t *testing.T, kind, flags uint8, id uint16, head, payload uint32, seq, synced uint64, rest []byte) {
		b := recordlog.EncodeHeader(0, 7)
		fixed := make([]byte, recordlog.RecordHeader)
		fixed[4], fixed[5] = kind, flags
		binary.LittleEndian.PutUint16(fixed[6:], id)
		binary.LittleEndian.PutUint32(fixed[8:], head)
		binary.LittleEndian.PutUint32(fixed[12:], payload)
		binary.LittleEndian.PutUint64(fixed[16:], seq)
		binary.LittleEndian.PutUint64(fixed[24:], synced)
		need := uint64(id) + uint64(head) + uint64(payload)
		whole := need <= uint64(len(rest))
		if whole {
			castagnoli := crc32.MakeTable(crc32.Castagnoli)
			body := uint64(id) + uint64(head)
			binary.LittleEndian.PutUint32(fixed[32:], crc32.Checksum(rest[:body], castagnoli))
			binary.LittleEndian.PutUint32(fixed[36:], crc32.Checksum(rest[body:need], castagnoli))
		}
		recordlog.Seal(fixed, 7, int64(len(b)))
		b = append(append(b, fixed...), rest...)
		records := 0
		end, err := recordlog.ScanBytes(b, func(k uint8, i string, h []byte, size int64) {
			records++
			if k != kind || len(i) != int(id) || uint32(len(h)) != head || size != int64(payload) {
				t.Errorf("type %d, id of %d, head of %d and payload of %d bytes; want %d, %d, %d, %d", k, len(i), len(h), size, kind, id, head, payload)
			}
		})
		want := int64(recordlog.LogHeader)
		if whole && err == nil {
			want += recordlog.RecordHeader + int64(need)
		}
		if end != want || records > 0 && end == recordlog.LogHeader {
			t.Errorf("%d records and an end at %d of %d bytes, want %d: %v", records, end, len(b), want, err)
		}
	})
}
