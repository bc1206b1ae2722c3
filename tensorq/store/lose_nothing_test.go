package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"boost/tensorq/store"
)

// One thing goes wrong with a store of tensors, in every way: either all tensors are served, or there is an error, and
// reading changes no byte; what a repair brings back is right.
func TestLoseNothing(t *testing.T) {
	f := newStore(t, func(c *store.Config) { c.SyncWrites = true })
	want := map[string][]float32{}
	for i, id := range []string{"a", "b", "c", "d"} {
		want[id] = values(uint64(i), 20)
		f.put(id, want[id], store.PutOptions{Master: i == 1, Tier: store.Tier(1 + i%3)})
	}
	f.put("e", want["d"])
	want["e"] = want["d"]
	f.rule("e", store.Scale{Of: "d", By: 1})
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	name := func(dir, suffix string) string { return filepath.Join(dir, "00000001"+suffix) }
	bytesOf := func(path string) []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	log, index := bytesOf(name(f.dir, ".log")), bytesOf(name(f.dir, ".index"))
	ask := func(dir string) (found int, err error) {
		s, err := store.Open(dir, f.cfg, store.Options{Clock: f.clock.Now, ReadOnly: true})
		if err != nil {
			return 0, err
		}
		defer s.Close()
		for id, w := range want {
			info, failed := s.Info(id)
			if failed != nil {
				continue
			}
			found++
			got := make([]float32, len(w))
			if _, failed = s.Read(id, got); failed != nil {
				err = errors.Join(err, failed)
				continue
			}
			for i := range w {
				if d := float64(got[i]) - float64(w[i]); d > info.Bound || -d > info.Bound {
					t.Errorf("%s reads as another tensor", id)
				}
			}
		}
		return found, err
	}
	served, refused := 0, 0
	try := func(what string, log, index []byte) {
		t.Helper()
		dir := t.TempDir()
		for suffix, b := range map[string][]byte{".log": log, ".index": index} {
			if b != nil {
				if err := os.WriteFile(name(dir, suffix), b, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		found, err := ask(dir)
		if log != nil && !bytes.Equal(bytesOf(name(dir, ".log")), log) {
			t.Errorf("%s: reading changed the log", what)
		}
		switch {
		case err == nil && found == len(want):
			served++
			return
		case err == nil:
			t.Errorf("%s: %d of %d tensors, without an error", what, found, len(want))
			return
		case !errors.As(err, new(*store.DamageError)):
			t.Errorf("%s: %v", what, err)
		}
		if refused++; refused%7 > 0 {
			return
		}
		r, err := store.Repair(dir, store.Options{}, false)
		if err != nil || r.Damage == nil {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if found, err := ask(dir); err != nil || found < len(want)-2 && len(r.Gaps)+len(r.Gone) == 0 {
			t.Errorf("%s: after a repair there are %d, %v", what, found, err)
		}
	}
	try("whole", log, index)
	try("no index", log, nil)
	try("no log", nil, index)
	stride := 11
	if testing.Short() {
		stride = 97
	}
	for at := 0; at < len(log); at += stride {
		zeros, other := bytes.Clone(log), bytes.Clone(log)
		clear(zeros[at:])
		other[at] ^= byte(1 + at%255)
		try(fmt.Sprintf("zeros from byte %d", at), zeros, index)
		try(fmt.Sprintf("byte %d is another", at), other, index)
		try(fmt.Sprintf("cut to %d bytes", at), log[:at], index)
		try(fmt.Sprintf("bytes inserted at byte %d", at), slices.Insert(bytes.Clone(log), at, make([]byte, 1+at%20)...), index)
	}
	if served < 2 || refused < 2 {
		t.Errorf("%d served and %d refused", served, refused)
	}
}
