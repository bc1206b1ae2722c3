package recordlog_test

import (
	"errors"
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
