package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"boost/internal/testenv"
	"boost/internal/vfs/crashfs"
	"boost/tensorq/store"
)

// A store loses nothing of what it has said is done: values put, put anew, moved to other forms, removed and
// compacted, whatever the disk loses or refuses.
func TestDiskFaults(t *testing.T) {
	testenv.Unraced(t)
	c := newClock()
	lossless := &source{}
	for id, seed := range map[string]uint64{"a": 1, "b": 2} {
		lossless.set(id, values(seed, 40))
	}
	openStore := func(disk *crashfs.FS, reading bool) (*store.Store, error) {
		return store.Open("/d/store", store.DefaultConfig(), store.Options{Clock: c.Now, Source: lossless, ReadOnly: reading, FS: disk})
	}
	n := crashfs.Survives(t, func(disk *crashfs.FS) (*crashfs.Writer, error) {
		s, err := openStore(disk, false)
		if err != nil {
			return nil, err
		}
		put := func(id string, seed uint64, o store.PutOptions) func() error {
			return func() error { return s.Put(id, []int{40}, values(seed, 40), o) }
		}
		remove := func() error {
			if err := s.Remove("b"); !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return nil
		}
		return &crashfs.Writer{Steps: []func() error{
			put("a", 1, store.PutOptions{Tier: store.Warm}),
			put("b", 2, store.PutOptions{Tier: store.Hot}),
			func() error { return s.Move("a", store.Cold) },
			s.Compact,
			func() error { return s.Move("a", store.Hot) },
			remove,
			put("c", 3, store.PutOptions{}),
			put("a", 1, store.PutOptions{Tier: store.Cold}),
			s.Sync,
			s.Compact,
			put("c", 4, store.PutOptions{}),
		}, Close: func() { _ = s.Close() }}, nil
	}, func(disk *crashfs.FS, reading bool) (string, error) {
		s, err := openStore(disk, reading)
		if err != nil {
			return "", err
		}
		defer s.Close()
		var all strings.Builder
		for _, id := range s.IDs() {
			out := make([]float32, 40)
			if _, err := s.Read(id, out); err != nil {
				return "", err
			}
			i, err := s.Info(id)
			if err != nil {
				return "", err
			}
			fmt.Fprintln(&all, id, i.Tier, i.Bits, out)
		}
		return all.String(), s.Verify()
	})
	t.Logf("%d states", n)
	if n < 1000 {
		t.Errorf("only %d states", n)
	}
}
