package recordlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"boost/internal/heapsize"
	"boost/internal/recordlog"
	"boost/internal/testenv"
)

// A log of records that are as short as they can be takes twice its bytes, those of its index among them, and 16 MiB,
// whether it is read by its index or without.
func TestMemoryOfShortRecords(t *testing.T) {
	testenv.Memory(t)
	records := testenv.ByLength(300_000, 100_000, 20_000)
	dir := t.TempDir()
	l, err := recordlog.Open(dir, recordlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if _, err := l.Append(1, fmt.Sprintf("%x", i), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, with := range []string{"index", "log"} {
		bytes := int64(0)
		names, err := filepath.Glob(filepath.Join(dir, "0*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if with == "log" && filepath.Ext(name) == ".index" {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
				continue
			}
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			bytes += info.Size()
		}
		var r *recordlog.Reader
		peak := heapsize.Peak(func() { r, err = recordlog.OpenReader(dir, recordlog.Options{}) })
		if err != nil {
			t.Fatal(err)
		}
		// The constant is that of the page, for fewer records less: 2 MiB and 50 bytes for each.
		if most := uint64(2*bytes + min(16<<20, 2<<20+50*int64(records))); peak > most {
			t.Errorf("by the %s: %d bytes take %d on the heap, at most %d allowed", with, bytes, peak, most)
		}
		t.Logf("by the %s: %d bytes take %d", with, bytes, peak)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
