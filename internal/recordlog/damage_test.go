package recordlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/internal/recordlog"
	"boost/internal/testenv"
)

// span is where a record is in a log.
type span struct{ from, to int }

// sample is a closed log with its index, and what it holds.
type sample struct {
	log, index []byte
	want       content
	spans      []span
	steps      []content // what it holds behind each span
}

func newSample(t *testing.T) *sample {
	t.Helper()
	dir := t.TempDir()
	l := open(t, dir)
	s := &sample{}
	held := content{}
	at := recordlog.LogHeader
	step := func() {
		_, total := l.Size()
		s.spans, s.steps = append(s.spans, span{at, int(total)}), append(s.steps, maps.Clone(held))
		at = int(total)
	}
	write := func(id, payload string) {
		put(t, l, 1, id, "head", payload)
		held[name(1, id)] = "head|" + payload
		step()
	}
	sync := func() {
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
		step()
	}
	write("a", "first")
	write("b", strings.Repeat("b", 40))
	sync()
	write("a", "second")
	sync()
	// What looks like records in a payload is none, where the record is damaged too.
	write("mirror", string(mustFile(t, filepath.Join(dir, "00000001.log"))[recordlog.LogHeader:]))
	if err := l.Remove(1, "b"); err != nil {
		t.Fatal(err)
	}
	delete(held, "1/b")
	step()
	sync()
	write("c", "third")
	write("d", "")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s.log, s.index = mustFile(t, filepath.Join(dir, "00000001.log")), mustFile(t, filepath.Join(dir, "00000001.index"))
	s.spans, s.steps = append(s.spans, span{at, len(s.log)}), append(s.steps, maps.Clone(held)) // the mark
	s.want = held
	return s
}

// replay is what a log holds that has lost some of its records.
func (s *sample) replay(lost func(span) bool) content {
	held, before := content{}, content{}
	for i, step := range s.steps {
		if !lost(s.spans[i]) {
			for k := range before {
				if _, ok := step[k]; !ok {
					delete(held, k)
				}
			}
			for k, v := range step {
				if before[k] != v {
					held[k] = v
				}
			}
		}
		before = step
	}
	return held
}

// harm is a change of a log, and which of its records it hits.
type harm struct {
	what string
	log  []byte
	hits func(span) bool
}

func (s *sample) harms() []harm {
	var all []harm
	n := len(s.log)
	for at := range n {
		zeros := bytes.Clone(s.log)
		clear(zeros[at:])
		if !bytes.Equal(zeros, s.log) {
			all = append(all, harm{fmt.Sprintf("zeros from byte %d", at), zeros, func(r span) bool { return !bytes.Equal(zeros[r.from:r.to], s.log[r.from:r.to]) }})
		}
		all = append(all, harm{fmt.Sprintf("cut to %d bytes", at), s.log[:at], func(r span) bool { return r.to > at }})
		b := bytes.Clone(s.log)
		b[at] ^= byte(1 + at%255)
		all = append(all, harm{fmt.Sprintf("byte %d is another", at), b, func(r span) bool { return r.from <= at && at < r.to }})
		k := 1 + at%20
		more := slices.Insert(bytes.Clone(s.log), at, bytes.Repeat([]byte{byte(at)}, k)...)
		all = append(all, harm{fmt.Sprintf("%d bytes inserted at byte %d", k, at), more, func(r span) bool { return r.from < at && at < r.to }})
		if at+k < n {
			less := slices.Delete(bytes.Clone(s.log), at, at+k)
			all = append(all, harm{fmt.Sprintf("%d bytes gone at byte %d", k, at), less, func(r span) bool { return r.from < at+k && at < r.to }})
		}
	}
	return all
}

// snapshot is all that a folder holds.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = string(mustFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A log is damaged in every way that one thing can go wrong. Either all is served that was there, or opening,
// reading or verifying is an error with the file; never are there fewer records. Reading changes nothing. Repair
// keeps the old files and salvages every record that the damage has not hit.
func TestDamage(t *testing.T) {
	s := newSample(t)
	harms := every(s.harms(), testenv.ByLength(1, 5, 29))
	for _, indexed := range []bool{true, false} {
		served, refused, silent := 0, 0, 0
		for i, h := range harms {
			dir := folder(t, "00000001.log", h.log)
			index := filepath.Join(dir, "00000001.index")
			if indexed {
				if err := os.WriteFile(index, s.index, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			before := snapshot(t, dir)
			got, err := readAll(t, dir)
			var damage *recordlog.DamageError
			switch {
			case err == nil && maps.Equal(got, s.want):
				served++
			case err == nil && !indexed && strings.HasPrefix(h.what, "cut"), err == nil && !indexed && strings.HasPrefix(h.what, "zeros"):
				// What is not confirmed by anything may be what a crash has left.
				same(t, got, s.replay(h.hits))
			case err == nil && !indexed && s.unconfirmed(h):
				same(t, got, s.replay(h.hits))
			case err == nil:
				silent++
				t.Errorf("%s, indexed %v: %v", h.what, indexed, got)
			case !errors.As(err, &damage) || damage.File != filepath.Join(dir, "00000001.log"):
				t.Errorf("%s: %v", h.what, err)
			default:
				refused++
			}
			if after := snapshot(t, dir); !maps.Equal(before, after) {
				t.Fatalf("%s: reading changed the folder", h.what)
			}
			// Where a log has moved with its header and there is no index, nothing says its name.
			if moved := len(h.log) != len(s.log) && h.hits(span{0, recordlog.LogHeader}); err != nil && i%7 == 0 && (indexed || !moved) {
				repaired(t, dir, s, h, before)
			}
		}
		t.Logf("indexed %v: %d served, %d refused, %d silent of %d", indexed, served, refused, silent, len(harms))
		if served == 0 || refused == 0 || silent > 0 {
			t.Errorf("%d served, %d refused, %d silent", served, refused, silent)
		}
	}
}

// unconfirmed reports whether only records are hit that no mark behind them is left of.
func (s *sample) unconfirmed(h harm) bool {
	last := s.spans[len(s.spans)-1]
	return h.hits(last)
}

func every[T any](all []T, n int) (some []T) {
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// repaired repairs a folder and checks that nothing is lost that was not hit.
func repaired(t *testing.T, dir string, s *sample, h harm, before map[string]string) {
	t.Helper()
	r, err := recordlog.Repair(dir, recordlog.Options{}, false)
	if err != nil || r.Damage == nil {
		t.Fatalf("%s: Repair() = %+v, %v", h.what, r, err)
	}
	if len(r.Kept) != len(before) {
		t.Errorf("%s: kept %v", h.what, r.Kept)
	}
	for path, text := range before {
		if string(mustFile(t, path+".old")) != text {
			t.Errorf("%s: %s was not kept", h.what, path)
		}
	}
	got, err := readAll(t, dir)
	if err != nil {
		t.Fatalf("%s: after Repair: %v", h.what, err)
	}
	if want := s.replay(h.hits); !maps.Equal(got, want) {
		t.Errorf("%s: Repair salvaged %v, want %v", h.what, got, want)
	}
	if len(r.Gaps) == 0 && !maps.Equal(got, s.want) {
		t.Errorf("%s: no word of what is lost", h.what)
	}
	l := open(t, dir)
	put(t, l, 1, "new", "", "x")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if again, err := recordlog.Repair(dir, recordlog.Options{}, false); err != nil || again.Damage != nil {
		t.Errorf("%s: a second Repair: %+v, %v", h.what, again, err)
	}
}

// A file that is gone is not taken for one that never was.
func TestGone(t *testing.T) {
	s := newSample(t)
	t.Run("log", func(t *testing.T) {
		dir := folder(t, "00000001.index", s.index)
		_, reading := recordlog.OpenReader(dir, recordlog.Options{})
		_, writing := recordlog.Open(dir, recordlog.Options{})
		_, exists := recordlog.Exists(dir, recordlog.Options{})
		for _, err := range []error{reading, writing, exists} {
			var damage *recordlog.DamageError
			if !errors.As(err, &damage) || damage.File != filepath.Join(dir, "00000001.log") {
				t.Errorf("the log is gone: %v", err)
			}
		}
		r, err := recordlog.Repair(dir, recordlog.Options{}, false)
		if err != nil || len(r.Gone) != len(s.want) || len(r.Kept) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if got, err := readAll(t, dir); err != nil || len(got) != 0 {
			t.Errorf("%v, %v", got, err)
		}
	})
	t.Run("index", func(t *testing.T) {
		got, err := readAll(t, folder(t, "00000001.log", s.log))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, s.want)
	})
	t.Run("repair_that_stopped", func(t *testing.T) {
		dir := folder(t, "00000001.log.old", s.log[:len(s.log)-100])
		if _, err := recordlog.Open(dir, recordlog.Options{}); !errors.As(err, new(*recordlog.DamageError)) {
			t.Fatalf("a repair stopped half way: %v", err)
		}
		if _, err := recordlog.Repair(dir, recordlog.Options{}, false); err != nil {
			t.Fatal(err)
		}
		got, err := readAll(t, dir)
		if err != nil || len(got) == 0 {
			t.Errorf("%v, %v", got, err)
		}
	})
}

// Files of two moments of a folder are beside each other.
func TestOlderFiles(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	put(t, l, 1, "a", "", "1")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	older := t.TempDir()
	if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir)
	put(t, l, 1, "b", "", "2")
	position := l.Position()
	if position != (recordlog.Position{}) {
		t.Errorf("nothing was synced, and the position is %+v", position)
	}
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	position = l.Position()
	if err := l.Compact(); err != nil {
		t.Fatal(err)
	}
	if err := l.Reaches(position); err != nil {
		t.Errorf("a compaction: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := recordlog.OpenReader(older, recordlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var damage *recordlog.DamageError
	if err := r.Reaches(position); !errors.As(err, &damage) || !strings.Contains(err.Error(), "record 4") {
		t.Errorf("an older log: %v", err)
	}
	if back, ok := recordlog.DecodePosition(position.Encode()); !ok || back != position {
		t.Errorf("%+v is read as %+v", position, back)
	}
	mixed := t.TempDir()
	for from, name := range map[string]string{older: "00000001.log", dir: "00000002.index"} {
		if err := os.WriteFile(filepath.Join(mixed, name), mustFile(t, filepath.Join(from, name)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readAll(t, mixed); !errors.As(err, &damage) {
		t.Errorf("a newer index beside an older log: %v", err)
	}
}

// The bytes that a writer cuts off are kept while they may be all that is left of something.
func TestTailIsKept(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	put(t, l, 1, "a", "", "1")
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	_, synced := l.Size()
	put(t, l, 1, "lost", "", "by the disk")
	put(t, l, 1, "b", "", "2")
	log := mustFile(t, filepath.Join(dir, "00000001.log"))
	clear(log[synced : synced+50])
	dir = folder(t, "00000001.log", log)
	if _, err := recordlog.Open(dir, recordlog.Options{Intact: true}); !errors.Is(err, recordlog.ErrTorn) {
		t.Errorf("Intact: %v", err)
	}
	l = open(t, dir)
	if got := mustFile(t, filepath.Join(dir, "00000001.log")); !bytes.Equal(got, log) {
		t.Error("opening alone changed the log")
	}
	tail := filepath.Join(dir, "00000001.tail")
	put(t, l, 1, "c", "", "3")
	if got := mustFile(t, tail); !bytes.Equal(got, log[synced:]) {
		t.Errorf("kept %q", got)
	}
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tail); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Sync: %v", err)
	}
	same(t, mustRead(t, l), content{"1/a": "|1", "1/c": "|3"})
}
