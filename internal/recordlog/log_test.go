package recordlog_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"boost/internal/recordlog"
	"boost/internal/vfs"
)

// content is what a log should hold: "type/id" to head and payload.
type content map[string]string

func name(kind uint8, id string) string { return fmt.Sprintf("%d/%s", kind, id) }

// reading is what the writer's and the readers' side of a log have in common.
type reading interface {
	Entries(kind uint8) []recordlog.Entry
	Read(kind uint8, id string, buf []byte) ([]byte, recordlog.Entry, error)
}

// read returns all that a log holds.
func read(t *testing.T, l reading) (content, error) {
	t.Helper()
	all := content{}
	for kind := uint8(1); kind < 4; kind++ {
		for _, e := range l.Entries(kind) {
			payload, entry, err := l.Read(kind, e.ID, nil)
			if err != nil {
				return nil, err
			}
			if int64(len(payload)) != e.Size || !bytes.Equal(entry.Head, e.Head) {
				t.Errorf("%s: entry and record disagree", name(kind, e.ID))
			}
			all[name(kind, e.ID)] = string(e.Head) + "|" + string(payload)
		}
	}
	return all, nil
}

func mustRead(t *testing.T, l reading) content {
	t.Helper()
	all, err := read(t, l)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func open(t *testing.T, dir string) *recordlog.Log {
	t.Helper()
	l, err := recordlog.Open(dir, recordlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func put(t *testing.T, l *recordlog.Log, kind uint8, id, head, payload string) {
	t.Helper()
	if _, err := l.Append(kind, id, []byte(head), []byte(payload)); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, got, want content) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("the log holds %v, want %v", got, want)
	}
}

func TestLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	l := open(t, dir)
	put(t, l, 1, "a", "h", "first")
	put(t, l, 1, "b", "", "")
	put(t, l, 2, "a", "other type", "x")
	put(t, l, 1, "a", "H", "second")
	put(t, l, 3, "gone", "", "y")
	if err := l.Remove(3, "gone"); err != nil {
		t.Fatal(err)
	}
	want := content{"1/a": "H|second", "1/b": "|", "2/a": "other type|x"}
	same(t, mustRead(t, l), want)

	e, ok := l.Lookup(1, "a")
	if !ok || string(e.Head) != "H" || e.Size != 6 || e.Seq != 4 {
		t.Errorf("Lookup(1, a) = %+v, %v", e, ok)
	}
	if _, _, err := l.Read(1, "c", nil); !errors.Is(err, recordlog.ErrNotFound) {
		t.Errorf("an id that is not there: %v, want %v", err, recordlog.ErrNotFound)
	}
	if order := l.Entries(1); len(order) != 2 || order[0].ID != "b" || order[1].ID != "a" {
		t.Errorf("the entries come as %v, want b, then a, which was written last", order)
	}
	for _, wrong := range []func() error{
		func() error { _, err := l.Append(1, strings.Repeat("x", recordlog.MaxID+1), nil, nil); return err },
		func() error { _, err := l.Append(1, "x", make([]byte, recordlog.MaxHead+1), nil); return err },
	} {
		if err := wrong(); !errors.Is(err, recordlog.ErrTooLong) {
			t.Errorf("got %v, want %v", err, recordlog.ErrTooLong)
		}
	}
	if _, err := l.Append(0, "x", nil, nil); err == nil {
		t.Error("a record of type 0 was taken")
	}
	if err := l.Verify(); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"Close": l.Close(), "Sync": l.Sync(), "Remove": l.Remove(1, "a"), "Compact": l.Compact(), "Verify": l.Verify()} {
		if !errors.Is(err, recordlog.ErrClosed) {
			t.Errorf("%s after Close: %v, want %v", what, err, recordlog.ErrClosed)
		}
	}
	again := open(t, dir)
	same(t, mustRead(t, again), want)
	put(t, again, 1, "c", "", "later")
	if e, _ := again.Lookup(1, "c"); e.Seq != 8 { // six records and a mark before
		t.Errorf("a record after opening has sequence number %d, want 8", e.Seq)
	}
}

// The bytes that docs/format.md draws. Records and checksums were worked out beside, in python.
func TestBytes(t *testing.T) {
	dir := t.TempDir()
	l, err := recordlog.Open(dir, recordlog.WithSteps(recordlog.Options{Kind: 0x01020304}, nil))
	if err != nil {
		t.Fatal(err)
	}
	put(t, l, 7, "id", "head", "payload")
	if err := l.Remove(7, "id"); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "00000001.log"))
	if err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(got) != strings.Join(strings.Fields(goldenLog), "") {
		t.Errorf("log:\n%s", hex.Dump(got))
	}
	got, err = os.ReadFile(filepath.Join(dir, "00000001.index"))
	if err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(got) != strings.Join(strings.Fields(goldenIndex), "") {
		t.Errorf("index:\n%s", hex.Dump(got))
	}
}

func TestAnotherKind(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := recordlog.Open(dir, recordlog.Options{Kind: 5}); err == nil || !strings.Contains(err.Error(), "another program's log") {
		t.Errorf("a log of another kind: %v", err)
	}
}

func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	if _, err := recordlog.Open(dir, recordlog.Options{}); !errors.Is(err, vfs.ErrBusy) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("a second writer: %v, want %v with the folder's name", err, vfs.ErrBusy)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func TestReader(t *testing.T) {
	dir := t.TempDir()
	if _, err := recordlog.OpenReader(dir, recordlog.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no log: %v, want %v", err, fs.ErrNotExist)
	}
	l := open(t, dir)
	put(t, l, 1, "a", "", "1")
	r, err := recordlog.OpenReader(dir, recordlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	refresh := func(want bool) {
		t.Helper()
		if changed, err := r.Refresh(); err != nil || changed != want {
			t.Errorf("Refresh() = %v, %v; want %v", changed, err, want)
		}
	}
	same(t, mustRead(t, r), content{"1/a": "|1"})
	refresh(false)
	put(t, l, 1, "b", "", "2")
	same(t, mustRead(t, r), content{"1/a": "|1"})
	refresh(true)
	same(t, mustRead(t, r), content{"1/a": "|1", "1/b": "|2"})
	if err := l.Remove(1, "a"); err != nil {
		t.Fatal(err)
	}
	if err := l.Compact(); err != nil {
		t.Fatal(err)
	}
	// What it opened stays readable until it looks again.
	same(t, mustRead(t, r), content{"1/a": "|1", "1/b": "|2"})
	refresh(true)
	same(t, mustRead(t, r), content{"1/b": "|2"})
	refresh(false)
	put(t, l, 1, "b", "", "3")
	refresh(true)
	same(t, mustRead(t, r), content{"1/b": "|3"})
}

// Opening with an index reads the log's last record only.
func TestIndexSkipsTheLog(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	put(t, l, 1, "a", "head", strings.Repeat("x", 1000))
	put(t, l, 1, "b", "", "y")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// A payload before it may then be anything; reading it finds that out.
	path := filepath.Join(dir, "00000001.log")
	flip(t, path, 8*(recordlog.LogHeader+recordlog.RecordHeader+500))
	r, err := recordlog.OpenReader(dir, recordlog.Options{})
	if err != nil {
		t.Fatalf("opening read more than it has to: %v", err)
	}
	defer r.Close()
	if e, ok := r.Lookup(1, "a"); !ok || string(e.Head) != "head" || e.Size != 1000 {
		t.Errorf("Lookup(1, a) = %+v, %v", e, ok)
	}
	var damage *recordlog.DamageError
	if _, _, err := r.Read(1, "a", nil); !errors.As(err, &damage) || damage.File != path || damage.Offset != recordlog.LogHeader {
		t.Errorf("reading the damaged record: %v", err)
	}
	if err := r.Verify(); !errors.As(err, &damage) || damage.Offset != recordlog.LogHeader {
		t.Errorf("Verify: %v", err)
	}
	if payload, _, err := r.Read(1, "b", nil); err != nil || string(payload) != "y" {
		t.Errorf("the record that is whole: %q, %v", payload, err)
	}
}

// An index that is damaged or old changes nothing but the time.
func TestIndexIsNotTrusted(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, other} {
		l := open(t, d)
		put(t, l, 1, "a", "", "in "+filepath.Base(d))
		put(t, l, 1, "b", "", "2")
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := content{"1/a": "|in " + filepath.Base(dir), "1/b": "|2"}
	index := filepath.Join(dir, "00000001.index")
	whole := mustFile(t, index)
	check := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(index, b, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := recordlog.OpenReader(dir, recordlog.Options{})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		defer r.Close()
		same(t, mustRead(t, r), want)
	}
	for bit := range 8 * len(whole) {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		check(fmt.Sprintf("bit %d flipped", bit), b)
	}
	for n := range whole {
		check(fmt.Sprintf("cut to %d bytes", n), whole[:n])
	}
	check("whole", whole)

	// One of another log says that one of the two is from elsewhere.
	var damage *recordlog.DamageError
	if err := os.WriteFile(index, mustFile(t, filepath.Join(other, "00000001.index")), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := recordlog.OpenReader(dir, recordlog.Options{}); !errors.As(err, &damage) || damage.File != index {
		t.Errorf("another log's index: %v", err)
	}
	check("whole", whole)
	l := open(t, dir)
	put(t, l, 1, "c", "", "3")
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	want["1/c"] = "|3"
	check("an old index", whole)

	// An index that the log is too short for says that records were lost.
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "00000001.log")
	full := mustFile(t, log)
	if err := os.Truncate(log, recordlog.LogHeader+10); err != nil {
		t.Fatal(err)
	}
	if _, err := recordlog.OpenReader(dir, recordlog.Options{}); !errors.As(err, &damage) || damage.Offset != recordlog.LogHeader+10 {
		t.Errorf("a log of %d bytes cut to %d: %v", len(full), recordlog.LogHeader+10, err)
	}
}

func TestCompact(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	for i := range 50 {
		put(t, l, 1, fmt.Sprint(i%5), "h", strings.Repeat("x", i))
	}
	want := mustRead(t, l)
	live, total := l.Size()
	if live >= total/5 {
		t.Fatalf("%d of %d bytes are live, so there is nothing to compact", live, total)
	}
	seqs := func() []uint64 {
		var all []uint64
		for _, e := range l.Entries(1) {
			all = append(all, e.Seq)
		}
		return all
	}
	before := seqs()
	for range 2 {
		if err := l.Compact(); err != nil {
			t.Fatal(err)
		}
	}
	if after := seqs(); !slices.Equal(after, before) {
		t.Errorf("sequence numbers became %v, were %v", after, before)
	}
	same(t, mustRead(t, l), want)
	if now, total := l.Size(); now != live || total != live+recordlog.LogHeader+recordlog.RecordHeader {
		t.Errorf("%d of %d bytes are live after compaction, want %d and a header and a mark beside", now, total, live)
	}
	put(t, l, 1, "new", "", "z")
	want["1/new"] = "|z"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, n := range names {
		files = append(files, n.Name())
	}
	if want := []string{"00000003.index", "00000003.log", "lock"}; !slices.Equal(files, want) {
		t.Errorf("the folder has %v, want %v", files, want)
	}
	same(t, mustRead(t, open(t, dir)), want)
}

func TestCompactRefusesDamage(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	put(t, l, 1, "a", "", "payload")
	put(t, l, 1, "b", "", "other")
	flip(t, filepath.Join(dir, "00000001.log"), 8*(recordlog.LogHeader+recordlog.RecordHeader+3))
	var damage *recordlog.DamageError
	if err := l.Compact(); !errors.As(err, &damage) {
		t.Fatalf("a damaged record was copied: %v", err)
	}
	if payload, _, err := l.Read(1, "b", nil); err != nil || string(payload) != "other" {
		t.Errorf("after the failed compaction: %q, %v", payload, err)
	}
	if _, err := l.Append(1, "c", nil, nil); err != nil {
		t.Errorf("appending after the failed compaction: %v", err)
	}
}

// What was named by hand as if after 2⁶² compactions is read and written, and not compacted into a
// file that nobody would look at.
func TestLastGeneration(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	put(t, l, 1, "a", "", "x")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	last := filepath.Join(dir, "4611686018427387904.log")
	if err := os.Rename(filepath.Join(dir, "00000001.log"), last); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir)
	if err := l.Compact(); err == nil || !strings.Contains(err.Error(), last) {
		t.Errorf("a log after the last was made: %v", err)
	}
	same(t, mustRead(t, l), content{"1/a": "|x"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, mustRead(t, open(t, dir)), content{"1/a": "|x"})
	if err := os.Rename(last, filepath.Join(dir, "4611686018427387905.log")); err != nil {
		t.Fatal(err)
	}
	if _, err := recordlog.OpenReader(dir, recordlog.Options{}); !errors.As(err, new(*recordlog.DamageError)) {
		t.Errorf("a number beyond, and the index of the log that is gone: %v", err)
	}
}

// While a log is verified, records are written and read, and the log is compacted and closed.
func TestVerifyMeanwhile(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	for i := range 10 {
		put(t, l, 1, fmt.Sprint(i), "h", "payload")
	}
	met := 0
	done := make(chan error, 1)
	go func() {
		done <- l.VerifyMeanwhile(func() {
			met++
			var err error
			switch met {
			case 2:
				_, err = l.Append(1, "new", nil, []byte("x"))
			case 4:
				_, _, err = l.Read(1, "new", nil)
			case 6:
				err = l.Compact()
			case 8:
				err = l.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}()
	select {
	case err := <-done:
		if err != nil || met != 10 {
			t.Errorf("%d records, %v; want the 10 that were there before", met, err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("something waits for Verify")
	}
	l = open(t, dir)
	if n := len(l.Entries(1)); n != 11 {
		t.Errorf("%d records, want 11", n)
	}
}

// A write that fails, and that cannot be taken back, ends writing until the log is opened anew; what
// is there can be read.
func TestBroken(t *testing.T) {
	for what, do := range map[string]func(l *recordlog.Log) error{
		"Append": func(l *recordlog.Log) error { _, err := l.Append(1, "b", nil, nil); return err },
		"Sync":   func(l *recordlog.Log) error { return l.Sync() },
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			l := open(t, dir)
			put(t, l, 1, "a", "", "payload")
			if err := l.OpenForReading(); err != nil {
				t.Fatal(err)
			}
			for _, do := range []func(l *recordlog.Log) error{do, (*recordlog.Log).Compact, func(l *recordlog.Log) error { return l.Remove(1, "a") }} {
				if err := do(l); !errors.Is(err, recordlog.ErrBroken) || !strings.Contains(err.Error(), dir) {
					t.Errorf("%v, want %v with the file", err, recordlog.ErrBroken)
				}
			}
			want := content{"1/a": "|payload"}
			same(t, mustRead(t, l), want)
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			same(t, mustRead(t, open(t, dir)), want)
		})
	}
}

// Readers in this process go on while records are written and logs compacted.
func TestConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	put(t, l, 1, "x", "", "0")
	payload := func(i int) string { return strings.Repeat(fmt.Sprint(i%10), 1+i%300) }
	var group sync.WaitGroup
	done := make(chan struct{})
	look := func(r reading, refresh func() error) {
		defer group.Done()
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := refresh(); err != nil {
				t.Error(err)
				return
			}
			b, _, err := r.Read(1, "x", nil)
			if err != nil {
				t.Error(err)
				return
			}
			if strings.Trim(string(b), string(b[:1])) != "" {
				t.Errorf("a record of parts: %q", b)
				return
			}
		}
	}
	group.Add(3)
	go look(l, func() error { return nil })
	for range 2 {
		r, err := recordlog.OpenReader(dir, recordlog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		go look(r, func() error { _, err := r.Refresh(); return err })
	}
	for i := range 500 {
		put(t, l, 1, "x", "", payload(i))
		if i%100 == 99 {
			if err := l.Compact(); err != nil {
				t.Error(err)
			}
		}
	}
	close(done)
	group.Wait()
}

func mustFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// flip changes one bit of a file.
func flip(t *testing.T, path string, bit int) {
	t.Helper()
	b := mustFile(t, path)
	b[bit/8] ^= 1 << (bit % 8)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(b[bit/8:bit/8+1], int64(bit/8)); err != nil {
		t.Fatal(err)
	}
}
