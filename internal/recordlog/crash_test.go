package recordlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"boost/internal/recordlog"
	"boost/internal/testenv"
)

// history writes a small log with all that a log can have, and returns its bytes and,
// by the length of the file after each step, what it then held.
func history(t *testing.T) ([]byte, map[int64]content) {
	t.Helper()
	dir := t.TempDir()
	l := open(t, dir)
	states := map[int64]content{recordlog.LogHeader: {}}
	held := content{}
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		_, total := l.Size()
		states[total] = maps.Clone(held)
	}
	write := func(kind uint8, id, head, payload string) {
		held[name(kind, id)] = head + "|" + payload
		_, err := l.Append(kind, id, []byte(head), []byte(payload))
		step(err)
	}
	write(1, "a", "", "first")
	write(2, "long", "head", strings.Repeat("payload ", 9))
	step(l.Sync())
	write(1, "a", "h", "second")
	delete(held, "2/long")
	step(l.Remove(2, "long"))
	// Bytes that look like a record of this log are none at another place.
	write(3, "mirror", "", string(mustFile(t, filepath.Join(dir, "00000001.log"))[recordlog.LogHeader:]))
	step(l.Sync())
	write(1, "", "", "")
	write(1, "last", "of all", "x")
	return mustFile(t, filepath.Join(dir, "00000001.log")), states
}

// folder makes a folder with one file.
func folder(t *testing.T, file string, b []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), b, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A writer that is stopped at any byte of a write leaves the last complete record and
// all before it; the writer cuts the rest off, a reader only passes it over.
func TestCutAnywhere(t *testing.T) {
	log, states := history(t)
	if len(states) != 10 {
		t.Fatalf("the history has %d states, want 10", len(states))
	}
	want, whole := states[recordlog.LogHeader], int64(0)
	for n := range len(log) + 1 {
		state, ends := states[int64(n)]
		if ends {
			want, whole = state, int64(n)
		}
		if _, next := states[int64(n+1)]; !ends && !next && n%testenv.ByLength(1, 3, 11) != 0 {
			continue // at its ends a record is cut everywhere
		}
		dir := folder(t, "00000001.log", log[:n])
		if n < recordlog.LogHeader {
			var damage *recordlog.DamageError
			if _, err := recordlog.OpenReader(dir, recordlog.Options{}); !errors.As(err, &damage) {
				t.Errorf("%d bytes: %v; a log is never without its header, which is written under another name", n, err)
			}
			continue
		}
		r, err := recordlog.OpenReader(dir, recordlog.Options{})
		if err != nil {
			t.Errorf("%d bytes: %v", n, err)
			continue
		}
		same(t, mustRead(t, r), want)
		if changed, err := r.Refresh(); changed || err != nil {
			t.Errorf("%d bytes: Refresh() = %v, %v", n, changed, err)
		}
		if got := mustFile(t, filepath.Join(dir, "00000001.log")); len(got) != n {
			t.Errorf("a reader changed the log from %d bytes to %d", n, len(got))
		}
		l := open(t, dir)
		same(t, mustRead(t, l), want)
		if l.Torn() != int64(n)-whole {
			t.Errorf("%d bytes: %d were cut off, want %d", n, l.Torn(), int64(n)-whole)
		}
		put(t, l, 1, "after", "", "the crash")
		if changed, err := r.Refresh(); !changed || err != nil {
			t.Errorf("%d bytes: Refresh() after the writer went on = %v, %v", n, changed, err)
		}
		more := maps.Clone(want)
		more["1/after"] = "|the crash"
		same(t, mustRead(t, r), more)
		_ = r.Close()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		l = open(t, dir)
		same(t, mustRead(t, l), more)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Any bit that turned on the disk is found, and said with the file and the record's
// place, when the log is opened or the record read. Only the last mark holds nothing that could be lost.
func TestFlipAnywhere(t *testing.T) {
	log, states := history(t)
	dir := folder(t, "00000001.log", log)
	if err := open(t, dir).Close(); err != nil { // writes a mark and an index
		t.Fatal(err)
	}
	path := filepath.Join(dir, "00000001.log")
	index := mustFile(t, filepath.Join(dir, "00000001.index"))
	want := states[int64(len(log))]
	log = mustFile(t, path)
	starts := []int64{0}
	for at := int64(recordlog.LogHeader); at < int64(len(log)); {
		starts = append(starts, at)
		at += recordlog.RecordHeader + int64(log[at+6]) + int64(log[at+8]) + int64(log[at+12]) + int64(log[at+13])<<8
	}
	mark := starts[len(starts)-1]
	stride := testenv.ByLength(1, 3, 11) // no factor in common with 8, so that bits of every place are flipped
	for indexed := range 2 {             // an empty index is none
		if err := os.WriteFile(filepath.Join(dir, "00000001.index"), index[:len(index)*indexed], 0o666); err != nil {
			t.Fatal(err)
		}
		record := 0
		for bit := 0; bit < 8*len(log); bit += stride {
			for record+1 < len(starts) && int64(bit/8) >= starts[record+1] {
				record++
			}
			flip(t, path, bit)
			got, err := readAll(t, dir)
			flip(t, path, bit)
			var damage *recordlog.DamageError
			switch {
			case err == nil && starts[record] == mark:
				same(t, got, want)
			case err == nil:
				t.Fatalf("bit %d flipped in the record at byte %d: not found", bit, starts[record])
			case !errors.As(err, &damage):
				t.Fatalf("bit %d flipped: %v, want a DamageError", bit, err)
			case damage.File != path || damage.Offset != starts[record]:
				t.Fatalf("bit %d flipped in the record at byte %d: %v", bit, starts[record], err)
			}
		}
	}
}

// readAll opens a log, reads and verifies all of it.
func readAll(t *testing.T, dir string) (content, error) {
	t.Helper()
	r, err := recordlog.OpenReader(dir, recordlog.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	got, err := read(t, r)
	if err != nil {
		return nil, err
	}
	return got, r.Verify()
}

// A machine that stops may lose what was not synced, in any order. None of it is
// damage, and all that was synced is there.
func TestPowerLoss(t *testing.T) {
	testenv.Unraced(t)
	dir := t.TempDir()
	l := open(t, dir)
	put(t, l, 1, "safe", "", "synced")
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	_, synced := l.Size()
	for i := range 3 {
		put(t, l, 1, fmt.Sprint("unsafe", i), "", strings.Repeat("x", 50))
	}
	log := mustFile(t, filepath.Join(dir, "00000001.log"))
	// The first of them is lost, the two behind it came to the disk.
	lost := bytes.Clone(log)
	clear(lost[synced : synced+60])
	got, err := readAll(t, folder(t, "00000001.log", lost))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, content{"1/safe": "|synced"})
	// After the next Sync the same bytes are damage.
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	lost = mustFile(t, filepath.Join(dir, "00000001.log"))
	clear(lost[synced : synced+60])
	var damage *recordlog.DamageError
	if _, err := readAll(t, folder(t, "00000001.log", lost)); !errors.As(err, &damage) || damage.Offset != synced {
		t.Errorf("synced bytes that are gone: %v, want damage at byte %d", err, synced)
	}
}

// A compaction that is stopped at any step leaves a folder that opens to the same
// records.
func TestCrashDuringCompaction(t *testing.T) {
	dir := t.TempDir()
	var folders []string
	steps := map[string]int{}
	snapshot := func(what string) {
		steps[strings.Fields(what)[0]]++
		at := filepath.Join(t.TempDir(), "at")
		if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, at)
	}
	l, err := recordlog.Open(dir, recordlog.WithSteps(recordlog.Options{}, snapshot))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		put(t, l, 1, fmt.Sprint(i%7), "h", strings.Repeat("x", 5*i))
	}
	want := mustRead(t, l)
	if err := l.SaveIndex(); err != nil {
		t.Fatal(err)
	}
	if err := l.Compact(); err != nil {
		t.Fatal(err)
	}
	snapshot("done")
	if steps["copied"] != 7 || steps["renamed"] != 1 || steps["removed"] != 2 || steps["done"] != 1 {
		t.Fatalf("the steps were %v", steps)
	}
	// The unfinished file may have any part of its bytes.
	compacted := mustFile(t, filepath.Join(dir, "00000002.log"))
	old := folders[0]
	for n := 0; n <= len(compacted); n += 7 {
		at := filepath.Join(t.TempDir(), "at")
		if err := os.CopyFS(at, os.DirFS(old)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, ".00000002.log.tmp"), compacted[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, at)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, at := range folders {
		got, err := readAll(t, at)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
		again := open(t, at)
		same(t, mustRead(t, again), want)
		put(t, again, 1, "new", "", "record")
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		got, err = readAll(t, at)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want)+1 || got["1/new"] != "|record" {
			t.Errorf("after a crash and one record more the log holds %v", got)
		}
		names, err := os.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) != 3 {
			t.Errorf("the folder was not brought into order: %v", names)
		}
	}
}

const writerVariable = "BOOST_TEST_RECORDLOG_WRITER"

// TestMain lets the test binary be the writer that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		if err := endlessly(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// endlessly writes records i = 0, 1, … under the ids i mod 16 and says each number when
// it is written.
func endlessly(dir string) error {
	l, err := recordlog.Open(dir, recordlog.Options{})
	if err != nil {
		return err
	}
	first := 0
	for _, e := range l.Entries(1) {
		i, err := strconv.Atoi(string(e.Head))
		if err != nil {
			return err
		}
		first = max(first, i+1)
	}
	for i := first; ; i++ {
		if _, err := l.Append(1, fmt.Sprint(i%16), fmt.Append(nil, i), killPayload(i)); err != nil {
			return err
		}
		if _, err := fmt.Println(i); err != nil {
			return err
		}
		switch {
		case i%31 == 30:
			err = l.Compact()
		case i%7 == 6:
			err = l.SaveIndex()
		}
		if err != nil {
			return err
		}
	}
}

func killPayload(i int) []byte { return bytes.Repeat(fmt.Append(nil, i, " "), 1+i*37%5000) }

// A writer is killed again and again, wherever it is; the next one finds every record
// that was written.
func TestKill(t *testing.T) {
	kills := testenv.ByLength(1000, 60, 20)
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	next := 0 // the least number that is not known to be written
	for range kills {
		testenv.Kill(t, random.IntN, writerVariable+"="+dir, 80, 200_000, func(line string) { next = number(t, line) + 1 })
		checkKilled(t, dir, next)
	}
	if next < kills {
		t.Errorf("only %d records were written", next)
	}
}

func number(t *testing.T, line string) int {
	t.Helper()
	i, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// checkKilled reads the log of a writer that said every number below next. One more may
// have been written and not said.
func checkKilled(t *testing.T, dir string, next int) {
	t.Helper()
	r, err := recordlog.OpenReader(dir, recordlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	newest := -1
	for _, e := range r.Entries(1) {
		payload, _, err := r.Read(1, e.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		i := number(t, string(e.Head))
		newest = max(newest, i)
		if e.ID != fmt.Sprint(i%16) || !bytes.Equal(payload, killPayload(i)) {
			t.Fatalf("record %d is not what was written", i)
		}
		if i <= next-1-16 {
			t.Fatalf("record %d is there under id %s, and %d was written later", i, e.ID, i+16)
		}
	}
	if newest != next-1 && newest != next {
		t.Fatalf("the newest record is %d, and %d was written", newest, next-1)
	}
	if n := len(r.Entries(1)); n != min(16, newest+1) {
		t.Fatalf("%d ids are there after record %d", n, newest)
	}
}
